//! Executes the units of a cube: schedules the units, executes barriers and plane operations, and reports
//! findings about barriers and plane operations.
//!
//! A unit runs until it waits or ends. When every unit of a plane waits, the units that wait at the earliest program
//! point resume. The earliest program point is the first plane operation in the earliest iteration of the outermost
//! common loop. Units that took the same path therefore reconverge, like the lanes of a processor. The units of
//! the plane that do not resume are inactive. A plane barrier is handled like a plane operation. A cube barrier
//! completes when all units of the cube wait at it. If no unit can run and some units wait, the units have
//! diverged at the barrier. The interpreter reports the divergence, and the waiting units resume without the
//! other units.
use crate::findings::{FindingKind, UnitCoordinates};
use crate::machine::{Machine, Stop, UNWRITTEN, Unit};
use crate::order::Order;
use crate::planes;
use crate::program::Code;
use crate::request::Fault;
use cube_dialect::Scope;
use std::cmp::Ordering;

/// Execution state of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Runs,
    Waits,
    Ended,
}

/// The units of a cube; the allocation is reused for the next cube.
pub(crate) struct Cube {
    pub units: Vec<Unit>,
    states: Vec<State>,
    plane_dim: usize,
}

impl Cube {
    /// Creates a cube of `units`, in planes of `plane_dim` units.
    pub fn new(units: Vec<Unit>, plane_dim: u32) -> Cube {
        let states = vec![State::Runs; units.len()];
        Cube { units, states, plane_dim: plane_dim as usize }
    }

    /// Runs all units to their end. The caller must first set the positions and slots of the units.
    pub fn run(&mut self, machine: &mut Machine<'_>, order: &dyn Fn(u64) -> Order) -> Result<(), Fault> {
        self.states.fill(State::Runs);
        let count = self.units.len() as u64;
        for round in 0.. {
            let order = order(round);
            for i in 0..count {
                let index = order.nth(i) as usize;
                if self.states[index] == State::Runs {
                    self.states[index] = match machine.resume(&mut self.units[index])? {
                        Stop::Ended => State::Ended,
                        Stop::Waits => State::Waits,
                        Stop::Paused => State::Runs,
                    };
                }
            }
            if self.states.iter().all(|s| *s == State::Ended) {
                break;
            }
            if !self.planes(machine) && !self.states.contains(&State::Runs) {
                self.cube_barrier(machine);
            }
        }
        Ok(())
    }

    fn code(&self, machine: &Machine<'_>, index: usize) -> Code {
        machine.program.code[self.units[index].pc].code
    }

    fn waits_for_plane(&self, machine: &Machine<'_>, index: usize) -> bool {
        let for_plane = matches!(self.code(machine, index), Code::Plane(_) | Code::Barrier(Scope::Plane));
        self.states[index] == State::Waits && for_plane
    }

    fn lanes(&self, plane: usize) -> std::ops::Range<usize> {
        plane * self.plane_dim..((plane + 1) * self.plane_dim).min(self.units.len())
    }

    // Executes the next plane operation of each plane in which no unit can run. Returns whether a plane
    // operation was executed.
    fn planes(&mut self, machine: &mut Machine<'_>) -> bool {
        let mut moved = false;
        for plane in 0..self.units.len().div_ceil(self.plane_dim) {
            let lanes = self.lanes(plane);
            if lanes.clone().any(|i| self.states[i] == State::Runs) {
                continue;
            }
            let waiting = || lanes.clone().filter(|i| self.waits_for_plane(machine, *i));
            let Some(last) = waiting().min_by(|a, b| self.compare_progress(machine, *a, *b)) else { continue };
            let waiting_here: Vec<usize> =
                waiting().filter(|i| self.compare_progress(machine, last, *i).is_eq()).collect();
            let pc = self.units[last].pc;
            self.plane(machine, plane, pc, &waiting_here);
            moved = true;
        }
        moved
    }

