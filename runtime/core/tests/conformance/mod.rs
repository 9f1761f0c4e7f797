//! The rules of the trait `Device`, as tests that every runtime runs with its own kernel.
//!
//! The kernel multiplies a buffer of `f32` by a scalar: parameters `x[f32]`, `a: f32`; one unit per element.
use cube_artifact::{Artifact, ElemType};
use cube_runtime::{Arg, Buffer, Device, ErrorKind, Init, Kernel, RuntimeError, Scalar};

/// A device under test, its kernel, and the number of random operations.
pub struct Subject<'a> {
    pub device: &'a dyn Device,
    pub scale: Artifact,
    pub rounds: u64,
}

/// A rule with its name.
pub type Rule = (&'static str, fn(&Subject<'_>));

/// All rules.
pub const RULES: &[Rule] = &[
    ("random operations agree with a model", random_operations),
    ("threads with buffers of their own do not disturb each other", threads),
    ("used memory is zeroed where the caller asks for zeros", zeros),
    ("the use of memory is reported, and cleanup returns it", usage),
    ("out of memory is a typed error, and the next work succeeds", out_of_memory),
    ("a refused launch changes nothing, and the next launch works", refused_launch),
    ("measured time comes with its clock", measured_time),
];

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    fn value(&mut self) -> f32 {
        self.below(2001) as f32 - 1000.0
    }
}

impl Subject<'_> {
    fn launch(&self, kernel: &Kernel, buffer: &Buffer, a: f32) -> Result<(), RuntimeError> {
        let cubes = (buffer.size() / 4).div_ceil(u64::from(self.scale.cube_dim[0])) as u32;
        self.device.launch_kernel(kernel, &[Arg::buffer(buffer, ElemType::F32), Scalar::F32(a).into()], [cubes, 1, 1])
    }

    fn write(&self, buffer: &Buffer, at: usize, values: &[f32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
        self.device.write(buffer, at as u64 * 4, &bytes).unwrap();
    }

    fn read(&self, buffer: &Buffer) -> Vec<f32> {
        let mut bytes = vec![0; buffer.size() as usize];
        self.device.read(buffer, 0, &mut bytes).unwrap();
        bytes.as_chunks().0.iter().map(|b| f32::from_ne_bytes(*b)).collect()
    }
}

fn random_operations(subject: &Subject<'_>) {
    operations(subject, 0x5eed, subject.rounds);
}

/// Random allocations, writes, launches, reads and drops; each buffer has its expected contents beside it.
fn operations(subject: &Subject<'_>, seed: u64, rounds: u64) {
    let (mut random, device) = (Random(seed), subject.device);
    let kernel = device.load(&subject.scale).unwrap();
    let mut live: Vec<(Buffer, Vec<f32>)> = Vec::new();
    for round in 0..rounds {
        let which = random.below(live.len().max(1) as u64) as usize;
        match random.below(12) {
            0..3 => {
                let most = if random.below(40) == 0 { 600_000 } else { 3000 };
                let length = 1 + random.below(most) as usize;
                let init = if random.below(2) == 0 { Init::Zero } else { Init::Any };
                let buffer = device.alloc(length as u64 * 4, init).unwrap();
                let mut values = vec![0.0; length];
                if init == Init::Any {
                    values.fill_with(|| random.value());
                    subject.write(&buffer, 0, &values);
                }
                live.push((buffer, values));
            }
            _ if live.is_empty() => {}
            3 | 4 => {
                let (buffer, values) = &mut live[which];
                let start = random.below(values.len() as u64) as usize;
                let end = start + random.below((values.len() - start) as u64 + 1) as usize;
                values[start..end].fill_with(|| random.value());
                subject.write(buffer, start, &values[start..end]);
            }
            5..9 => {
                let (buffer, values) = &mut live[which];
                let start = random.below(values.len() as u64 / 64 + 1) as usize * 64;
                let a = [-1.0, 0.5, 2.0][random.below(3) as usize];
                let part = buffer.slice(start as u64 * 4..buffer.size()).unwrap();
                subject.launch(&kernel, &part, a).unwrap();
                values[start..].iter_mut().for_each(|v| *v *= a);
            }
            9 => {
                let (buffer, values) = &live[which];
                assert!(subject.read(buffer) == *values, "seed {seed:#x}, round {round}: other contents");
            }
            10 if random.below(100) == 0 => device.memory_cleanup(),
            // The last launch can still run.
            _ => drop(live.swap_remove(which)),
        }
    }
    for (buffer, values) in &live {
        assert!(subject.read(buffer) == *values, "seed {seed:#x}: other contents at the end");
    }
    device.sync().unwrap();
}

