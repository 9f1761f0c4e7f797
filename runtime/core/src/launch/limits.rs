//! Checks the maximum numbers of cubes and units of a launch.
use crate::error::RuntimeError;
use crate::properties::DeviceProperties;
use cube_artifact::Artifact;

const AXES: [char; 3] = ['x', 'y', 'z'];

/// Checks that a launch is within all limits, and returns its number of cubes.
pub(super) fn cubes(artifact: &Artifact, count: [u32; 3], device: &DeviceProperties) -> Result<u64, RuntimeError> {
    cube(artifact.cube_dim, artifact.shared_bytes, device)?;
    self::count(count, device)?;
    // If one count is 0, the product is 0, even if the product of the others overflows.
    if count.contains(&0) {
        return Ok(0);
    }
    let cubes = count.iter().map(|&n| u64::from(n)).try_fold(1u64, u64::checked_mul);
    let cubes = cubes.ok_or_else(|| {
        RuntimeError::device_limit(format!("cube count {count:?} has more than 2^64 cubes; launch fewer cubes"))
    })?;
    if let Some(limit) = artifact.unit_limit {
        units(artifact, count, cubes, limit)?;
    }
    Ok(cubes)
}

/// Checks that the device supports the cube counts.
pub(super) fn count(count: [u32; 3], device: &DeviceProperties) -> Result<(), RuntimeError> {
    for (axis, (&count, &limit)) in AXES.iter().zip(count.iter().zip(&device.max_cube_count)) {
        if count > limit {
            return Err(RuntimeError::device_limit(format!(
                "{count} cubes along {axis} exceed the device's limit of {limit}; use another axis, or do more work per cube"
            )));
        }
    }
    Ok(())
}

fn units(artifact: &Artifact, count: [u32; 3], cubes: u64, limit: u64) -> Result<(), RuntimeError> {
    let along = AXES.iter().zip(count.iter().zip(&artifact.cube_dim));
    for (axis, (&count, &dim)) in along {
        let units = u64::from(count) * u64::from(dim);
        if units > limit {
            return Err(RuntimeError::device_limit(format!(
                "{count} cubes of {dim} units along {axis} are {units} units, but positions in this kernel must be below {limit}; split the launch"
            )));
        }
    }
    let units = u128::from(cubes) * u128::from(artifact.units_per_cube().unwrap_or(u32::MAX));
    if units > u128::from(limit) {
        return Err(RuntimeError::device_limit(format!(
            "cube count {count:?} of cube dim {:?} are {units} units, but positions in this kernel must be below {limit}; split the launch",
            artifact.cube_dim
        )));
    }
    Ok(())
}

/// Checks that the device supports the units and the shared memory of a cube.
pub(super) fn cube(cube_dim: [u32; 3], shared_bytes: u32, device: &DeviceProperties) -> Result<(), RuntimeError> {
    for (axis, (&dim, &limit)) in AXES.iter().zip(cube_dim.iter().zip(&device.max_cube_dim)) {
        if dim > limit {
            return Err(RuntimeError::device_limit(format!(
                "its cube has {dim} units along {axis}, but the device's limit is {limit}; compile the kernel with a smaller cube dim"
            )));
        }
    }
    let units = cube_dim.iter().try_fold(1u32, |all, n| all.checked_mul(*n)).unwrap_or(u32::MAX);
    if units > device.max_units_per_cube {
        return Err(RuntimeError::device_limit(format!(
            "its cube {cube_dim:?} has {units} units, but the device's limit is {}; compile the kernel with a smaller cube dim",
            device.max_units_per_cube
        )));
    }
    if shared_bytes > device.max_shared_bytes {
        return Err(RuntimeError::device_limit(format!(
            "its cube uses {shared_bytes} bytes of shared memory, but the device's limit is {}; use smaller tiles",
            device.max_shared_bytes
        )));
    }
    Ok(())
}
