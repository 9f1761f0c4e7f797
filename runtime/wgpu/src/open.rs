//! Opens an adapter: its features, its limits, and the target of its code.
use crate::adapter::AdapterChoice;
use crate::context::{catch_panic, now, refused};
use crate::pipelines::{BUFFERS_VARIABLE, FEATURES};
use crate::time;
use cube_artifact::{CodeFormat, Target, Variables};
use cube_runtime::{DeviceProperties, RuntimeError};
use cube_target::Element;
use std::path::PathBuf;

/// The format of the code that a device runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Code {
    /// SPIR-V if this crate is built with the feature `spirv` and the adapter supports SPIR-V, otherwise
    /// WGSL.
    #[default]
    Auto,
    /// WGSL, which every adapter supports.
    Wgsl,
    /// SPIR-V; an adapter that does not support SPIR-V is refused.
    Spirv,
}

/// The name of the backend for WGSL.
const WGSL: &str = "wgsl";

/// Options for opening a device.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The adapter.
    pub adapter: AdapterChoice,
    /// The format of the code that the device runs.
    pub code: Code,
    /// Whether planes have 32 units by default and exchange values through shared memory, also on adapters with
    /// subgroups. Without this option, planes are subgroups. An adapter without subgroups then refuses kernels with
    /// plane operations.
    pub shared_planes: bool,
    /// Whether kernels access buffers by 64-bit addresses, and not by bindings, so that neither the number of buffers nor
    /// the size of a binding limits a launch. Only Vulkan adapters with all features of `-full` chips and
    /// `bufferDeviceAddress` permit addresses. The code is SPIR-V.
    pub addresses: bool,
    /// A folder for the driver's compiled pipelines; `None` for no cache on disk.
    pub cache: Option<PathBuf>,
}

/// The environment variable that selects planes through shared memory.
pub const PLANES_VARIABLE: &str = "CUBE_WGPU_PLANES";

impl Options {
    /// The options that the environment selects: the adapter, planes through shared memory, and buffers by addresses.
    ///
    /// # Errors
    /// `CUBE_WGPU_PLANES` is neither `subgroups` nor `shared`, or `CUBE_WGPU_BUFFERS` is neither `bindings` nor `addresses`.
    pub fn of(variables: &Variables) -> Result<Self, RuntimeError> {
        let is_second = |variable, [first, second]: [&str; 2]| match variables.text(variable).unwrap_or_default() {
            word if word.is_empty() || word == first => Ok(false),
            word if word == second => Ok(true),
            other => {
                Err(RuntimeError::user(format!("{variable} is '{other}'; set the variable to {first} or {second}")))
            }
        };
        Ok(Options {
            adapter: AdapterChoice::of(variables),
            shared_planes: is_second(PLANES_VARIABLE, ["subgroups", "shared"])?,
            addresses: is_second(BUFFERS_VARIABLE, ["bindings", "addresses"])?,
            ..Options::default()
        })
    }
}

/// An open device with the target of its code.
pub(crate) struct Opened {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub target: Target,
    /// The format of the code that the device runs.
    pub format: CodeFormat,
    /// The largest buffer in bytes, if kernels access buffers by addresses.
    pub largest_addressed: Option<u64>,
}

/// The features that the runtime requests if the adapter has them.
fn requested_features() -> wgpu::Features {
    let code = FEATURES.iter().fold(wgpu::Features::empty(), |all, (_, feature)| all | *feature);
    code | time::FEATURES | wgpu::Features::PIPELINE_CACHE
}

