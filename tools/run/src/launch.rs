//! Allocates memory on a device, launches the kernel, and reads the results.
use crate::failure::Failure;
use crate::report::Times;
use crate::values::Value;
use cube_artifact::Artifact;
use cube_runtime::hostdata::HostArray;
use cube_runtime::{Arg, Buffer, Clock, Device, Dims, Init, Kernel};
use std::time::{Duration, Instant};

/// The measurement of the best time ends after this number of launches or after the time [`REPEAT_FOR`], but
/// not before three launches.
const REPEATS: usize = 50;
const REPEAT_FOR: Duration = Duration::from_secs(1);

/// The time of the launches before the measurement.
const WARM_FOR: Duration = Duration::from_millis(200);

/// The same for a GPU, which raises its clock frequencies only under load. An idle H200 whose driver is used through Vulkan
/// does not reach its memory clock within 200 ms in each run.
const WARM_GPU_FOR: Duration = Duration::from_secs(1);

/// The results of a launch.
pub struct Launched {
    /// The contents of the buffers after the launch, by parameter number.
    pub buffers: Vec<Option<HostArray>>,
    /// The time of each step of the run.
    pub times: Times,
    /// The shortest time of several launches, the number of launches, and the clock; `None` if not requested.
    pub best: Option<(Duration, usize, Clock)>,
}

/// Runs the kernel once and reads its buffers. With `repeated`, the function then launches the kernel repeatedly to
/// measure the best time. The repeated launches use the buffers of the earlier launches.
///
/// # Errors
/// The errors of the device.
pub fn launch(
    device: &dyn Device,
    artifact: &Artifact,
    values: Vec<Value>,
    cube_count: [u32; 3],
    repeated: bool,
) -> Result<Launched, Failure> {
    let mut times = Times::default();
    let start = Instant::now();
    let kernel = device.load(artifact)?;
    times.add("load", start.elapsed(), "");
    let start = Instant::now();
    let mut arrays = Vec::new();
    let mut args = Vec::new();
    for value in values {
        let (arg, array) = upload(device, value)?;
        args.push(arg);
        arrays.push(array);
    }
    times.add("write", start.elapsed(), "buffers to the device");
    let start = Instant::now();
    device.launch_kernel(&kernel, &args, cube_count)?;
    device.sync()?;
    times.add("launch", start.elapsed(), "the first one");
    let start = Instant::now();
    let mut buffers = Vec::new();
    for array in arrays {
        buffers.push(array.map(|(buffer, array)| download(device, &buffer, array)).transpose()?);
    }
    times.add("read back", start.elapsed(), "");
    let best = if repeated { Some(repeat(device, &kernel, &args, cube_count)?) } else { None };
    Ok(Launched { buffers, times, best })
}

type Uploaded = (Arg, Option<(Buffer, HostArray)>);

fn upload(device: &dyn Device, value: Value) -> Result<Uploaded, Failure> {
    match value {
        Value::Scalar(scalar) => Ok((scalar.into(), None)),
        Value::Buffer(array) => {
            let buffer = device.alloc(array.bytes().len() as u64, Init::Any)?;
            device.write(&buffer, 0, array.bytes())?;
            let arg = Arg::buffer(&buffer, array.elem()).with_dims(Dims::contiguous(array.shape()));
            Ok((arg, Some((buffer, array))))
        }
    }
}

fn download(device: &dyn Device, buffer: &Buffer, mut array: HostArray) -> Result<HostArray, Failure> {
    device.read(buffer, 0, array.bytes_mut())?;
    Ok(array)
}

// Launches in batches that take 20 milliseconds or more, so that the device waits for the host only between batches.
fn warm_up(device: &dyn Device, kernel: &Kernel, args: &[Arg], cube_count: [u32; 3]) -> Result<(), Failure> {
    let (begin, mut batch) = (Instant::now(), 1);
    let warm_for = if device.properties().processors == 0 { WARM_GPU_FOR } else { WARM_FOR };
    while begin.elapsed() < warm_for {
        let start = Instant::now();
        for _ in 0..batch {
            device.launch_kernel(kernel, args, cube_count)?;
        }
        device.sync()?;
        if start.elapsed() < WARM_FOR / 10 {
            batch *= 2;
        }
    }
    Ok(())
}

fn repeat(
    device: &dyn Device,
    kernel: &Kernel,
    args: &[Arg],
    cube_count: [u32; 3],
) -> Result<(Duration, usize, Clock), Failure> {
    warm_up(device, kernel, args, cube_count)?;
    let begin = Instant::now();
    let (mut best, mut clock, mut done) = (Duration::MAX, Clock::Host, 0);
    while done < REPEATS && (done < 3 || begin.elapsed() <= REPEAT_FOR) {
        let (time, by) = device.measure(&mut || device.launch_kernel(kernel, args, cube_count))?;
        (best, clock) = (best.min(time), by);
        done += 1;
    }
    Ok((best, done, clock))
}
