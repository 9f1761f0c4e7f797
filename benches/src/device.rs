//! Kernels and data on the CPU device.
use crate::Result;
use cube_artifact::{Artifact, CompileOptions, Compiler, ElemType, Target};
use cube_runtime::{Arg, Buffer, ChildCompiler, Device, Init, Kernel, Scalar};
use cube_runtime_cpu::CpuDevice;

/// A kernel of a file, compiled for this processor.
pub fn compiled(file: &str, kernel: Option<&str>) -> Result<Artifact> {
    let source = std::fs::read(file)?;
    let options = CompileOptions { kernel: kernel.map(str::to_string), ..CompileOptions::default() };
    Ok(ChildCompiler::new(&cube_artifact::Variables::of_process()).compile(&source, &Target::cpu(), &options)?)
}

/// The kernel, ready to launch.
pub fn load(device: &CpuDevice, file: &str, kernel: Option<&str>) -> Result<Kernel> {
    Ok(device.load(&compiled(file, kernel)?)?)
}

/// A device buffer that contains `values`.
pub fn upload(device: &CpuDevice, values: &[f32]) -> Result<Buffer> {
    upload_bytes(device, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
}

/// A device buffer that contains `bytes`.
pub fn upload_bytes(device: &CpuDevice, bytes: &[u8]) -> Result<Buffer> {
    let buffer = device.alloc(bytes.len() as u64, Init::Zero)?;
    device.write(&buffer, 0, bytes)?;
    Ok(buffer)
}

/// A buffer of `len` zeros with 32 bits each.
pub fn zeros(device: &CpuDevice, len: usize) -> Result<Buffer> {
    Ok(device.alloc(4 * len as u64, Init::Zero)?)
}

pub fn words(device: &CpuDevice, buffer: &Buffer) -> Result<Vec<u32>> {
    let mut bytes = vec![0; buffer.size() as usize];
    device.read(buffer, 0, &mut bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
}

/// The numbers of a buffer.
pub fn floats(device: &CpuDevice, buffer: &Buffer) -> Result<Vec<f32>> {
    Ok(words(device, buffer)?.into_iter().map(f32::from_bits).collect())
}

/// Buffers of f32 as arguments.
/// Launches a kernel and waits until it ends.
pub fn run_kernel(device: &CpuDevice, kernel: &Kernel, args: &[Arg], cubes: [u32; 3]) -> Result<()> {
    device.launch_kernel(kernel, args, cubes)?;
    Ok(device.sync()?)
}

pub fn arguments(buffers: &[&Buffer]) -> Vec<Arg> {
    buffers.iter().map(|buffer| Arg::buffer(buffer, ElemType::F32)).collect()
}

/// Buffers of f32 and a size as arguments.
pub fn sized(buffers: &[&Buffer], size: usize) -> Vec<Arg> {
    let mut all = arguments(buffers);
    all.push(Scalar::U32(size as u32).into());
    all
}

/// Numbers in [-0.5, 0.5), the same for all implementations.
pub fn input(len: usize) -> Vec<f32> {
    (0..len).map(|i| ((i * 7919 % 1000) as f32) * 0.001 - 0.5).collect()
}

/// Whether two results agree within the tolerance.
pub fn check(what: &str, ours: &[f32], theirs: &[f32], tolerance: f32) -> Result<()> {
    let far = |(a, b): (&f32, &f32)| a != b && ((a - b).abs() > tolerance * b.abs() || !a.is_finite());
    let wrong = ours.iter().zip(theirs).position(far);
    wrong.map_or(Ok(()), |i| Err(format!("{what}: element {i} is {}, the peer has {}", ours[i], theirs[i]).into()))
}
