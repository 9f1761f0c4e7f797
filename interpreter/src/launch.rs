//! A launch: arguments in, all units of all cubes, buffers out.
use crate::bind::{buffers, check, derive, given, limit_memory, pass_arguments, scalars};
use crate::cube::{Cube, forget, reset};
use crate::findings::{At, Find, Finding, Log};
use crate::machine::{Machine, Unit};
use crate::memory::Passed;
use crate::program::{Form, Program, ProgramParamKind, Site};
use crate::topology::{Place, topology};
use cube_artifact::{codes, prints::read};
use std::fmt;

/// One argument of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A buffer: its elements in little endian, a bool in a byte. The run leaves its result here.
    Buffer {
        /// The elements.
        bytes: Vec<u8>,
        /// Whether the kernel may read what is there from the start; else such a read is a finding.
        initialised: bool,
    },
    /// A buffer that the host describes by a shape. Its length is the product of the shape, whatever its memory holds.
    Tensor {
        /// The elements of its memory.
        bytes: Vec<u8>,
        /// As for a buffer.
        initialised: bool,
        /// Elements along each dimension, at most 8.
        shape: Vec<u64>,
        /// Elements between neighbours along each dimension.
        strides: Vec<u64>,
    },
    /// A scalar: its pattern in the low bits.
    Scalar(u64),
}

impl Arg {
    /// The elements of a buffer or tensor.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Arg::Buffer { bytes, .. } | Arg::Tensor { bytes, .. } => Some(bytes),
            Arg::Scalar(_) => None,
        }
    }

    pub(crate) fn bytes_mut(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Arg::Buffer { bytes, .. } | Arg::Tensor { bytes, .. } => Some(bytes),
            Arg::Scalar(_) => None,
        }
    }

    pub(crate) fn initialised(&self) -> bool {
        !matches!(self, Arg::Buffer { initialised: false, .. } | Arg::Tensor { initialised: false, .. })
    }
}

/// The order in which units run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Cubes one after the other, units inside them, x fastest.
    #[default]
    InOrder,
    /// Cubes one after the other, the units inside them from the last to the first.
    LastFirst,
    /// Cubes and the units inside them in an order drawn from the seed.
    Shuffled(u64),
}

/// How a kernel is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What is looked for.
    pub find: Find,
    /// Instructions that all units together may take.
    pub max_steps: u64,
    /// Bytes that the run may take beside the arguments.
    pub max_memory: u64,
    /// The order of units.
    pub schedule: Schedule,
    /// Units of a plane, 1 to 128.
    pub plane_dim: u32,
    /// Cubes of a cluster along x, y, z.
    pub cluster_dim: [u32; 3],
}

impl Default for Options {
    fn default() -> Self {
        Options {
            find: Find::FAULTS,
            max_steps: 1 << 36,
            max_memory: 4 << 30,
            schedule: Schedule::InOrder,
            plane_dim: 32,
            cluster_dim: [1; 3],
        }
    }
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What is wrong with the kernel, in the order met.
    pub findings: Vec<Finding>,
    /// Instructions taken by all units together.
    pub steps: u64,
    /// What the kernel printed, a line for each time.
    pub printed: Vec<String>,
}

/// Why a run did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The kernel runs longer than allowed.
    Steps {
        /// The limit.
        max: u64,
        /// Where it was met.
        site: Site,
        /// What the kernel printed till then.
        printed: Vec<String>,
    },
    /// The run needs more memory than allowed.
    Memory {
        /// The limit.
        max: u64,
        /// What it needs.
        needed: u64,
    },
    /// An argument does not fit the kernel.
    Argument(String),
    /// The kernel stopped itself.
    Stopped {
        /// What it said of that.
        why: String,
        /// What it printed till then.
        printed: Vec<String>,
    },
}

