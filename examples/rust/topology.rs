//! Reads all topology values in launches of one, two and three dimensions.
//!
//! `cargo build -p cube-tools && cargo run -p cube-mlir --example topology`
use cube::cpu::CpuRuntime;
use cube::prelude::*;

/// Number of values that each unit writes.
const VALUES: u32 = 16;

#[cube(launch)]
fn write_topology(out: &mut Array<u32>) {
    let at = ABSOLUTE_POS * VALUES;
    out[at] = UNIT_POS_X;
    out[at + 1] = UNIT_POS_Y;
    out[at + 2] = UNIT_POS_Z;
    out[at + 3] = UNIT_POS;
    out[at + 4] = CUBE_POS_X;
    out[at + 5] = CUBE_POS_Y;
    out[at + 6] = CUBE_POS_Z;
    out[at + 7] = CUBE_POS;
    out[at + 8] = ABSOLUTE_POS_X;
    out[at + 9] = ABSOLUTE_POS_Y;
    out[at + 10] = ABSOLUTE_POS_Z;
    out[at + 11] = CUBE_DIM_X + 100 * CUBE_DIM_Y + 10_000 * CUBE_DIM_Z;
    out[at + 12] = CUBE_DIM;
    out[at + 13] = CUBE_COUNT_X + 100 * CUBE_COUNT_Y + 10_000 * CUBE_COUNT_Z;
    out[at + 14] = CUBE_COUNT;
    out[at + 15] = PLANE_POS * PLANE_DIM + UNIT_POS_PLANE;
}

/// Computes the topology values of a kernel on the host.
fn host([cx, cy, cz]: [u32; 3], [dx, dy, dz]: [u32; 3]) -> Vec<u32> {
    let (all, dim) = ((dx * cx, dy * cy), dx * dy * dz);
    let mut out = vec![0; (cx * cy * cz * dim * VALUES) as usize];
    for cube in 0..cx * cy * cz {
        let c = [cube % cx, cube / cx % cy, cube / cx / cy];
        for unit in 0..dim {
            let u = [unit % dx, unit / dx % dy, unit / dx / dy];
            let [x, y, z] = [c[0] * dx + u[0], c[1] * dy + u[1], c[2] * dz + u[2]];
            let at = ((x + all.0 * (y + all.1 * z)) * VALUES) as usize;
            let sizes = (dx + 100 * dy + 10_000 * dz, cx + 100 * cy + 10_000 * cz);
            let values =
                [u[0], u[1], u[2], unit, c[0], c[1], c[2], cube, x, y, z, sizes.0, dim, sizes.1, cx * cy * cz, unit];
            out[at..at + 16].copy_from_slice(&values);
        }
    }
    out
}

/// Runs the example on a device of any runtime.
pub fn run<R: Runtime>(device: &R::Device) {
    let client = R::client(device);
    for (count, dim) in [([3, 1, 1], [8, 1, 1]), ([2, 3, 1], [4, 2, 1]), ([2, 1, 3], [2, 3, 4])] {
        let expected = host(count, dim);
        let handle = client.empty(expected.len() * 4);
        // SAFETY: the handle has as many elements as the argument declares.
        let out = unsafe { ArrayArg::from_raw_parts::<u32>(&handle, expected.len(), 1) };
        let [x, y, z] = dim;
        write_topology::launch::<R>(
            &client,
            CubeCount::new_3d(count[0], count[1], count[2]),
            CubeDim::new(x, y, z),
            out,
        );
        assert_eq!(u32::from_bytes(&client.read_one(handle)), expected);
        println!("{count:?} cubes of {dim:?} units: topology values equal to the host's");
    }
}

fn main() {
    run::<CpuRuntime>(&Default::default());
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_equal_those_of_the_host() {
        super::main();
    }
}
