//! Runs an artifact file: `embed-run-artifact scale.artifact`. The command
//! `cubec scale.mlir --target cpu:x86-64-v3 --emit artifact -o scale.artifact` writes this file.
use cube_runtime_cpu::{
    CpuDevice,
    cube_artifact::{Artifact, ElemType, Variables},
    cube_runtime::{Arg, Device, Init, Scalar},
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name an artifact file")?;
    let artifact = Artifact::from_bytes(&std::fs::read(path)?)?;
    let device = CpuDevice::new(&Variables::of_process())?;
    let (x, y) = (device.alloc(4 * 300, Init::Any)?, device.alloc(4 * 300, Init::Zero)?);
    device.write(&x, 0, &(0..300).flat_map(|i| (i as f32).to_le_bytes()).collect::<Vec<u8>>())?;
    let args = [Arg::buffer(&x, ElemType::F32), Arg::buffer(&y, ElemType::F32), Scalar::F32(-0.5).into()];
    device.launch(&artifact, &args, [300u32.div_ceil(artifact.cube_dim[0]), 1, 1])?;
    let mut bytes = vec![0; 4 * 300];
    device.read(&y, 0, &mut bytes)?;
    let output: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("four"))).collect();
    assert!(output.iter().enumerate().all(|(i, y)| *y == i as f32 * -0.5));
    println!("{} ran from its artifact; -0.5 * 299 = {}", artifact.kernel, output[299]);
    Ok(())
}