fn threads(subject: &Subject<'_>) {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || operations(subject, 0xface + thread, subject.rounds / 8));
        }
    });
}

fn zeros(subject: &Subject<'_>) {
    let device = subject.device;
    for bytes in [4, 252, 4096, 300 << 10, 1 << 20, 9 << 20] {
        let length = bytes as usize / 4;
        for _ in 0..2 {
            let buffer = device.alloc(bytes, Init::Zero).unwrap();
            assert!(subject.read(&buffer).iter().all(|v| v.to_bits() == 0), "{bytes}");
            subject.write(&buffer, 0, &vec![1.5; length]);
        }
    }
}

fn usage(subject: &Subject<'_>) {
    let device = subject.device;
    device.memory_cleanup();
    let before = device.memory_usage();
    let buffers = [1000, 1 << 20, 20 << 20].map(|bytes| device.alloc(bytes, Init::Any).unwrap());
    let with = device.memory_usage();
    let requested = buffers.iter().map(Buffer::size).sum::<u64>();
    assert_eq!((with.allocations - before.allocations, with.used - before.used), (3, requested));
    assert!(with.reserved >= with.used + with.padding, "{with}");
    let clone = buffers[2].clone();
    drop(buffers);
    assert_eq!(device.memory_usage().used - before.used, 20 << 20, "a clone keeps its memory");
    drop(clone);
    device.memory_cleanup();
    assert_eq!(device.memory_usage(), before);
}

fn out_of_memory(subject: &Subject<'_>) {
    let device = subject.device;
    let all = device.properties().memory_bytes;
    let error = device.alloc(u64::MAX, Init::Any).unwrap_err();
    assert_eq!(error.kind, ErrorKind::DeviceLimit, "{error}");
    // Buffers of an eighth of the memory, never touched, until the device refuses one.
    let mut held = Vec::new();
    let error = loop {
        match device.alloc(all / 8, Init::Any) {
            Ok(buffer) => held.push(buffer),
            Err(error) => break error,
        }
        assert!(held.len() <= 8, "more memory than there is");
    };
    let memory = error.memory.as_deref().expect("the use of the memory");
    assert_eq!((error.kind, memory.allocations), (ErrorKind::DeviceLimit, held.len() as u64), "{error}");
    assert!(error.message.contains(&memory.to_string()), "{error}");
    // The released memory satisfies a larger request: the pool returns what it keeps.
    if held.len() >= 3 {
        held.truncate(held.len() - 3);
        drop(device.alloc(all / 4, Init::Any).unwrap());
    }
    drop(held);
    operations(subject, 0xf00d, subject.rounds / 20);
    device.memory_cleanup();
}

fn refused_launch(subject: &Subject<'_>) {
    let device = subject.device;
    let kernel = device.load(&subject.scale).unwrap();
    let buffer = device.alloc(256, Init::Zero).unwrap();
    subject.write(&buffer, 0, &[3.0; 64]);
    let error = device.launch_kernel(&kernel, &[Arg::buffer(&buffer, ElemType::F32)], [1, 1, 1]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::User, "{error}");
    let wrong = [Arg::buffer(&buffer, ElemType::U32), Scalar::F32(2.0).into()];
    assert_eq!(device.launch_kernel(&kernel, &wrong, [1, 1, 1]).unwrap_err().kind, ErrorKind::User);
    assert_eq!(subject.read(&buffer), [3.0; 64]);
    subject.launch(&kernel, &buffer, 2.0).unwrap();
    assert_eq!(subject.read(&buffer), [6.0; 64]);
}

fn measured_time(subject: &Subject<'_>) {
    let device = subject.device;
    let kernel = device.load(&subject.scale).unwrap();
    let buffer = device.alloc(16 << 20, Init::Zero).unwrap();
    let launches = |count: usize| {
        device.measure(&mut || (0..count).try_for_each(|_| subject.launch(&kernel, &buffer, 1.0))).unwrap()
    };
    launches(3);
    // The best of three, because a busy machine delays any one launch.
    let (one, clock) = (0..3).map(|_| launches(1)).min_by_key(|(time, _)| *time).unwrap();
    let (forty, same) = launches(40);
    assert_eq!(clock, same);
    assert!(!one.is_zero() && forty > one, "{one:?} {forty:?} by the clock of the {clock:?}");
    let failed = device.measure(&mut || Err(RuntimeError::user("refused by the work")));
    assert_eq!(failed.unwrap_err().message, "refused by the work");
    launches(1);
}