impl Fault {
    /// Its code.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::Steps { .. } => "CUBE0702",
            Fault::Memory { .. } => "CUBE0703",
            Fault::Argument(_) => "CUBE0608",
            Fault::Stopped { .. } => codes::KERNEL_STOPPED,
        }
    }

    /// What the kernel printed before it came to its end.
    pub fn printed(&self) -> &[String] {
        match self {
            Fault::Steps { printed, .. } | Fault::Stopped { printed, .. } => printed,
            Fault::Memory { .. } | Fault::Argument(_) => &[],
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Steps { max, site, .. } => {
                write!(f, "{site}: the launch takes more than {max} steps; use a smaller one, or raise --max-steps")
            }
            Fault::Memory { max, needed } => {
                write!(
                    f,
                    "the run takes {needed} bytes beside its arguments, the limit is {max}: look for less, or use smaller buffers"
                )
            }
            Fault::Argument(message) | Fault::Stopped { why: message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Fault {}

/// Runs every unit of a launch; buffers among `args` hold the result afterwards, also where it faults.
///
/// In the ring, floats come back as elements of the field, 8 bytes each. Derived parameters take no argument.
///
/// # Errors
/// Arguments that do not fit, and limits met.
pub fn run(program: &Program, args: &mut [Arg], cube_count: [u32; 3], options: &Options) -> Result<Outcome, Fault> {
    check(program, args, options)?;
    limit_memory(program, args, options)?;
    let watched = options.find != Find::NOTHING;
    let mut scalars = scalars(program, args);
    let buffers = buffers(program, args, watched);
    let derived = derive(program, &mut scalars, &buffers);
    let units: u64 = program.cube_dim.iter().map(|d| u64::from(*d)).product();
    let mut buffers = buffers;
    pass_arguments(program, &scalars, cube_count, &mut buffers);
    let mut machine = Machine {
        program,
        buffers,
        find: options.find,
        log: Log::default(),
        steps: 0,
        max_steps: options.max_steps,
        cube_count,
        plane_dim: options.plane_dim,
        cluster_dim: options.cluster_dim,
        epochs: [0; 2],
        passed: Passed::new(units.div_ceil(options.plane_dim.into()) as usize, options.plane_dim),
        printed: vec![],
        stopped: None,
    };
    let template = first(program, &scalars, watched);
    let done = derived.and_then(|()| all_units(&mut machine, &template, options));
    if let Some(records) = program.params.iter().position(|p| p.kind == ProgramParamKind::Prints) {
        let words = machine.buffers[records].bytes.chunks_exact(4);
        let words: Vec<u32> = words.map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        let said = read(&program.records, &words);
        machine.printed.extend(said.lines);
        machine.stopped = machine.stopped.or(said.failure);
    }
    for (buffer, arg) in machine.buffers.iter_mut().zip(given(program, args)) {
        if let Some(bytes) = arg.and_then(Arg::bytes_mut) {
            *bytes = std::mem::take(&mut buffer.bytes);
        }
    }
    match (done, machine.stopped) {
        (Err(Fault::Steps { max, site, .. }), _) => return Err(Fault::Steps { max, site, printed: machine.printed }),
        (Err(fault), _) => return Err(fault),
        (Ok(()), Some(why)) => return Err(Fault::Stopped { why, printed: machine.printed }),
        (Ok(()), None) => {}
    }
    Ok(Outcome { findings: machine.log.all, steps: machine.steps, printed: machine.printed })
}

/// An order of the numbers from 0 to `n`: i -> a * i + b modulo n, with a prime to n.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    n: u64,
    factor: u64,
    offset: u64,
}

impl Order {
    fn new(n: u64, schedule: Schedule, salt: u64) -> Order {
        let seed = match schedule {
            Schedule::InOrder => return Order { n, factor: 1, offset: 0 },
            // n - 1 - i
            Schedule::LastFirst => return Order { n, factor: n.saturating_sub(1), offset: n.saturating_sub(1) },
            Schedule::Shuffled(seed) => seed,
        };
        let mix = |x: u64| {
            // SplitMix64 (Steele, Lea and Flood, 2014).
            let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            x ^ x >> 31
        };
        let gcd = |mut a: u64, mut b: u64| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let start = mix(seed ^ mix(salt));
        let factor = (0..n).map(|i| (start.wrapping_add(i)) % n).find(|a| gcd(*a, n) == 1).unwrap_or(1);
        Order { n, factor, offset: mix(start) % n.max(1) }
    }

    /// The number at place `i`.
    pub fn nth(&self, i: u64) -> u64 {
        if self.factor == 1 && self.offset == 0 {
            return i;
        }
        let all = u128::from(i) * u128::from(self.factor) + u128::from(self.offset);
        (all % u128::from(self.n.max(1))) as u64
    }
}

/// A linear number as one along each axis.
pub(crate) fn split(linear: u64, sizes: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = sizes.map(|s| u64::from(s.max(1)));
    [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
}

/// Where the unit of this number in the launch is.
pub(crate) fn position(number: u64, cube_dim: [u32; 3], cube_count: [u32; 3]) -> At {
    let units: u64 = cube_dim.iter().map(|d| u64::from(*d)).product();
    At { unit: split(number % units.max(1), cube_dim), cube: split(number / units.max(1), cube_count) }
}

fn all_units(machine: &mut Machine<'_>, template: &Unit, options: &Options) -> Result<(), Fault> {
    let (program, count) = (machine.program, machine.cube_count);
    let cubes = count.iter().map(|c| u64::from(*c)).try_fold(1u64, u64::checked_mul);
    let units: u64 = program.cube_dim.iter().map(|d| u64::from(*d)).product();
    let (Some(cubes), Some(_)) = (cubes, cubes.and_then(|c| c.checked_mul(units))) else {
        return Err(Fault::Argument(format!("cube count {count:?} is more than 2^64 units: launch fewer")));
    };
    // What has loops of its own over units, or over cubes too, is run once for all of them.
    let (cubes, units) = match program.form {
        Form::Units | Form::Turns => (cubes, units),
        Form::Cubes => (cubes, 1),
        Form::Launch => (1, 1),
    };
    let locals = program.locals();
    let alive = if program.collective && cubes > 0 { units as usize } else { 1 };
    let mut cube = Cube::new(vec![template.clone(); alive], options.plane_dim);
    let run_dim = if matches!(program.form, Form::Units | Form::Turns) { program.cube_dim } else { [1; 3] };
    let place = |unit: &mut Unit, number: u64| {
        unit.number = number;
        unit.cube = number / units.max(1);
        unit.plane = (number % units.max(1) / u64::from(options.plane_dim)) as u32;
        unit.lane = (number % units.max(1) % u64::from(options.plane_dim)) as u32;
        unit.at = position(number, run_dim, count);
        unit.pc = 0;
        let place = Place {
            at: unit.at,
            dim: program.cube_dim,
            count,
            cluster: options.cluster_dim,
            plane_dim: options.plane_dim,
        };
        for (kind, at) in &program.topology {
            unit.slots[*at as usize] = u64::from(topology(*kind, &place));
        }
    };
    // A cube may wait for those before it.
    let of_cubes = if options.schedule == Schedule::LastFirst { Schedule::InOrder } else { options.schedule };
    let cube_order = Order::new(cubes, of_cubes, 0);
    for c in 0..cubes {
        let number = cube_order.nth(c);
        let order = |round: u64| Order::new(units, options.schedule, (number + 1).wrapping_add(round << 32));
        machine.begin_cube();
        if program.collective {
            for (i, unit) in cube.units.iter_mut().enumerate() {
                reset(unit, template, &locals);
                place(unit, number * units + i as u64);
            }
            cube.run(machine, &order)?;
            continue;
        }
        // Nobody waits for anybody, so a unit runs to its end before the next begins, and one state serves all.
        let (order, unit) = (order(0), &mut cube.units[0]);
        for u in 0..units {
            place(unit, number * units + order.nth(u));
            forget(unit, &locals);
            machine.resume(unit)?;
        }
    }
    Ok(())
}

fn first(program: &Program, scalars: &[u64], watched: bool) -> Unit {
    let mut slots = vec![0; program.slots as usize];
    for (at, bits) in &program.constants {
        slots[*at as usize] = *bits;
    }
    for (number, at) in &program.scalars {
        slots[*at as usize] = scalars[*number as usize];
    }
    let mut poison = vec![0; if watched { slots.len() } else { 0 }];
    for (at, site) in program.poisons.iter().filter(|_| watched) {
        poison[*at as usize] = site + 1;
    }
    Unit { number: 0, cube: 0, plane: 0, lane: 0, at: At { unit: [0; 3], cube: [0; 3] }, pc: 0, slots, poison }
}

impl Machine<'_> {
    // Barriers are counted for each cube, and shared memory is its own.
    fn begin_cube(&mut self) {
        self.epochs = [0; 2];
        self.passed.clear();
        for buffer in self.buffers.iter_mut().filter(|b| b.shared) {
            buffer.bytes.fill(0);
            if let Some(shadow) = &mut buffer.shadow {
                shadow.clear();
            }
        }
    }
}
