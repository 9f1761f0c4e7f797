//! Work that uses each part of a GPU device. The tests of a driver make a call of this work fail.
use cube_artifact::{Artifact, ElemType};
use cube_runtime::{Arg, CommandList, Cubes, Device, Graph, Init, Queue, RuntimeError, Scalar};
use cube_runtime_gpu::GpuDevice;
use cube_runtime_gpu::driver::Driver;

/// Uses each part of the device once. The kernel in `multiply` multiplies a buffer by a number. Every element of the
/// result is 12.
pub fn scenario<D: Driver>(device: &GpuDevice<D>, multiply: &Artifact) -> Result<Vec<f32>, RuntimeError> {
    let kernel = device.load(multiply)?;
    let (a, b) = (Queue::DEFAULT, Queue::new(1));
    let [x, y] = [device.alloc(4096, Init::Zero)?, device.alloc_on(b, 4096, Init::Any)?];
    let large = device.alloc(4 << 20, Init::Any)?;
    device.write(&large, 0, &vec![0; 4 << 20])?;
    device.write(&x, 0, &1.0f32.to_ne_bytes().repeat(1024))?;
    let args = |buffer, factor| [Arg::buffer(buffer, ElemType::F32), Scalar::F32(factor).into()];
    device.launch_on(b, &kernel, &args(&x, 2.0), Cubes::Count([16, 1, 1]))?;
    device.copy(a, &x, &y)?;
    let event = device.record(a)?;
    event.is_complete();
    device.wait(b, &event)?;
    event.wait()?;
    let mut list = CommandList::new();
    list.launch(&kernel, &args(&y, 3.0), [16, 1, 1]);
    list.copy(&y, &x);
    device.replay(b, &Graph::new(list))?;
    device.measure_on(a, &mut || device.launch_kernel(&kernel, &args(&y, 2.0), [16, 1, 1]))?;
    let staged = device.host_alloc(64)?;
    device.write_async(a, &x, 0, staged)?;
    let reading = device.read_async(b, &y, 0, 4096)?;
    let mut out = vec![0; 4096];
    device.read_on(a, &y, 0, &mut out)?;
    let later = reading.wait()?;
    assert!(later[..] == out[..], "both reads see the same bytes");
    // Another device multiplies a copy of the result by 1, and its result comes back.
    let peer = GpuDevice::<D>::at(1, &cube_artifact::Variables::of_process())?;
    assert_eq!(peer.ordinal(), 1);
    let far = peer.alloc(4096, Init::Any)?;
    peer.copy_from(a, &far, device, b, &y)?;
    peer.launch(multiply, &args(&far, 1.0), [16, 1, 1])?;
    device.copy_from(b, &x, &peer, a, &far)?;
    device.read_on(a, &x, 0, &mut out)?;
    assert!(later[..] == out[..], "the copies keep the bytes");
    // The error states the memory of the device.
    let most = device.properties().memory_bytes - (1 << 20);
    assert!(device.alloc(most, Init::Any).is_err(), "more memory than there is");
    device.sync_queue(b)?;
    device.sync()?;
    drop([x, y, large]);
    drop(later);
    device.memory_cleanup();
    Ok(out.as_chunks().0.iter().map(|b| f32::from_ne_bytes(*b)).collect())
}