/// Opens a device.
///
/// # Errors
/// The adapter refuses the device, or does not support [`Code::Spirv`] or [`Options::addresses`]. The options contradict
/// each other.
pub(crate) fn open(adapter: &wgpu::Adapter, options: &Options) -> Result<Opened, RuntimeError> {
    // Addresses require SPIR-V.
    let code = if options.addresses && options.code == Code::Auto { Code::Spirv } else { options.code };
    if options.addresses && (code == Code::Wgsl || options.shared_planes) {
        return Err(RuntimeError::user(format!(
            "kernels access buffers by addresses only as SPIR-V with planes of subgroups; set {BUFFERS_VARIABLE} to bindings, or change the code and {PLANES_VARIABLE}"
        )));
    }
    let request = wgpu::DeviceDescriptor {
        label: Some("cube"),
        required_features: adapter.features() & requested_features(),
        required_limits: adapter.limits(),
        ..Default::default()
    };
    if code != Code::Wgsl {
        match spirv(adapter, &request, options.addresses)? {
            Ok(mut opened) => {
                if options.shared_planes {
                    opened.target = with_shared_planes(&opened.target);
                }
                return Ok(opened);
            }
            Err(why) if code == Code::Spirv => {
                let name = adapter.get_info().name;
                return Err(RuntimeError::device_limit(format!("{name} does not run SPIR-V: {why}; run its WGSL")));
            }
            Err(_) => {}
        }
    }
    let opened = catch_panic(|| now(adapter.request_device(&request))?.map_err(|error| refused(&error)))?;
    Ok(Opened {
        device: opened.0,
        queue: opened.1,
        target: wgsl_target(request.required_features, options.shared_planes),
        format: CodeFormat::WGSL,
        largest_addressed: None,
    })
}

#[cfg(all(feature = "spirv", not(target_arch = "wasm32")))]
fn spirv(
    adapter: &wgpu::Adapter,
    request: &wgpu::DeviceDescriptor<'_>,
    addresses: bool,
) -> Result<Result<Opened, &'static str>, RuntimeError> {
    let mut request = request.clone();
    request.required_features |= wgpu::Features::PASSTHROUGH_SHADERS;
    if !adapter.features().contains(wgpu::Features::PASSTHROUGH_SHADERS) {
        return Ok(Err("its backend is not Vulkan"));
    }
    let (chip, largest_addressed) = match addresses {
        true => match crate::vulkan::chip_with_addresses(adapter) {
            Some((chip, largest)) => (chip, Some(largest)),
            None => {
                return Ok(Err("it lacks bufferDeviceAddress or another feature of the chip vulkan1.2-full-addresses"));
            }
        },
        false => match crate::vulkan::chip(adapter) {
            Some(chip) => (chip, None),
            None => return Ok(Err("it is older than Vulkan 1.1")),
        },
    };
    let target = Target { backend: "spirv".into(), chip: Some(chip.into()) };
    let (device, queue) = catch_panic(|| crate::vulkan::open(adapter, &request, chip))?;
    Ok(Ok(Opened { device, queue, target, format: CodeFormat::SPIRV, largest_addressed }))
}

#[cfg(not(all(feature = "spirv", not(target_arch = "wasm32"))))]
fn spirv(
    _: &wgpu::Adapter,
    _: &wgpu::DeviceDescriptor<'_>,
    _: bool,
) -> Result<Result<Opened, &'static str>, RuntimeError> {
    Ok(Err("this program is built without it"))
}

/// The WGSL target for a device with the features `features`. With `shared_planes`, the target has no subgroups.
pub(crate) fn wgsl_target(features: wgpu::Features, shared_planes: bool) -> Target {
    let has_half = features.contains(wgpu::Features::SHADER_F16);
    let has_planes = features.contains(wgpu::Features::SUBGROUP) && !shared_planes;
    chip_with(WGSL, |chip| {
        let native = !chip.planes.emulated && !chip.planes.operations.is_empty();
        chip.arithmetic(Element::F16).is_some() == has_half
            && chip.planes.emulated == shared_planes
            && native == has_planes
    })
}

/// The widths that a kernel can choose for planes in shared memory. `None` if planes are the adapter's subgroups, whose
/// width a kernel cannot choose.
pub(crate) fn emulated_widths(target: &Target) -> Option<Vec<u32>> {
    let planes = cube_target::Target::promised(&target.backend, target.chip.as_deref()).planes;
    planes.emulated.then_some(planes.widths)
}

