//! The rules of the trait `Device` as tests, which every runtime runs with its own kernel.
//!
//! The kernel multiplies a buffer of `f32` by a scalar, with one unit for each element; its parameters are
//! `x[f32]` and `a: f32`.
mod between;
mod repeats;

use cube_artifact::{Artifact, ElemType};
use cube_runtime::{
    Arg, Buffer, CommandList, Cubes, Device, ErrorKind, Graph, HostBytes, Init, Kernel, MemoryLimits, Queue, Reading,
    RuntimeError, Scalar,
};
use std::future::Future;
use std::task::{Context, Poll, Waker};

/// A device to test, another device that runs the same kernel, the kernel, and the number of random operations.
pub struct Subject<'a> {
    pub device: &'a dyn Device,
    pub other: &'a dyn Device,
    pub scale: Artifact,
    pub rounds: u64,
}

/// The name of a rule, and the test of the rule.
pub type Rule = (&'static str, fn(&Subject<'_>));

/// All rules.
pub const RULES: &[Rule] = &[
    ("random operations on several queues agree with a model", random_operations),
    ("a queue waits for the writers and readers of its buffers on other queues", order_by_buffer),
    ("memory of a dropped buffer is used again after its commands", reuse_across_queues),
    ("an event orders two queues, and the host can wait for it", events),
    ("a read as a future is not changed by later commands", futures),
    ("a copy on the device keeps the order, and refuses what does not fit", copies),
    ("a copy between devices keeps the order of both", between::keeps_order),
    ("copies between devices in both directions end", between::both_directions),
    ("a cube count in a buffer is that of its last write", indirect),
    ("a graph repeats its commands, with changed scalars", graphs),
    ("threads with separate buffers do not disturb each other", threads),
    ("used memory is zeroed where the caller asks for zeros", zeros),
    ("the use of memory is reported, and cleanup returns it", usage),
    ("limits of the pool hold", limits),
    ("out of memory is a typed error, and the next work succeeds", out_of_memory),
    ("a repeated launch has the facts of the earlier launch", repeats::refuses_other_facts),
    ("a refused launch changes nothing, and the next launch works", refused_launch),
    ("measured time comes with its clock", measured_time),
];

/// The random number generator SplitMix64 (Steele, Lea, Flood 2014).
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
        self.launch_on(Queue::DEFAULT, kernel, buffer, a)
    }

    fn launch_on(&self, queue: Queue, kernel: &Kernel, buffer: &Buffer, a: f32) -> Result<(), RuntimeError> {
        repeats::launch(self.device, queue, kernel, buffer, a, self.cubes(buffer))
    }

    fn cubes(&self, buffer: &Buffer) -> [u32; 3] {
        [(buffer.size() / 4).div_ceil(u64::from(self.scale.cube_dim[0])) as u32, 1, 1]
    }

    /// Whether all floats of a buffer equal `value`.
    fn holds(&self, buffer: &Buffer, value: f32) -> bool {
        let mut bytes = vec![0; buffer.size() as usize];
        self.device.read(buffer, 0, &mut bytes).unwrap();
        all(&bytes, value)
    }

    /// A buffer of `count` floats that equal `value`, written on the default queue.
    fn filled(&self, count: usize, value: f32) -> Buffer {
        let buffer = self.device.alloc(count as u64 * 4, Init::Any).unwrap();
        self.device.write(&buffer, 0, &same(value, count)).unwrap();
        buffer
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

/// A number of elements for which a launch takes longer than its submission.
const LONG: usize = 1 << 21;

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|b| f32::from_ne_bytes(*b)).collect()
}

fn bytes(values: &[f32]) -> HostBytes {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect::<Vec<u8>>().into()
}

/// The bytes of `count` floats that equal `value`.
fn same(value: f32, count: usize) -> HostBytes {
    value.to_ne_bytes().repeat(count).into()
}

/// Whether all floats in `bytes` equal `value`.
fn all(bytes: &[u8], value: f32) -> bool {
    bytes == value.to_ne_bytes().repeat(bytes.len() / 4)
}

