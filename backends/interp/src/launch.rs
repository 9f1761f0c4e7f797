//! A launch: arguments in, all units of all cubes, buffers out.
use crate::findings::{At, Find, Finding, Log};
use crate::machine::{Machine, Stop, Unit};
use crate::memory::{Buffer, SHADOW};
use crate::program::{Program, ProgramParamKind, Site};
use crate::rules::ints::mask;
use cube_dialect::TopologyKind;
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
    /// A scalar: its pattern in the low bits.
    Scalar(u64),
}

/// The order in which units run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Cubes one after the other, units inside them, x fastest.
    #[default]
    InOrder,
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
}

impl Default for Options {
    fn default() -> Self {
        Options { find: Find::FAULTS, max_steps: 1 << 36, max_memory: 4 << 30, schedule: Schedule::InOrder }
    }
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What is wrong with the kernel, in the order met.
    pub findings: Vec<Finding>,
    /// Instructions taken by all units together.
    pub steps: u64,
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
}

impl Fault {
    /// Its code.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::Steps { .. } => "CUBE0702",
            Fault::Memory { .. } => "CUBE0703",
            Fault::Argument(_) => "CUBE0608",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Steps { max, site } => {
                write!(f, "{site}: the launch takes more than {max} steps; use a smaller one, or raise --max-steps")
            }
            Fault::Memory { max, needed } => {
                write!(
                    f,
                    "the run takes {needed} bytes beside its arguments, the limit is {max}: look for less, or use smaller buffers"
                )
            }
            Fault::Argument(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Fault {}

/// Runs every unit of a launch; buffers among `args` hold the result afterwards, also where it faults.
///
/// # Errors
/// Arguments that do not fit, and limits met.
pub fn run(program: &Program, args: &mut [Arg], cube_count: [u32; 3], options: &Options) -> Result<Outcome, Fault> {
    check(program, args)?;
    limit_memory(program, args, options)?;
    let watched = options.find != Find::NOTHING;
    let mut buffers = Vec::with_capacity(args.len());
    for (param, arg) in program.params.iter().zip(args.iter_mut()) {
        // A scalar has a place too, so that a buffer's number is the parameter's.
        let (bytes, initialised) = match arg {
            Arg::Buffer { bytes, initialised } => (std::mem::take(bytes), *initialised),
            Arg::Scalar(_) => (vec![], true),
        };
        let empty = ProgramParamKind::Buffer { bytes: 1, line: 1, write_only: false };
        let (kind, readable) = match param.kind {
            ProgramParamKind::Buffer { write_only, .. } => (param.kind, initialised && !write_only),
            ProgramParamKind::Scalar { .. } => (empty, true),
        };
        buffers.extend(Buffer::new(bytes, kind, readable, watched));
    }
    let mut machine = Machine {
        program,
        buffers,
        find: options.find,
        log: Log::default(),
        steps: 0,
        max_steps: options.max_steps,
        cube_count,
    };
    let done = all_units(&mut machine, args, options, watched);
    for (arg, buffer) in args.iter_mut().zip(machine.buffers) {
        if let Arg::Buffer { bytes, .. } = arg {
            *bytes = buffer.bytes;
        }
    }
    done.map(|()| Outcome { findings: machine.log.all, steps: machine.steps })
}

fn check(program: &Program, args: &[Arg]) -> Result<(), Fault> {
    let wrong = |message: String| Err(Fault::Argument(message));
    if program.params.len() != args.len() {
        return wrong(format!("kernel {} takes {} arguments, not {}", program.name, program.params.len(), args.len()));
    }
    for (param, arg) in program.params.iter().zip(args) {
        match (param.kind, arg) {
            (ProgramParamKind::Buffer { bytes: size, line, .. }, Arg::Buffer { bytes, .. }) => {
                let line_bytes = size as usize * line.max(1) as usize;
                if !bytes.len().is_multiple_of(line_bytes) {
                    return wrong(format!(
                        "argument {} has {} bytes, which are no whole number of lines of {line_bytes}",
                        param.name,
                        bytes.len()
                    ));
                }
            }
            (ProgramParamKind::Scalar { .. }, Arg::Scalar(_)) => {}
            _ => {
                return wrong(format!("argument {} is a buffer where a scalar is taken, or the other way", param.name));
            }
        }
    }
    Ok(())
}

fn limit_memory(program: &Program, args: &[Arg], options: &Options) -> Result<(), Fault> {
    let lines = program.params.iter().zip(args).map(|(param, arg)| match (param.kind, arg) {
        (ProgramParamKind::Buffer { bytes: size, line, .. }, Arg::Buffer { bytes, .. }) => {
            bytes.len() as u64 / u64::from(size * line.max(1)).max(1)
        }
        _ => 0,
    });
    let shadow = if options.find == Find::NOTHING { 0 } else { lines.sum::<u64>() * SHADOW as u64 };
    let needed = shadow + u64::from(program.slots) * 12;
    if needed > options.max_memory { Err(Fault::Memory { max: options.max_memory, needed }) } else { Ok(()) }
}

// Numbers from 0 to `n`, in order or in the order of the seed: i -> a * i + b modulo n, with a prime to n.
fn order(n: u64, schedule: Schedule, salt: u64) -> (u64, u64) {
    let Schedule::Shuffled(seed) = schedule else { return (1, 0) };
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
    (factor, mix(start) % n.max(1))
}

fn nth(i: u64, n: u64, (factor, offset): (u64, u64)) -> u64 {
    ((u128::from(i) * u128::from(factor) + u128::from(offset)) % u128::from(n.max(1))) as u64
}

fn split(linear: u64, sizes: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = sizes.map(|s| u64::from(s.max(1)));
    [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
}

/// Where the unit of this number in the launch is.
pub(crate) fn position(number: u64, cube_dim: [u32; 3], cube_count: [u32; 3]) -> At {
    let units: u64 = cube_dim.iter().map(|d| u64::from(*d)).product();
    At { unit: split(number % units.max(1), cube_dim), cube: split(number / units.max(1), cube_count) }
}

fn all_units(machine: &mut Machine<'_>, args: &[Arg], options: &Options, watched: bool) -> Result<(), Fault> {
    let (program, count) = (machine.program, machine.cube_count);
    let cubes = count.iter().map(|c| u64::from(*c)).try_fold(1u64, u64::checked_mul);
    let units: u64 = program.cube_dim.iter().map(|d| u64::from(*d)).product();
    let (Some(cubes), Some(_)) = (cubes, cubes.and_then(|c| c.checked_mul(units))) else {
        return Err(Fault::Argument(format!("cube count {count:?} is more than 2^64 units: launch fewer")));
    };
    let mut unit = first(program, args, watched);
    let cube_order = order(cubes, options.schedule, 0);
    for c in 0..cubes {
        let cube = nth(c, cubes, cube_order);
        let unit_order = order(units, options.schedule, cube + 1);
        // Without barriers a unit runs to its end before the next begins, so one state serves all.
        for u in 0..units {
            let number = cube * units + nth(u, units, unit_order);
            unit.number = number + 1;
            unit.at = position(number, program.cube_dim, count);
            unit.pc = 0;
            for (kind, at) in &program.topology {
                unit.slots[*at as usize] = u64::from(topology(*kind, unit.at, program.cube_dim, count));
            }
            match machine.resume(&mut unit)? {
                Stop::Ended => {}
            }
        }
    }
    Ok(())
}

fn first(program: &Program, args: &[Arg], watched: bool) -> Unit {
    let mut slots = vec![0; program.slots as usize];
    for (at, bits) in &program.constants {
        slots[*at as usize] = *bits;
    }
    for (number, at) in &program.scalars {
        if let (Some(Arg::Scalar(bits)), Some(param)) =
            (args.get(*number as usize), program.params.get(*number as usize))
            && let ProgramParamKind::Scalar { bits: width } = param.kind
        {
            slots[*at as usize] = bits & mask(width);
        }
    }
    let mut poison = vec![0; if watched { slots.len() } else { 0 }];
    for (at, site) in program.poisons.iter().filter(|_| watched) {
        poison[*at as usize] = site + 1;
    }
    Unit { number: 0, at: At { unit: [0; 3], cube: [0; 3] }, pc: 0, slots, poison }
}

/// The value of a topology operation; formulas are those of its description, and wrap like a `u32`.
fn topology(kind: TopologyKind, at: At, dim: [u32; 3], count: [u32; 3]) -> u32 {
    let (group, axis) = (kind as usize / 4, kind as usize % 4);
    let size = |i: usize| dim[i].wrapping_mul(count[i]);
    let along = |i: usize| at.cube[i].wrapping_mul(dim[i]).wrapping_add(at.unit[i]);
    let linear =
        |[x, y, z]: [u32; 3], sx: u32, sy: u32| x.wrapping_add(sx.wrapping_mul(y.wrapping_add(sy.wrapping_mul(z))));
    let product = |[x, y, z]: [u32; 3]| x.wrapping_mul(y).wrapping_mul(z);
    match (group, axis) {
        (0, 0) => linear([along(0), along(1), along(2)], size(0), size(1)),
        (0, axis) => along(axis - 1),
        (1, 0) => linear(at.unit, dim[0], dim[1]),
        (1, axis) => at.unit[axis - 1],
        (2, 0) => linear(at.cube, count[0], count[1]),
        (2, axis) => at.cube[axis - 1],
        (3, 0) => product(dim),
        (3, axis) => dim[axis - 1],
        (_, 0) => product(count),
        (_, axis) => count[axis - 1],
    }
}