    // Orders two units that wait at plane operations by their progress through branches and loops.
    fn compare_progress(&self, machine: &Machine<'_>, a: usize, b: usize) -> Ordering {
        let (a, b) = (&self.units[a], &self.units[b]);
        let iterations = |unit: &Unit| machine.program.iterations.get(&unit.pc).map_or(&[][..], Vec::as_slice);
        let shared =
            iterations(a).iter().zip(iterations(b)).take_while(|(a, b)| a == b).map(|(loops, _)| *loops as usize);
        let order = shared.map(|at| a.slots[at].cmp(&b.slots[at])).find(|order| order.is_ne());
        order.unwrap_or_else(|| a.pc.cmp(&b.pc))
    }

    // Executes a plane operation for these units.
    fn plane(&mut self, machine: &mut Machine<'_>, plane: usize, pc: usize, units: &[usize]) {
        match machine.program.code[pc].code {
            Code::Plane(kind) => {
                let first = plane * self.plane_dim;
                planes::run(machine, &mut self.units, kind, pc, first, self.plane_dim, units);
            }
            _ => {
                let lanes = self.lanes(plane);
                let waiting_here: Vec<usize> = units.iter().map(|unit| unit - lanes.start).collect();
                machine.passed.synchronise(plane, &waiting_here, waiting_here.len() == lanes.len());
            }
        }
        self.resume(units);
    }

    fn resume(&mut self, units: &[usize]) {
        for &index in units {
            self.units[index].pc += 1;
            self.states[index] = State::Runs;
        }
    }

    // Handles the state in which no unit can run and no plane operation is complete: a barrier of the cube, or a fault.
    fn cube_barrier(&mut self, machine: &mut Machine<'_>) {
        let all: Vec<usize> = (0..self.units.len()).collect();
        let waiting: Vec<usize> = all.iter().copied().filter(|i| self.states[*i] == State::Waits).collect();
        let pc = waiting.iter().map(|i| self.units[*i].pc).min().unwrap_or(0);
        let waiting_here: Vec<usize> = waiting.iter().copied().filter(|i| self.units[*i].pc == pc).collect();
        if waiting_here.len() < all.len() {
            self.divergent(machine, pc, &waiting_here, &all);
        }
        // Units at other barriers of the cube also resume, because a device counts only the units that arrive
        // at any barrier.
        let storage_only = waiting.iter().all(|i| matches!(self.code(machine, *i), Code::Barrier(Scope::Storage)));
        machine.epochs[1] += 1;
        if !storage_only {
            machine.epochs[0] += 1;
        }
        self.resume(&waiting);
    }

    // Reports that only the units `waiting_here` of the cube reached the instruction.
    fn divergent(&self, machine: &mut Machine<'_>, pc: usize, waiting_here: &[usize], all: &[usize]) {
        let Some(missing) = all.iter().copied().find(|i| !waiting_here.contains(i)) else { return };
        let other = &self.units[missing];
        let (elsewhere, position) = (machine.site(other.pc), other.at);
        let does = match self.states[missing] {
            State::Ended => "has ended",
            _ => "waits elsewhere",
        };
        let why = || {
            format!(
                "only {} of {} units of the cube reach this operation; another unit {does}",
                waiting_here.len(),
                all.len()
            )
        };
        let at: UnitCoordinates = self.units[waiting_here[0]].at;
        machine.report(at, pc, FindingKind::Barriers, Some((Some(position), elsewhere)), why);
    }
}

/// Resets the program counter, the slots and the local memory of a unit.
pub(crate) fn reset(unit: &mut Unit, template: &Unit, locals: &[(u32, u32)]) {
    unit.pc = 0;
    unit.slots.copy_from_slice(&template.slots);
    unit.poison.copy_from_slice(&template.poison);
    clear_locals(unit, locals);
}

/// Fills local memory with zeros and marks it as unwritten.
pub(crate) fn clear_locals(unit: &mut Unit, locals: &[(u32, u32)]) {
    for (at, count) in locals {
        let range = *at as usize..(at + count) as usize;
        unit.slots[range.clone()].fill(0);
        if let Some(poison) = unit.poison.get_mut(range) {
            poison.fill(UNWRITTEN);
        }
    }
}
