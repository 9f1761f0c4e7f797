//! Launches that repeat earlier ones. All launches of the other rules are such launches, if the device repeats launches.
use super::{Subject, all};
use cube_artifact::ElemType;
use cube_runtime::launch::Repeat;
use cube_runtime::{Arg, Buffer, Cubes, Device, Init, Kernel, Queue, RuntimeError, Scalar};
use std::cell::RefCell;
use std::collections::HashMap;

/// The earlier launches of a thread, by kernel and by the range of the buffer in its allocation.
type Earlier = HashMap<(u64, u64, u64), Repeat>;

thread_local!(static EARLIER: RefCell<Earlier> = RefCell::default());

fn args(buffer: &Buffer, a: f32) -> [Arg; 2] {
    [Arg::buffer(buffer, ElemType::F32), Scalar::F32(a).into()]
}

/// Launches the kernel, and repeats an earlier launch of this thread if possible.
pub fn launch(
    device: &dyn Device,
    queue: Queue,
    kernel: &Kernel,
    buffer: &Buffer,
    a: f32,
    cubes: [u32; 3],
) -> Result<(), RuntimeError> {
    let key = (kernel.id(), buffer.offset(), buffer.end());
    let slot = Scalar::F32(a).slot();
    let repeat = |earlier: &Earlier| match earlier.get(&key) {
        Some(repeat) => device.repeat(queue, kernel, repeat, &[buffer], &[slot]),
        None => Ok(false),
    };
    if EARLIER.with_borrow(repeat)? {
        return Ok(());
    }
    let args = args(buffer, a);
    device.launch_on(queue, kernel, &args, Cubes::Count(cubes))?;
    if device.repeats() {
        let repeat = Repeat::of(kernel, &args, cubes, device.properties())?;
        EARLIER.with_borrow_mut(|earlier| earlier.insert(key, repeat));
    }
    Ok(())
}

pub fn refuses_other_facts(subject: &Subject<'_>) {
    let device = subject.device;
    if !device.repeats() {
        return;
    }
    let kernel = device.load(&subject.scale).unwrap();
    let (first, second, small) = (subject.filled(64, 2.0), subject.filled(64, 3.0), subject.filled(16, 5.0));
    let repeat = Repeat::of(&kernel, &args(&first, 2.0), subject.cubes(&first), device.properties()).unwrap();
    let launch = |kernel: &Kernel, buffers: &[&Buffer], scalars: &[f32]| {
        let slots: Vec<u64> = scalars.iter().map(|a| Scalar::F32(*a).slot()).collect();
        device.repeat(Queue::DEFAULT, kernel, &repeat, buffers, &slots).unwrap()
    };
    assert!(launch(&kernel, &[&first], &[2.0]) && launch(&kernel, &[&second], &[-1.0]));
    assert!(subject.holds(&first, 4.0) && subject.holds(&second, -3.0));
    // Memory whose clearing is pending is cleared before a repeated launch.
    let zeros = device.alloc(256, Init::Zero).unwrap();
    assert!(launch(&kernel, &[&zeros], &[2.0]) && subject.holds(&zeros, 0.0));
    let far = subject.other.alloc(256, Init::Any).unwrap();
    subject.other.write(&far, 0, &super::same(7.0, 64)).unwrap();
    let far_kernel = subject.other.load(&subject.scale).unwrap();
    assert!(!launch(&kernel, &[&small], &[2.0]), "the allocation is smaller");
    assert!(!launch(&kernel, &[&far], &[2.0]), "the buffer belongs to another device");
    assert!(!launch(&far_kernel, &[&first], &[2.0]), "another kernel");
    assert!(!launch(&kernel, &[&first, &second], &[2.0]) && !launch(&kernel, &[], &[2.0]), "the number of buffers");
    assert!(!launch(&kernel, &[&first], &[]) && !launch(&kernel, &[&first], &[1.0, 2.0]), "the number of scalars");
    assert!(subject.holds(&first, 4.0) && subject.holds(&small, 5.0));
    let mut bytes = vec![0; 256];
    subject.other.read(&far, 0, &mut bytes).unwrap();
    assert!(all(&bytes, 7.0));
}
