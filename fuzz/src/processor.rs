//! Random kernels on a device: compares the results of compiled code with the interpreter's results.
use crate::judge::other_zero;
use crate::kernels::Kernel;
use crate::validate::{arguments, execute_with};
use cube_artifact::{Artifact, CompileOptions, Compiler, ElemType, ParamKind, Target};
use cube_backend_interp::{Arg, Program, Schedule};
use cube_driver::{Driver, stages};
use cube_runtime::hostdata::{HostArray, compare};
use cube_runtime::{Device, Dims, Init, Scalar};
use cube_runtime_cpu::CpuDevice;
use cube_runtime_cuda::CudaDevice;
use std::ops::ControlFlow;

/// Number of lanes in a plane of an NVIDIA GPU.
const NVIDIA_PLANE: u32 = 32;

/// Compiles and runs the kernel on the CPU and compares it with the interpreter at level source.
///
/// # Errors
/// The kernel does not compile or run, or a result differs.
pub fn on_cpu(kernel: &Kernel) -> Result<(), String> {
    // On the CPU, a kernel can choose its plane size.
    let chosen = format!(") attributes {{cube.plane_dim = {} : i32}} {{", kernel.plane_dim);
    let Some((head, body)) = kernel.text.split_once("cube.kernel @k").filter(|_| kernel.plane_dim >= 8) else {
        return on(kernel, &CpuDevice::with_threads(1), &Target::cpu());
    };
    let body = body.replacen(") {", &chosen, 1);
    let kernel = Kernel { text: format!("{head}cube.kernel @k{body}"), ..kernel.clone() };
    on(&kernel, &CpuDevice::with_threads(1), &Target::cpu())
}

/// Compiles and runs the kernel on an NVIDIA GPU, and compares it with the interpreter at level source.
///
/// # Errors
/// Fails like [`on_cpu`].
pub fn on_cuda(kernel: &Kernel, device: &CudaDevice) -> Result<(), String> {
    on(kernel, device, &Target { backend: "nvptx".into(), chip: Some(device.chip()) })
}

fn on(kernel: &Kernel, device: &dyn Device, target: &Target) -> Result<(), String> {
    let with_kernel = |why: String| format!("{why}\n{}", kernel.text);
    let artifact = Driver
        .compile(kernel.text.as_bytes(), target, &CompileOptions::default())
        .map_err(|e| with_kernel(e.to_string()))?;
    // The plane size is the plane size of the device.
    let plane_dim = artifact.plane_dim.unwrap_or(NVIDIA_PLANE);
    let expected = interpreted(kernel, plane_dim).map_err(with_kernel)?;
    let actual = launched(kernel, &artifact, device).map_err(with_kernel)?;
    for (param, (expected, actual)) in artifact.params.iter().zip(expected.iter().zip(&actual)) {
        let ParamKind::Buffer { elem, .. } = param.kind else { continue };
        let (actual, expected) = (array(elem, actual)?, array(elem, expected)?);
        let report = compare(&actual, &expected, 0).map_err(|e| e.to_string())?;
        let zero = other_zero(&actual, &expected);
        if !report.passes() || zero.is_some() {
            let at = if report.passes() { zero } else { report.worst }.unwrap_or(0);
            let show = |array: &HostArray| array.show(at).unwrap_or_default();
            return Err(with_kernel(format!(
                "{}: {} of {} elements differ, at {at}: {} instead of {}",
                param.name,
                report.count,
                report.total,
                show(&actual),
                show(&expected)
            )));
        }
    }
    Ok(())
}

fn array(elem: ElemType, bytes: &[u8]) -> Result<HostArray, String> {
    HostArray::new(elem, vec![(bytes.len() / elem.size()) as u64], bytes.to_vec()).map_err(|e| e.to_string())
}

fn interpreted(kernel: &Kernel, plane_dim: u32) -> Result<Vec<Vec<u8>>, String> {
    let mut result = Err("nothing was parsed".to_string());
    let request = CompileOptions::default();
    let visited = stages(kernel.text.as_bytes(), &Target::cpu(), &request, &mut |stage| {
        if let Some(source) = stage.kernel() {
            let program = Program::decode(source, &[]).map_err(|d| d.message);
            result = program.and_then(|p| execute_with(&p, kernel, Schedule::InOrder, plane_dim));
        }
        ControlFlow::Break(())
    });
    visited.map_err(|e| e.to_string())?;
    Ok(result?.iter().filter_map(|arg| arg.bytes().map(<[u8]>::to_vec)).collect())
}

fn launched(kernel: &Kernel, artifact: &Artifact, device: &dyn Device) -> Result<Vec<Vec<u8>>, String> {
    let text = |e: cube_runtime::RuntimeError| e.to_string();
    let loaded = device.load(artifact).map_err(text)?;
    let mut buffers = Vec::new();
    let mut args = Vec::new();
    for (param, arg) in artifact.params.iter().zip(arguments(kernel)) {
        match (&param.kind, arg) {
            (ParamKind::Buffer { elem, .. }, Arg::Buffer { bytes, .. }) => {
                let buffer = device.alloc(bytes.len() as u64, Init::Any).map_err(text)?;
                device.write(&buffer, 0, &bytes).map_err(text)?;
                args.push(cube_runtime::Arg::buffer(&buffer, *elem));
                buffers.push((buffer, bytes.len()));
            }
            (ParamKind::Buffer { elem, .. }, Arg::Tensor { bytes, shape, strides, .. }) => {
                let buffer = device.alloc(bytes.len() as u64, Init::Any).map_err(text)?;
                device.write(&buffer, 0, &bytes).map_err(text)?;
                args.push(cube_runtime::Arg::buffer(&buffer, *elem).with_dims(Dims::tensor(&shape, &strides)));
                buffers.push((buffer, bytes.len()));
            }
            (ParamKind::Scalar { elem: ElemType::I32 }, Arg::Scalar(value)) => {
                args.push(Scalar::I32(value as i32).into())
            }
            (_, _) => args.push(Scalar::U32(0).into()),
        }
    }
    device.launch_kernel(&loaded, &args, [kernel.cubes, 1, 1]).map_err(text)?;
    let read = |(buffer, len): &(cube_runtime::Buffer, usize)| {
        let mut bytes = vec![0; *len];
        device.read(buffer, 0, &mut bytes).map_err(text).map(|()| bytes)
    };
    buffers.iter().map(read).collect()
}
