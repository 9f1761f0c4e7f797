//! The backends that can run kernels.
use crate::failure::Failure;
use cube_artifact::CompileError;
use cube_runtime::cache::{CACHE_VARIABLE, CacheConfig};
use cube_runtime::{Device, RuntimeError};
use cube_runtime_cpu::CpuDevice;
use cube_runtime_cuda::CudaDevice;
use cube_runtime_hip::HipDevice;
use cube_runtime_wgpu::{Code, Options, WgpuDevice};

/// A device, and the target of the code that the device runs, as an argument of `--target`.
type Opened = (Box<dyn Device>, String);

type Open = fn() -> Result<Opened, RuntimeError>;

/// A backend: its name, the target of the code that it runs, and the function that opens its device.
struct Backend {
    name: &'static str,
    target: &'static str,
    open: Open,
}

/// The reference interpreter. The interpreter runs on the host and has the limits of the host.
pub const INTERPRETER: &str = "interp";

/// The name of the backend whose pipeline `--bisect` examines.
pub const BISECTED: &str = "cpu";

/// Opens the CPU device in a mode in which the tool survives the fault of a kernel.
fn cpu(target: &str) -> Result<Opened, RuntimeError> {
    Ok((Box::new(CpuDevice::new(&crate::variables())?.catch_faults()?), target.into()))
}

fn cuda() -> Result<Opened, RuntimeError> {
    Ok((Box::new(CudaDevice::new(&crate::variables())?), "nvptx".into()))
}

/// Opens a wgpu device. The target has the features of the chosen adapter.
fn wgpu(code: Code) -> Result<Opened, RuntimeError> {
    let variables = crate::variables();
    let cache = CacheConfig::from_variable(variables.get(CACHE_VARIABLE).unwrap_or_default());
    let cache = cache.map(|cache| cache.root(&variables));
    let options = Options { code, cache, ..Options::of(&variables)? };
    let device = WgpuDevice::open(&options)?;
    let target = device.target().to_string();
    Ok((Box::new(device), target))
}

/// Opens a HIP device. The target names the chip of the device, because a code object runs on one chip only.
fn hip() -> Result<Opened, RuntimeError> {
    let device = HipDevice::new(&crate::variables())?;
    let target = format!("amdgpu:{}", device.chip());
    Ok((Box::new(device), target))
}

const BACKENDS: &[Backend] = &[
    Backend { name: "cpu", target: "cpu", open: || cpu("cpu") },
    Backend { name: INTERPRETER, target: INTERPRETER, open: || cpu(INTERPRETER) },
    Backend { name: "cuda", target: "nvptx", open: cuda },
    Backend { name: "hip", target: "amdgpu", open: hip },
    Backend { name: "wgpu", target: "wgsl", open: || wgpu(Code::Wgsl) },
    Backend { name: "wgpu-spirv", target: "spirv", open: || wgpu(Code::Spirv) },
];

/// Opens the device of a backend. The function also returns the target of the code that the device runs.
///
/// # Errors
/// The backend is unknown, or this machine cannot run it.
pub fn open(name: &str) -> Result<(Box<dyn Device>, String), Failure> {
    let Some(backend) = BACKENDS.iter().find(|b| b.name == name) else { return Err(unknown(name)) };
    Ok((backend.open)()?)
}

fn unknown(name: &str) -> Failure {
    let known = || BACKENDS.iter().map(|b| b.name);
    // The name of a target selects the backend that runs code of the target.
    let of_target = BACKENDS.iter().find(|b| b.target == name).map(|b| b.name);
    let near = of_target.or_else(|| cube_artifact::suggestion(name, known()));
    let hint = near.map(|s| format!("; did you mean {s}?")).unwrap_or_default();
    let known: Vec<&str> = known().collect();
    CompileError::from(cube_artifact::diagnostic!(CUBE0610.unknown { name, known: known.join(", "), hint })).into()
}

/// The list of backends. A line of the list is `NAME present DETAIL` or `NAME absent REASON`. `interpreter` states
/// whether the tool has an interpreter.
pub fn list(interpreter: bool) -> String {
    let line = |backend: &Backend| match (backend.open)() {
        _ if backend.name == INTERPRETER && !interpreter => {
            format!("{INTERPRETER} absent this tool has no interpreter; use cube-run\n")
        }
        Ok(_) if backend.name == INTERPRETER => {
            format!(
                "{INTERPRETER} present the reference interpreter, one thread; finds races, uninitialised reads and undefined behaviour\n"
            )
        }
        Ok((device, target)) => {
            let properties = device.properties();
            let gib = properties.memory_bytes >> 30;
            let parallel = properties.parallel_cubes;
            match backend.name {
                "cpu" => format!(
                    "cpu present {parallel} threads, {gib} GiB of memory, vectors of {} bits, planes of {}\n",
                    properties.load_bits, properties.plane_dim[0]
                ),
                name @ ("wgpu" | "wgpu-spirv") => {
                    let [least, most] = properties.plane_dim;
                    let planes = if least == most { format!("{least}") } else { format!("{least} to {most}") };
                    format!("{name} present {}, {target}, {gib} GiB of memory, planes of {planes}\n", device.name())
                }
                name => format!("{name} present {}, {parallel} multiprocessors, {gib} GiB of memory\n", device.name()),
            }
        }
        Err(error) => format!("{} absent {}\n", backend.name, error.message),
    };
    BACKENDS.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_backend_has_a_line_with_its_state() {
        let list = list(true);
        assert_eq!(list.lines().count(), BACKENDS.len());
        assert!(list.starts_with("cpu present "), "{list}");
        assert!(list.contains("\ninterp present ") && super::list(false).contains("\ninterp absent "), "{list}");
        assert!(list.contains("\nhip absent there is no HIP ") || list.contains("\nhip present "), "{list}");
        // The machine determines whether a driver is present. The test accepts both states, but checks the
        // text of the state.
        let [wgpu, spirv] = ["wgpu", "wgpu-spirv"].map(|name| {
            let line = list.lines().find(|line| line.split(' ').next() == Some(name));
            line.expect("a line").to_string()
        });
        assert!(wgpu.starts_with("wgpu absent this machine has no adapter") || wgpu.contains(", wgsl:core"), "{wgpu}");
        assert!(spirv.starts_with("wgpu-spirv absent ") || spirv.contains(", spirv:vulkan1."), "{spirv}");
        assert!(list.contains("\ncuda absent there is no CUDA d") || list.contains("\ncuda present "), "{list}");
    }

    #[test]
    fn absent_and_unknown_backends_are_distinguished() {
        let message_of = |name: &str| open(name).err().map(|e| e.to_string()).unwrap();
        assert!(message_of("hip").contains("there is no HIP "));
        assert!(message_of("cpo").ends_with(
            "unknown backend cpo; choose one of cpu, interp, cuda, hip, wgpu, wgpu-spirv; did you mean cpu?"
        ));
        assert!(message_of("nvptx").ends_with("did you mean cuda?"));
        assert!(open("cpu").is_ok_and(|(device, target)| device.name() == "cpu" && target == "cpu"));
    }
}
