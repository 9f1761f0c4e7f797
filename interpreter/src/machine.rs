//! Runs one unit in a loop over its instructions.
//!
//! [`Machine::resume`] runs a unit until it stops: at its end, at a wait for other units, or at the end of its time
//! slice.
mod access;
mod address;
mod state;
mod watch;

pub(crate) use access::value_text;
pub(crate) use state::{Machine, Stop, UNWRITTEN, Unit};

use crate::findings::{Find, Finding, FindingKind, UnitCoordinates};
use crate::program::{Code, Inst, Site};
use crate::request::Fault;
use cube_semantics::ints::signed;
use state::{element_lane, is_less, is_positive_step};

/// Number of steps in a time slice. Time slices are used if units can wait for each other.
const TIME_SLICE: u64 = 1 << 20;

impl Machine<'_> {
    /// Runs a unit until it stops.
    pub fn resume(&mut self, unit: &mut Unit) -> Result<Stop, Fault> {
        if self.find == Find::NOTHING { self.run::<false>(unit) } else { self.run::<true>(unit) }
    }

    fn run<const WATCH: bool>(&mut self, unit: &mut Unit) -> Result<Stop, Fault> {
        let program = self.program;
        let slice_end = if program.collective { self.steps + TIME_SLICE } else { u64::MAX };
        let pause_at = self.max_steps.min(slice_end);
        let mut pc = unit.pc;
        loop {
            let inst = &program.code[pc];
            self.steps += 1;
            if WATCH && !self.watch(unit, pc, inst) {
                unit.pc = pc;
                return Ok(Stop::Ended);
            }
            pc += 1;
            let slots = &mut unit.slots[..];
            let at = |slot: u32, lane: u32| (slot + lane) as usize;
            match inst.code {
                Code::Map1(f) => {
                    for i in 0..inst.lanes {
                        slots[at(inst.dst, i)] = f(slots[at(inst.a, i)], inst.imm);
                    }
                }
                Code::Map2(f) => {
                    for i in 0..inst.lanes {
                        slots[at(inst.dst, i)] = f(slots[at(inst.a, i)], slots[at(inst.b, i)], inst.imm);
                    }
                }
                Code::Map3(f) => {
                    for i in 0..inst.lanes {
                        let (a, b, c) = (slots[at(inst.a, i)], slots[at(inst.b, i)], slots[at(inst.c, i)]);
                        slots[at(inst.dst, i)] = f(a, b, c, inst.imm);
                    }
                }
                Code::Copy => {
                    for i in 0..inst.lanes {
                        slots[at(inst.dst, i)] = slots[at(inst.a, i)];
                    }
                }
                Code::Regroup => regroup(slots, inst),
                Code::Splat => {
                    let value = slots[inst.a as usize];
                    slots[inst.dst as usize..at(inst.dst, inst.lanes)].fill(value);
                }
                Code::Choose => {
                    let from = if slots[inst.a as usize] != 0 { inst.b } else { inst.c };
                    for i in 0..inst.lanes {
                        slots[at(inst.dst, i)] = slots[at(from, i)];
                    }
                }
                Code::ChooseLanes => {
                    for i in 0..inst.lanes {
                        let from = if slots[at(inst.a, i)] != 0 { inst.b } else { inst.c };
                        slots[at(inst.dst, i)] = slots[at(from, i)];
                    }
                }
                Code::Pick { .. } => {
                    let lane = element_lane(slots, inst);
                    for i in 0..inst.lanes {
                        slots[at(inst.dst, i)] = lane.map_or(0, |p| slots[at(inst.b + p, i)]);
                    }
                }
                Code::Put { .. } => {
                    if let Some(lane) = element_lane(slots, inst) {
                        for i in 0..inst.lanes {
                            slots[at(inst.dst + lane, i)] = slots[at(inst.b, i)];
                        }
                    }
                }
                Code::Load { slice, bool, .. } => access::load(&self.buffers, slots, inst, slice, bool),
                Code::Store { slice, .. } => access::store(&mut self.buffers, slots, inst, slice),
                Code::LoadLocal { .. } => access::load_local(&self.buffers, slots, inst),
                Code::StoreLocal { .. } => access::store_local(&self.buffers, slots, inst),
                Code::Atomic { kind, slice, .. } => access::atomic(&mut self.buffers, slots, inst, kind, slice),
                Code::Measure(what) => access::measure(&self.buffers, slots, inst, what),
                Code::Slice { slice } => access::slice(slots, inst, slice),
                Code::Print => self.print(unit, inst),
                Code::Place { kind } => {
                    unit.slots[inst.dst as usize] = self.topology_value(unit, inst, kind);
                }
                Code::Address => {
                    let index = slots[inst.a as usize].wrapping_add(slots[inst.c as usize]);
                    let bytes = index.wrapping_mul(u64::from(inst.imm));
                    slots[inst.dst as usize] = slots[inst.b as usize].wrapping_add(bytes);
                }
                Code::Read { bool } => address::read(&self.buffers, slots, inst, bool),
                Code::Write => address::write(&mut self.buffers, slots, inst),
                Code::AtomicAt(kind) => address::atomic(&mut self.buffers, slots, inst, kind),
                Code::Jump => {
                    pc = inst.imm as usize;
                    if self.steps > pause_at {
                        return self.pause(unit, pc, inst);
                    }
                }
                Code::JumpUnless => {
                    if slots[inst.a as usize] == 0 {
                        pc = inst.imm as usize;
                    }
                }
                Code::JumpOther => {
                    if slots[inst.a as usize] != slots[inst.b as usize] {
                        pc = inst.imm as usize;
                    }
                }
                Code::LoopStart { signed: bits } => {
                    let (from, to) = (slots[inst.a as usize], slots[inst.b as usize]);
                    if !is_less(from, to, bits) || !is_positive_step(slots[inst.c as usize], bits) {
                        pc = inst.imm as usize;
                    }
                }
                Code::LoopNext { signed: bits } => {
                    if let Some(next) =
                        next(slots[inst.a as usize], slots[inst.b as usize], slots[inst.c as usize], bits)
                    {
                        slots[inst.a as usize] = next & (u64::MAX >> (64 - inst.lanes));
                        pc = inst.imm as usize;
                    }
                    if self.steps > pause_at {
                        return self.pause(unit, pc, inst);
                    }
                }
                Code::Barrier(_) | Code::Plane(_) => {
                    unit.pc = pc - 1;
                    self.step_limit(unit.pc)?;
                    return Ok(Stop::Waits);
                }
                Code::End => {
                    unit.pc = pc - 1;
                    self.step_limit(unit.pc)?;
                    return Ok(Stop::Ended);
                }
            }
        }
    }

    #[cold]
    fn pause(&self, unit: &mut Unit, pc: usize, inst: &Inst) -> Result<Stop, Fault> {
        // `pc` is the target of the jump. A report of the step limit needs the site of the jump itself, so
        // the code searches for the jump instruction.
        let from = self.program.code.iter().position(|i| std::ptr::eq(i, inst)).unwrap_or(pc);
        self.step_limit(from)?;
        unit.pc = pc;
        Ok(Stop::Paused)
    }

    fn step_limit(&self, pc: usize) -> Result<(), Fault> {
        if self.steps <= self.max_steps {
            return Ok(());
        }
        let site = self.program.sites[self.program.site_of[pc] as usize].clone();
        Err(Fault::Steps { max: self.max_steps, site, printed: vec![] })
    }

    /// Records a finding, unless the kind is disabled or the finding is already recorded.
    pub fn report(
        &mut self,
        at: UnitCoordinates,
        pc: usize,
        kind: FindingKind,
        other: Option<(Option<UnitCoordinates>, Site)>,
        reason: impl FnOnce() -> String,
    ) {
        let site = self.program.site_of[pc];
        if self.find.has(kind) && self.log.is_new(kind, site) {
            let op = self.program.sites[site as usize].clone();
            self.log.first(site, Finding { kind, site: op, at, why: reason(), other, count: 1 });
        }
    }

    /// The source operation of an instruction.
    pub fn site(&self, pc: usize) -> Site {
        self.program.sites[self.program.site_of[pc] as usize].clone()
    }
}

fn regroup(slots: &mut [u64], inst: &Inst) {
    let (from, to) = (inst.imm & 255, inst.imm >> 8);
    for lane in 0..inst.lanes {
        let bit = |i: u32| {
            let place = lane * to + i;
            (slots[(inst.a + place / from) as usize] >> (place % from) & 1) << i
        };
        slots[(inst.dst + lane) as usize] = (0..to).map(bit).sum();
    }
}

// The next counter value of a loop. The counter never wraps around: the loop ends beyond the largest number.
#[inline(always)]
fn next(at: u64, end: u64, step: u64, bits: u32) -> Option<u64> {
    if bits == 0 {
        return at.checked_add(step).filter(|next| *next < end);
    }
    let next = signed(at, bits).checked_add(signed(step, bits))?;
    (next < signed(end, bits)).then_some(next as u64)
}
