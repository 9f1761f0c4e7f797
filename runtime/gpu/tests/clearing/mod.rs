//! Tests of buffers that must be zero, and that the device clears before their first command.
use crate::{artifact, device, fake};
use cube_artifact::prints::{PrintFormat, WORDS};
use cube_artifact::{Artifact, ElemType, OverwrittenBuffer};
use cube_runtime::{Arg, Buffer, Cubes, Device, Graph, Init, Kernel, Queue, Scalar};
use cube_runtime_gpu::GpuDevice;
use std::sync::atomic::Ordering;

const ELEMENTS: u64 = 1024;
const CUBES: u32 = 16;

/// A kernel that fills its buffer with a number. A launch with a unit for each element overwrites the buffer.
fn fill() -> Artifact {
    let needed = "ceildiv(buffer_len(y), 64)";
    let expression = format!("eq(min(cubes(0), {needed}), {needed})");
    Artifact { overwritten: vec![OverwrittenBuffer { param: 0, expression }], ..artifact("fill") }
}

struct Filler {
    device: GpuDevice<fake::Fake>,
    kernel: Kernel,
}

impl Filler {
    fn new() -> Self {
        let device = device();
        let kernel = device.load(&fill()).unwrap();
        Filler { device, kernel }
    }

    /// A buffer that must be zero, in memory that an earlier buffer has used.
    fn zeros(&self) -> Buffer {
        let used = self.device.alloc(4 * ELEMENTS, Init::Any).unwrap();
        self.device.write(&used, 0, &7.0f32.to_ne_bytes().repeat(ELEMENTS as usize)).unwrap();
        drop(used);
        self.device.alloc(4 * ELEMENTS, Init::Zero).unwrap()
    }

    fn args(buffer: &Buffer, number: f32) -> [Arg; 2] {
        [Arg::buffer(buffer, ElemType::F32), Scalar::F32(number).into()]
    }

    fn fill(&self, queue: u32, buffer: &Buffer, cubes: u32) {
        let cubes = Cubes::Count([cubes, 1, 1]);
        self.device.launch_on(Queue::new(queue), &self.kernel, &Self::args(buffer, 5.0), cubes).unwrap();
    }

    /// The number of elements that are 5 at the start of the buffer. The other elements must be 0.
    fn filled(&self, queue: u32, buffer: &Buffer) -> usize {
        let mut out = vec![1; buffer.size() as usize];
        self.device.read_on(Queue::new(queue), buffer, 0, &mut out).unwrap();
        let values: Vec<f32> = out.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect();
        let filled = values.iter().take_while(|value| **value == 5.0).count();
        assert!(values[filled..].iter().all(|value| *value == 0.0), "neither filled nor cleared: {values:?}");
        filled
    }
}

/// The result of `work`, and the number of clearings during `work`.
fn clears<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = fake::CLEARS.load(Ordering::SeqCst);
    let result = work();
    (result, fake::CLEARS.load(Ordering::SeqCst) - before)
}

pub fn first_command() {
    let filler = Filler::new();
    let filled = |queue: u32, cubes: Option<u32>| {
        clears(|| {
            let buffer = filler.zeros();
            cubes.inspect(|cubes| filler.fill(queue, &buffer, *cubes));
            (filler.filled(0, &buffer), filler.filled(1, &buffer))
        })
    };
    // A launch with too few units, a launch without cubes, and no launch.
    for queue in [0, 1] {
        assert_eq!(filled(queue, Some(CUBES)), ((1024, 1024), 0));
        assert_eq!(filled(queue, Some(CUBES - 1)), ((960, 960), 1));
        assert_eq!(filled(queue, Some(0)), ((0, 0), 1));
        assert_eq!(filled(queue, None), ((0, 0), 1));
    }
    // A part of an allocation.
    let (count, cleared) = clears(|| {
        let buffer = filler.zeros();
        filler.fill(0, &buffer.slice(0..2048).unwrap(), CUBES);
        filler.filled(0, &buffer)
    });
    assert_eq!((count, cleared), (512, 1));
    // Copies, the address for other libraries, and graphs.
    let (_, cleared) = clears(|| {
        let [from, to] = [filler.zeros(), filler.zeros()];
        filler.device.copy(Queue::new(1), &from, &to).unwrap();
        assert_eq!(filler.filled(0, &to), 0);
        let exported = filler.zeros();
        filler.device.export_address(&exported).unwrap();
        let recorded = filler.zeros();
        let mut list = cube_runtime::CommandList::new();
        list.launch(&filler.kernel, &Filler::args(&recorded, 5.0), [1, 1, 1]);
        let graph = Graph::new(list);
        filler.device.replay(Queue::DEFAULT, &graph).unwrap();
        filler.device.replay(Queue::DEFAULT, &graph).unwrap();
        assert_eq!(filler.filled(0, &recorded), 64);
    });
    assert_eq!(cleared, 4);
    // The records of a kernel that prints follow its arguments. The kernel of this test writes only its first buffer.
    let printing = PrintFormat { text: "text".into(), values: vec![], fails: false };
    let kernel = filler.device.load(&Artifact { prints: vec![printing], ..fill() }).unwrap();
    let (_, cleared) = clears(|| {
        drop(filler.zeros());
        let used = filler.device.alloc(4 * u64::from(WORDS), Init::Any).unwrap();
        filler.device.write(&used, 0, &9u32.to_ne_bytes().repeat(WORDS as usize)).unwrap();
        drop(used);
        let buffer = filler.zeros();
        filler.device.launch_kernel(&kernel, &Filler::args(&buffer, 5.0), [CUBES, 1, 1]).unwrap();
        assert_eq!(filler.filled(0, &buffer), 1024);
    });
    assert_eq!(cleared, 1);
    // A launch that the driver refuses.
    let buffer = filler.zeros();
    fake::fail_in(Some(0));
    let refused = filler.device.launch_kernel(&filler.kernel, &Filler::args(&buffer, 5.0), [CUBES, 1, 1]);
    fake::fail_in(None);
    assert!(refused.is_err());
    assert_eq!(filler.filled(0, &buffer), 0);
}

pub fn threads() {
    let filler = Filler::new();
    for _ in 0..100 {
        let buffer = filler.zeros();
        std::thread::scope(|scope| {
            scope.spawn(|| filler.fill(1, &buffer, CUBES));
            for queue in [0, 1] {
                let (filler, buffer) = (&filler, &buffer);
                scope.spawn(move || {
                    let count = filler.filled(queue, buffer);
                    assert!([0, 1024].contains(&count), "{count} elements are filled");
                });
            }
        });
        assert_eq!(filler.filled(0, &buffer), 1024);
    }
}