fn order_by_buffer(subject: &Subject<'_>) {
    let kernel = subject.device.load(&subject.scale).unwrap();
    let (long, short) = (subject.filled(LONG, 1.0), subject.filled(64, 3.0));
    let mut expected = 1.0;
    for round in 0..24 {
        // Each launch doubles the value that the previous queue has written.
        let a = if round % 2 == 0 { 2.0 } else { -0.5 };
        subject.launch_on(Queue::new(round), &kernel, &long, a).unwrap();
        subject.launch_on(Queue::new(round + 3), &kernel, &short, 1.0).unwrap();
        expected *= a;
    }
    assert_eq!(subject.read(&short), [3.0; 64]);
    assert!(subject.holds(&long, expected));
    // A write waits for the read of another queue.
    let mut readings = Vec::new();
    for value in 0..8u32 {
        let queue = Queue::new(value);
        subject.device.write_async(queue, &long, 0, same(value as f32, LONG)).unwrap();
        readings.push(subject.device.read_async(Queue::new(value + 1), &long, 0, LONG as u64 * 4).unwrap());
    }
    for (value, reading) in readings.into_iter().enumerate() {
        assert!(all(&reading.wait().unwrap(), value as f32), "{value}");
    }
}

fn reuse_across_queues(subject: &Subject<'_>) {
    let kernel = subject.device.load(&subject.scale).unwrap();
    let kept = subject.filled(LONG, 1.0);
    for round in 0..16 {
        let queue = Queue::new(round);
        let temporary = subject.device.alloc_on(queue, LONG as u64 * 4, Init::Zero).unwrap();
        subject.launch_on(queue, &kernel, &temporary, 5.0).unwrap();
        subject.device.write_async(queue, &temporary, 0, same(round as f32, LONG)).unwrap();
        subject.launch_on(queue, &kernel, &temporary, 2.0).unwrap();
        subject.device.copy(queue, &temporary, &kept).unwrap();
        // The next round can receive the memory while this round still executes.
        drop(temporary);
    }
    assert!(subject.holds(&kept, 30.0));
    subject.device.sync().unwrap();
}

fn events(subject: &Subject<'_>) {
    let device = subject.device;
    let kernel = device.load(&subject.scale).unwrap();
    let long = subject.filled(LONG, 1.0);
    let (a, b) = (Queue::new(1), Queue::new(2));
    (0..8).for_each(|_| subject.launch_on(a, &kernel, &long, 2.0).unwrap());
    let event = device.record(a).unwrap();
    device.wait(b, &event).unwrap();
    let after = device.record(b).unwrap();
    after.wait().unwrap();
    assert!(event.is_complete() && after.is_complete(), "an event completes after the events that it waits for");
    event.clone().wait().unwrap();
    assert!(subject.holds(&long, 256.0));
    // An empty queue.
    device.record(Queue::new(5)).unwrap().wait().unwrap();
    device.flush(a).unwrap();
    [a, b, Queue::DEFAULT].iter().for_each(|queue| device.sync_queue(*queue).unwrap());
}

fn futures(subject: &Subject<'_>) {
    let device = subject.device;
    let kernel = device.load(&subject.scale).unwrap();
    let long = subject.filled(LONG, 1.5);
    subject.launch(&kernel, &long, 2.0).unwrap();
    let mut reading = device.read_async(Queue::DEFAULT, &long, 4, LONG as u64 * 4 - 4).unwrap();
    subject.launch(&kernel, &long, -1.0).unwrap();
    let mut context = Context::from_waker(Waker::noop());
    let bytes = loop {
        match std::pin::Pin::new(&mut reading).poll(&mut context) {
            Poll::Ready(bytes) => break bytes.unwrap(),
            Poll::Pending => std::thread::yield_now(),
        }
    };
    assert_eq!(bytes.len(), LONG * 4 - 4);
    assert!(all(&bytes, 3.0));
    assert!(subject.holds(&long, -3.0));
    let error = device.read_async(Queue::DEFAULT, &long, 8, LONG as u64 * 4).err().expect("beyond the buffer");
    assert_eq!(error.kind, ErrorKind::User, "{error}");
    assert_eq!(device.read_async(Queue::DEFAULT, &long, 0, 0).unwrap().wait().unwrap().len(), 0);
    // Memory of the device for copies.
    let mut staged = device.host_alloc(256).unwrap();
    staged.copy_from_slice(&[7; 256]);
    let small = device.alloc(300, Init::Zero).unwrap();
    device.write_async(Queue::DEFAULT, &small, 40, staged).unwrap();
    let bytes = device.read_async(Queue::new(1), &small, 0, 300).unwrap().wait().unwrap();
    assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == if (40..296).contains(&at) { 7 } else { 0 }));
}