/// The chip that has emulated planes and otherwise the features of the chip of `target`.
fn with_shared_planes(target: &Target) -> Target {
    let own = cube_target::Target::promised(&target.backend, target.chip.as_deref());
    chip_with(&target.backend, |chip| {
        (chip.language, &chip.elements) == (own.language, &own.elements) && chip.planes.emulated
    })
}

// The first chip of a backend whose description is `requested_features`, or else the default chip.
fn chip_with(backend: &str, requested_features: impl Fn(&cube_target::Target) -> bool) -> Target {
    let mut chips = cube_target::Target::chips(backend).into_iter();
    let chip =
        chips.find(|chip| cube_target::Target::known(backend, chip).is_some_and(|chip| requested_features(&chip)));
    Target { backend: backend.into(), chip: chip.map(String::from) }
}

/// The limits and properties of a device, for the target and the format of its code. `memory_bytes` is 0 if the size of
/// the memory is unknown.
pub(crate) fn properties(
    limits: &wgpu::Limits,
    info: &wgpu::AdapterInfo,
    (target, format): (&Target, CodeFormat),
    memory_bytes: u64,
) -> DeviceProperties {
    let chip = cube_target::Target::promised(&target.backend, target.chip.as_deref());
    let plane_dim = match &chip.planes {
        planes if planes.emulated || planes.widths == [1] => [planes.width; 2],
        _ => [info.subgroup_min_size.max(1), info.subgroup_max_size.max(1)],
    };
    DeviceProperties {
        backend: target.backend.clone(),
        formats: vec![format],
        // A launch splits a larger grid into several dispatches.
        max_cube_count: [u32::MAX; 3],
        max_cube_dim: [
            limits.max_compute_workgroup_size_x,
            limits.max_compute_workgroup_size_y,
            limits.max_compute_workgroup_size_z,
        ],
        max_units_per_cube: limits.max_compute_invocations_per_workgroup,
        max_shared_bytes: limits.max_compute_workgroup_storage_size,
        memory_bytes: if memory_bytes == 0 { limits.max_buffer_size } else { memory_bytes },
        buffer_alignment: crate::segments::BUFFER_ALIGNMENT,
        parallel_cubes: 1,
        queues: 1,
        plane_dim,
        load_bits: chip.access_bits,
        ..DeviceProperties::default()
    }
}

/// Bytes of the device's memory; 0 if unknown.
pub(crate) fn memory_bytes(adapter: &wgpu::Adapter) -> u64 {
    #[cfg(all(feature = "spirv", not(target_arch = "wasm32")))]
    return crate::vulkan::memory_bytes(adapter);
    #[cfg(not(all(feature = "spirv", not(target_arch = "wasm32"))))]
    {
        let _ = adapter;
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_runtime::ErrorKind;

    #[test]
    fn the_environment_selects_the_adapter_and_the_planes() {
        let of = |adapter: &str, planes: &str| {
            let buffers = if planes.is_empty() { "addresses" } else { "" };
            let all = [("CUBE_WGPU_ADAPTER", adapter), ("CUBE_WGPU_PLANES", planes), ("CUBE_WGPU_BUFFERS", buffers)];
            Options::of(&Variables::of(all.map(|(name, value)| (name.into(), value.into()))))
        };
        let shared = of("cpu", "shared").unwrap();
        assert_eq!((shared.adapter, shared.shared_planes), (AdapterChoice::Cpu, true));
        assert!(!of("", "subgroups").unwrap().shared_planes && !of("", "").unwrap().shared_planes);
        assert!(of("", "").unwrap().addresses && !shared.addresses);
        let error = of("", "64").unwrap_err();
        assert!(
            error.kind == ErrorKind::User && error.message.contains("is '64'; set the variable to subgroups or shared"),
            "{error}"
        );
    }
}
