//! Compiles one kernel in two ways: with the compiler linked into this program, and with the child process
//! `cubec serve`.
use cube_artifact::{CompileOptions, Compiler, ElemType, Target};
use cube_driver::Driver;
use cube_runtime::{Arg, ChildCompiler, Device, Init, Scalar};
use cube_runtime_cpu::CpuDevice;
use std::error::Error;

const KERNEL: &[u8] = include_bytes!("../../../kernels/scale.mlir");

fn main() -> Result<(), Box<dyn Error>> {
    let (target, options) = (Target::cpu(), CompileOptions::default());
    let artifact = Driver.compile(KERNEL, &target, &options)?;
    // `CUBE_COMPILER` or `PATH` locates the child process. If the child crashes, this program receives an
    // error.
    let by_child = ChildCompiler::new(&cube_artifact::Variables::of_process()).compile(KERNEL, &target, &options)?;
    assert_eq!(artifact.to_bytes(), by_child.to_bytes(), "both are the same compiler");

    let device = CpuDevice::new(&cube_artifact::Variables::of_process())?;
    let input: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let (x, y) = (device.alloc(4000, Init::Any)?, device.alloc(4000, Init::Zero)?);
    device.write(&x, 0, &input.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())?;
    let args = [Arg::buffer(&x, ElemType::F32), Arg::buffer(&y, ElemType::F32), Scalar::F32(2.5).into()];
    device.launch(&artifact, &args, [1000u32.div_ceil(artifact.cube_dim[0]), 1, 1])?;

    let mut bytes = vec![0; 4000];
    device.read(&y, 0, &mut bytes)?;
    let output: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("four"))).collect();
    assert!(input.iter().zip(&output).all(|(x, y)| x * 2.5 == *y));
    println!("{}: {} bytes, the same from both; 2.5 * 999 = {}", artifact.kernel, artifact.code.len(), output[999]);
    Ok(())
}
