//! A launch: takes arguments, runs all units of all cubes, and returns the buffers.
use crate::bind::{buffers, check, derive, given, limit_memory, pass_arguments, scalars};
use crate::cube::{Cube, clear_locals, reset};
use crate::findings::{Find, Log, UnitCoordinates};
use crate::machine::{Machine, Unit};
use crate::memory::{Buffer, PlaneBarriers};
use crate::order::{Order, position};
use crate::program::{ExecutionForm, Program, ProgramParamKind};
use crate::request::{Arg, Fault, Options, Outcome, Schedule};
use crate::topology::{TopologyPosition, topology};
use cube_artifact::prints::read;

/// Runs every unit of a launch. Afterwards, the buffers in `args` contain the result, even after a fault.
///
/// If the program represents floats as elements of a ring, the buffers contain these elements, with 8 bytes
/// each. Derived parameters have no argument.
///
/// # Errors
/// An argument is invalid, a limit is exceeded, or a print of the kernel reports a failure of the launch.
pub fn run(program: &Program, args: &mut [Arg], cube_count: [u32; 3], options: &Options) -> Result<Outcome, Fault> {
    let options = &Options { plane_dim: program.plane_dim.unwrap_or(options.plane_dim), ..*options };
    check(program, args, options)?;
    limit_memory(program, args, options)?;
    let watched = options.find != Find::NOTHING;
    let mut scalars = scalars(program, args);
    let buffers = buffers(program, args, watched);
    let derived = derive(program, &mut scalars, &buffers, cube_count);
    let cube_count = derived.as_ref().map_or(cube_count, |count| *count);
    let units: u64 = program.cube_dim.iter().map(|d| u64::from(*d)).product();
    let cube_count = program.cubes.map_or(cube_count, |at| cubes_in(&buffers[at as usize]));
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
        passed: PlaneBarriers::new(units.div_ceil(options.plane_dim.into()) as usize, options.plane_dim),
        printed: vec![],
        stopped: None,
    };
    let template = first(program, &scalars, watched);
    let done = derived.and_then(|_| all_units(&mut machine, &template, options));
    if let Some(records) = program.params.iter().position(|p| p.kind == ProgramParamKind::Prints) {
        let words = machine.buffers[records].bytes.chunks_exact(4);
        let words: Vec<u32> = words.map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        let printed = read(&program.records, &words);
        machine.printed.extend(printed.lines);
        machine.stopped = machine.stopped.or(printed.failure);
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

// The first three numbers of a buffer; missing numbers are 0.
fn cubes_in(buffer: &Buffer) -> [u32; 3] {
    let words: &[[u8; 4]] = buffer.bytes.as_chunks().0;
    [0, 1, 2].map(|axis| words.get(axis).map_or(0, |word| u32::from_le_bytes(*word)))
}

fn all_units(machine: &mut Machine<'_>, template: &Unit, options: &Options) -> Result<(), Fault> {
    let (program, count) = (machine.program, machine.cube_count);
    let cubes = count.iter().map(|c| u64::from(*c)).try_fold(1u64, u64::checked_mul);
    let units: u64 = program.cube_dim.iter().map(|d| u64::from(*d)).product();
    let (Some(cubes), Some(_)) = (cubes, cubes.and_then(|c| c.checked_mul(units))) else {
        return Err(Fault::Argument(format!("cube count {count:?} has more than 2^64 units; launch fewer cubes")));
    };
    // Code that contains loops over units runs once per cube. Code that also contains a loop over cubes runs once per
    // launch.
    let (cubes, units) = match program.form {
        ExecutionForm::Units | ExecutionForm::SharedLoops => (cubes, units),
        ExecutionForm::Cubes => (cubes, 1),
        ExecutionForm::Launch => (1, 1),
    };
    let locals = program.locals();
    let alive = if program.collective && cubes > 0 { units as usize } else { 1 };
    let mut cube = Cube::new(vec![template.clone(); alive], options.plane_dim);
    let run_dim = if matches!(program.form, ExecutionForm::Units | ExecutionForm::SharedLoops) {
        program.cube_dim
    } else {
        [1; 3]
    };
    let place = |unit: &mut Unit, number: u64| {
        unit.number = number;
        unit.cube = number / units.max(1);
        unit.plane = (number % units.max(1) / u64::from(options.plane_dim)) as u32;
        unit.lane = (number % units.max(1) % u64::from(options.plane_dim)) as u32;
        unit.at = position(number, run_dim, count);
        unit.pc = 0;
        let place = TopologyPosition {
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
    // A cube can wait for earlier cubes, so `LastFirst` reverses only the order of the units.
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
        // No unit waits for another unit. Each unit therefore runs to its end before the next unit begins, and all
        // units reuse one state.
        let (order, unit) = (order(0), &mut cube.units[0]);
        for u in 0..units {
            place(unit, number * units + order.nth(u));
            clear_locals(unit, &locals);
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
    Unit {
        number: 0,
        cube: 0,
        plane: 0,
        lane: 0,
        at: UnitCoordinates { unit: [0; 3], cube: [0; 3] },
        pc: 0,
        slots,
        poison,
    }
}

impl Machine<'_> {
    // Each cube has its own count of barriers and its own shared memory.
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