fn copies(subject: &Subject<'_>) {
    let device = subject.device;
    let kernel = device.load(&subject.scale).unwrap();
    let (from, to) = (subject.filled(LONG, 1.0), subject.filled(LONG, 0.0));
    subject.launch(&kernel, &from, 4.0).unwrap();
    device.copy(Queue::new(1), &from, &to).unwrap();
    subject.launch(&kernel, &from, 4.0).unwrap();
    assert!(subject.holds(&to, 4.0));
    assert!(subject.holds(&from, 16.0));
    // Two parts of one buffer.
    let [left, right] = [0..256u64, 256..512].map(|range| to.slice(range).unwrap());
    subject.write(&left, 0, &[9.0; 64]);
    device.copy(Queue::DEFAULT, &left, &right).unwrap();
    assert_eq!(subject.read(&right), [9.0; 64]);
    for (one, other) in [(&left, &to), (&to.slice(0..256).unwrap(), &to.slice(128..384).unwrap())] {
        assert_eq!(device.copy(Queue::DEFAULT, one, other).unwrap_err().kind, ErrorKind::User);
    }
}

fn indirect(subject: &Subject<'_>) {
    let device = subject.device;
    let kernel = device.load(&subject.scale).unwrap();
    let units = subject.scale.cube_dim[0] as usize;
    let data = subject.filled(4 * units, 1.0);
    let count = device.alloc(16, Init::Zero).unwrap();
    let args = [Arg::buffer(&data, ElemType::F32), Scalar::F32(3.0).into()];
    // The counter of the launch begins at byte 4 of its allocation.
    let cubes = count.slice(4..16).unwrap();
    for (queue, number) in [(1, 3u32), (2, 0), (3, 2)] {
        let words: Vec<u8> = [number, 1, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
        device.write_async(Queue::new(queue), &cubes, 0, words.into()).unwrap();
        device.launch_on(Queue::new(queue + 1), &kernel, &args, Cubes::Of(&cubes)).unwrap();
    }
    let expected = |at: usize| [9.0, 9.0, 3.0, 1.0][at / units];
    assert!(subject.read(&data).iter().enumerate().all(|(at, v)| *v == expected(at)));
    let short = device.alloc(8, Init::Zero).unwrap();
    let error = device.launch_on(Queue::DEFAULT, &kernel, &args, Cubes::Of(&short)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::User, "{error}");
    device.sync().unwrap();
}

fn graphs(subject: &Subject<'_>) {
    let device = subject.device;
    let kernel = device.load(&subject.scale).unwrap();
    let (data, kept) = (subject.filled(1000, 1.0), subject.filled(1000, 0.0));
    let mut list = CommandList::new();
    let args = |a: f32| [Arg::buffer(&data, ElemType::F32), Scalar::F32(a).into()];
    let first = list.launch(&kernel, &args(2.0), subject.cubes(&data));
    let copy = list.copy(&data, &kept);
    list.launch(&kernel, &args(-1.0), subject.cubes(&data));
    let mut graph = Graph::new(list);
    for queue in 0..3 {
        device.replay(Queue::new(queue), &graph).unwrap();
    }
    assert_eq!((subject.read(&data)[999], subject.read(&kept)[999]), (-8.0, 8.0));
    graph.set_scalar(first, 1, Scalar::F32(0.25)).unwrap();
    device.replay(Queue::DEFAULT, &graph).unwrap();
    assert_eq!((subject.read(&data)[0], subject.read(&kept)[0]), (2.0, -2.0));
    for (position, argument, value) in
        [(copy, 1, Scalar::F32(1.0)), (first, 0, Scalar::F32(1.0)), (first, 1, Scalar::U32(1))]
    {
        assert_eq!(graph.set_scalar(position, argument, value).unwrap_err().kind, ErrorKind::User);
    }
    device.sync().unwrap();
}

fn random_operations(subject: &Subject<'_>) {
    operations(subject, 0x5eed, subject.rounds);
}

/// Runs random allocations, writes, launches, reads and drops, and compares each buffer with its expected
/// contents.
fn operations(subject: &Subject<'_>, seed: u64, rounds: u64) {
    let (mut random, device) = (Random(seed), subject.device);
    let kernel = device.load(&subject.scale).unwrap();
    let mut live: Vec<(Buffer, Vec<f32>)> = Vec::new();
    let mut readings: Vec<(Reading, Vec<f32>)> = Vec::new();
    let mut queue = Queue::DEFAULT;
    for round in 0..rounds {
        if random.below(8) == 0 {
            queue = Queue::new(random.below(5) as u32);
        }
        let which = random.below(live.len().max(1) as u64) as usize;
        match random.below(16) {
            0..3 => {
                let most = if random.below(40) == 0 { 600_000 } else { 3000 };
                let length = 1 + random.below(most) as usize;
                let init = if random.below(2) == 0 { Init::Zero } else { Init::Any };
                let buffer = device.alloc_on(queue, length as u64 * 4, init).unwrap();
                let mut values = vec![0.0; length];
                if init == Init::Any {
                    values.fill_with(|| random.value());
                    device.write_on(queue, &buffer, 0, &bytes(&values)).unwrap();
                }
                live.push((buffer, values));
            }
            _ if live.is_empty() => {}
            3 | 4 => {
                let (buffer, values) = &mut live[which];
                let start = random.below(values.len() as u64) as usize;
                let end = start + random.below((values.len() - start) as u64 + 1) as usize;
                values[start..end].fill_with(|| random.value());
                let (at, data) = (start as u64 * 4, bytes(&values[start..end]));
                match random.below(2) {
                    0 => device.write_on(queue, buffer, at, &data).unwrap(),
                    _ => device.write_async(queue, buffer, at, data).unwrap(),
                }
            }
            5..9 => {
                let (buffer, values) = &mut live[which];
                let start = random.below(values.len() as u64 / 64 + 1) as usize * 64;
                let a = [-1.0, 0.5, 2.0][random.below(3) as usize];
                let part = buffer.slice(start as u64 * 4..buffer.size()).unwrap();
                subject.launch_on(queue, &kernel, &part, a).unwrap();
                values[start..].iter_mut().for_each(|v| *v *= a);
            }
            9 => {
                let (buffer, values) = &live[which];
                let mut out = vec![0; values.len() * 4];
                device.read_on(queue, buffer, 0, &mut out).unwrap();
                assert!(floats(&out) == *values, "seed {seed:#x}, round {round}: other contents");
            }
            10 if random.below(100) == 0 => device.memory_cleanup(),
            11 => {
                let (buffer, values) = &live[which];
                let reading = device.read_async(queue, buffer, 0, buffer.size()).unwrap();
                readings.push((reading, values.clone()));
            }
            12 => {
                let other = random.below(live.len() as u64) as usize;
                let elements = live[which].1.len().min(live[other].1.len());
                if which != other {
                    let part = |index: usize| live[index].0.slice(0..elements as u64 * 4).unwrap();
                    device.copy(queue, &part(which), &part(other)).unwrap();
                    let copied = live[which].1[..elements].to_vec();
                    live[other].1[..elements].copy_from_slice(&copied);
                }
            }
            13 if !readings.is_empty() => {
                let (reading, values) = readings.swap_remove(random.below(readings.len() as u64) as usize);
                let out = reading.wait().unwrap();
                assert!(floats(&out) == values, "seed {seed:#x}, round {round}: other contents of a future");
            }
            14 if random.below(4) == 0 => device.sync_queue(queue).unwrap(),
            // The last launch can still run.
            _ => drop(live.swap_remove(which)),
        }
    }
    for (reading, values) in readings {
        assert!(floats(&reading.wait().unwrap()) == values, "seed {seed:#x}: other contents of a future at the end");
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

fn limits(subject: &Subject<'_>) {
    let device = subject.device;
    device.memory_cleanup();
    let all = device.properties().memory_bytes;
    if let Err(error) = device.limit_memory(MemoryLimits::default()) {
        // A pool with fixed limits reports them as an error of the user.
        assert_eq!(error.kind, ErrorKind::User, "{error}");
        return;
    }
    let limits = |limit, keep| device.limit_memory(MemoryLimits { limit: Some(limit), keep: Some(keep) }).unwrap();
    limits(64 << 20, 16 << 20);
    let error = device.alloc(65 << 20, Init::Any).unwrap_err();
    assert!(error.memory.is_some() && error.message.contains("exceed the limit of 67108864 bytes"), "{error}");
    drop([12, 14, 16].map(|mib| device.alloc(mib << 20, Init::Any).unwrap()));
    // The next allocation finds at most the kept memory.
    let small = device.alloc(4096, Init::Any).unwrap();
    let reserved = device.memory_usage().reserved;
    assert!(reserved <= 20 << 20, "{reserved} bytes are reserved");
    drop(small);
    limits(all, all / 8);
    drop(device.alloc(65 << 20, Init::Any).unwrap());
    device.memory_cleanup();
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
    // The released memory satisfies a larger request: the pool returns its free segments.
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
    // The best of three measurements, because a busy machine can delay any single launch.
    let (one, clock) = (0..3).map(|_| launches(1)).min_by_key(|(time, _)| *time).unwrap();
    let (forty, same) = launches(40);
    assert_eq!(clock, same);
    assert!(!one.is_zero() && forty > one, "{one:?} {forty:?} by the clock of the {clock:?}");
    let failed = device.measure(&mut || Err(RuntimeError::user("refused by the work")));
    assert_eq!(failed.unwrap_err().message, "refused by the work");
    launches(1);
}
