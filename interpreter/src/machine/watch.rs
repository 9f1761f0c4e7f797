//! Detects faults before an instruction runs.
use super::access::{AddressedLine, addressed_line, local_at, local_line};
use super::state::{Machine, UNWRITTEN, Unit, element_lane, is_less, is_positive_step};
use crate::findings::FindingKind;
use crate::memory::{AccessingUnit, Race};
use crate::program::{AtomicKind, Code, Inst};
use cube_ir::{Dialect, ops::ub};

#[derive(Clone, Copy)]
struct AccessEffect {
    reads: bool,
    writes: bool,
    atomic: bool,
    checked: bool,
}

impl AccessEffect {
    fn verb(self) -> &'static str {
        match self {
            AccessEffect { reads: true, writes: true, .. } => "updates",
            AccessEffect { writes: true, .. } => "writes",
            _ => "reads",
        }
    }
}

impl Machine<'_> {
    /// Detects faults of an instruction; returns whether the unit can continue.
    #[inline(always)]
    pub(super) fn watch(&mut self, unit: &mut Unit, pc: usize, inst: &Inst) -> bool {
        match inst.code {
            Code::Load { checked, slice, .. } => {
                self.address(unit, pc, inst, slice, "a read");
                let addressed = addressed_line(&self.buffers, &unit.slots, inst, slice);
                let effect = AccessEffect { reads: true, writes: false, atomic: false, checked };
                let from = self.access(unit, pc, inst, addressed, effect);
                for lane in 0..inst.lanes as usize {
                    unit.poison[inst.dst as usize + lane] = from.map_or(0, |at| unit.poison[at + lane]);
                }
            }
            Code::Store { checked, slice } => {
                self.address(unit, pc, inst, slice, "a write");
                let addressed = addressed_line(&self.buffers, &unit.slots, inst, slice);
                let effect = AccessEffect { reads: false, writes: true, atomic: false, checked };
                match self.access(unit, pc, inst, addressed, effect) {
                    Some(to) => self.poison_local(unit, inst, to),
                    None => self.stored(unit, pc, inst),
                }
            }
            Code::LoadLocal { checked } => self.load_local(unit, pc, inst, checked),
            Code::StoreLocal { checked } => {
                self.defined(unit, pc, inst.a, "the index of a write");
                match local_line(&self.buffers, &unit.slots, inst) {
                    Some(to) => self.poison_local(unit, inst, to),
                    None => self.outside(unit, pc, inst.imm as usize, unit.slots[inst.a as usize], checked, "writes"),
                }
            }
            Code::Atomic { kind, checked, slice } => {
                self.address(unit, pc, inst, slice, "an atomic");
                let (reads, writes) = match kind {
                    AtomicKind::Load => (true, false),
                    AtomicKind::Store => (false, true),
                    _ => (true, true),
                };
                if writes {
                    self.stored(unit, pc, inst);
                }
                if matches!(kind, AtomicKind::Cas) {
                    self.defined(unit, pc, inst.imm, "the expected value of an atomic");
                }
                let addressed = addressed_line(&self.buffers, &unit.slots, inst, slice);
                let to = self.access(unit, pc, inst, addressed, AccessEffect { reads, writes, atomic: true, checked });
                if let Some(to) = to.filter(|_| writes) {
                    unit.poison[to] = 0;
                }
                if reads {
                    unit.poison[inst.dst as usize] = 0;
                }
            }
            Code::Measure(_) => {
                let all = [inst.a, inst.b, inst.c].map(|slot| unit.poison[slot as usize]);
                unit.poison[inst.dst as usize] = all.into_iter().find(|p| *p != 0).unwrap_or(0);
            }
            Code::Slice { slice } => {
                let before = if slice { unit.poison[inst.a as usize + 1] } else { 0 };
                let of = |slot: u32| unit.poison[slot as usize];
                let either = |x: u32, y: u32| if x != 0 { x } else { y };
                let (start, end) = (of(inst.b), of(inst.c));
                let made = [of(inst.a), either(before, start), either(start, end), either(before, either(start, end))];
                unit.poison[inst.dst as usize..inst.dst as usize + 4].copy_from_slice(&made);
            }
            Code::Place { .. } | Code::Address => unit.poison[inst.dst as usize] = 0,
            Code::Read { .. } | Code::Write | Code::AtomicAt(_) => self.watch_address(unit, pc, inst),
            Code::Print => {
                let program = self.program;
                for (at, lanes, _) in &program.prints[inst.imm as usize].values {
                    for slot in *at..at + lanes {
                        self.defined(unit, pc, slot, "a printed value");
                    }
                }
            }
            Code::JumpUnless | Code::JumpOther => self.defined(unit, pc, inst.a, "the condition of a branch"),
            Code::LoopStart { signed: bits } => return self.loop_start(unit, pc, inst, bits),
            Code::LoopNext { .. } | Code::Jump | Code::End | Code::Barrier(_) | Code::Plane(_) => {}
            _ => self.values(unit, pc, inst),
        }
        true
    }

    fn loop_start(&mut self, unit: &mut Unit, pc: usize, inst: &Inst, bits: u32) -> bool {
        for slot in [inst.a, inst.b, inst.c] {
            self.defined(unit, pc, slot, "the bound of a loop");
        }
        let slot = |slot: u32| unit.slots[slot as usize];
        if is_less(slot(inst.a), slot(inst.b), bits) && !is_positive_step(slot(inst.c), bits) {
            self.report(unit.at, pc, FindingKind::Ub, None, || "the step of a loop is not positive".into());
            return false;
        }
        true
    }

    // Propagates poison through an operation. A flaw (operands without a defined result) creates poison. If the flaw is
    // undefined behaviour, it is also reported.
    fn values(&mut self, unit: &mut Unit, pc: usize, inst: &Inst) {
        let program = self.program;
        let flaws: &[_] = match program.flaw_of[pc] {
            0 => &[],
            n => &program.flaws[n as usize - 1],
        };
        if let Code::Pick { total } | Code::Put { total } = inst.code
            && !total
            && element_lane(&unit.slots, inst).is_none()
        {
            self.report(unit.at, pc, FindingKind::Ub, None, || "the position is outside the vector".into());
        }
        for lane in 0..inst.lanes {
            let (a, b) = (inst.a + lane, inst.b + lane);
            let mut poison = self.incoming(unit, inst, lane);
            for (flaw, widths) in flaws {
                if poison == 0 && (flaw.test)(unit.slots[a as usize], unit.slots[b as usize], *widths) {
                    if flaw.immediate {
                        self.report(unit.at, pc, FindingKind::Ub, None, || flaw.why.into());
                    }
                    poison = program.site_of[pc] + 1;
                }
            }
            let dst = match inst.code {
                Code::Put { .. } => match element_lane(&unit.slots, inst) {
                    Some(lane) => inst.dst + lane,
                    None => continue,
                },
                _ => inst.dst,
            };
            unit.poison[(dst + lane) as usize] = poison;
        }
    }

    // The poison of the operands that contribute to a lane of the result.
    fn incoming(&self, unit: &Unit, inst: &Inst, lane: u32) -> u32 {
        let of = |slot: u32| unit.poison[slot as usize];
        let (a, b, c) = (inst.a + lane, inst.b + lane, inst.c + lane);
        let either = |x: u32, y: u32| if x != 0 { x } else { y };
        let chosen = |condition: u32| if unit.slots[condition as usize] != 0 { of(b) } else { of(c) };
        match inst.code {
            Code::Map1(_) | Code::Copy => of(a),
            Code::Map2(_) => either(of(a), of(b)),
            Code::Map3(_) => either(either(of(a), of(b)), of(c)),
            Code::Splat => of(inst.a),
            Code::Choose => either(of(inst.a), chosen(inst.a)),
            Code::ChooseLanes => either(of(a), chosen(a)),
            Code::Pick { .. } => either(of(inst.a), element_lane(&unit.slots, inst).map_or(0, |p| of(b + p))),
            Code::Put { .. } => either(of(inst.a), of(b)),
            _ => 0,
        }
    }

    /// Reports an undefined value in an operand that must be defined.
    pub(crate) fn defined(&mut self, unit: &Unit, pc: usize, slot: u32, what: &str) {
        let poison = unit.poison[slot as usize];
        if poison != 0 && poison != UNWRITTEN {
            self.undefined(unit, pc, poison, what);
        }
    }

    #[cold]
    fn undefined(&mut self, unit: &Unit, pc: usize, poison: u32, what: &str) {
        let from = self.program.sites[poison as usize - 1].clone();
        let why = if from.kind == ub::POISON { "poison" } else { "an undefined result" };
        self.report(unit.at, pc, FindingKind::Ub, Some((None, from)), || format!("{what} is {why}"));
    }

    #[inline(always)]
    fn address(&mut self, unit: &Unit, pc: usize, inst: &Inst, slice: bool, what: &str) {
        let end = inst.b + if slice { 4 } else { 1 };
        let poisoned = |slot: u32| unit.poison[slot as usize] != 0;
        if poisoned(inst.a) || (inst.b..end).any(poisoned) {
            self.defined(unit, pc, inst.a, &format!("the index of {what}"));
            for slot in inst.b..end {
                self.defined(unit, pc, slot, &format!("the buffer of {what}"));
            }
        }
    }

    fn stored(&mut self, unit: &Unit, pc: usize, inst: &Inst) {
        for lane in 0..inst.lanes {
            self.defined(unit, pc, inst.c + lane, "the value of a write");
        }
    }

    // Local memory holds values of the unit. An undefined value becomes a fault when it is used.
    fn poison_local(&mut self, unit: &mut Unit, inst: &Inst, to: usize) {
        let from = inst.c as usize;
        unit.poison.copy_within(from..from + inst.lanes as usize, to);
    }

    fn load_local(&mut self, unit: &mut Unit, pc: usize, inst: &Inst, checked: bool) {
        self.defined(unit, pc, inst.a, "the index of a read");
        let found = local_line(&self.buffers, &unit.slots, inst);
        if found.is_none() {
            self.outside(unit, pc, inst.imm as usize, unit.slots[inst.a as usize], checked, "reads");
        }
        let line = unit.slots[inst.a as usize];
        for lane in 0..inst.lanes as usize {
            let from = found.map_or(0, |at| unit.poison[at + lane]);
            unit.poison[inst.dst as usize + lane] = if from == UNWRITTEN { 0 } else { from };
            if from == UNWRITTEN {
                self.unwritten(unit, pc, inst.imm as usize, line);
            }
        }
    }

    #[cold]
    fn unwritten(&mut self, unit: &Unit, pc: usize, buffer: usize, line: u64) {
        let name = self.name(buffer);
        let why = || format!("reads {name}[{line}], which has not been written");
        self.report(unit.at, pc, FindingKind::Uninit, None, why);
    }

    fn outside(&mut self, unit: &Unit, pc: usize, buffer: usize, line: u64, checked: bool, verb: &str) {
        let (name, lines) = (self.name(buffer), self.buffers.get(buffer).map_or(0, |b| b.lines));
        let kind = if checked { FindingKind::Bounds } else { FindingKind::Ub };
        let promise = if checked { "" } else { ", although declared in bounds" };
        // If the coordinate of a view access is outside the shape, the index of the access is at least 2^32 - 1,
        // which is beyond every buffer.
        let leaves_its_shape = line >= u64::from(u32::MAX) && self.site(pc).kind.dialect() == Some(Dialect::Layout);
        self.report(unit.at, pc, kind, None, || match leaves_its_shape {
            true => format!("{verb} {name} at a coordinate outside of the shape of its view{promise}"),
            false => format!("{verb} {name}[{line}], but {name} has {lines} lines{promise}"),
        });
    }

    // Checks an access. Returns the first slot of the accessed line in local memory; `None` for other memory,
    // and for an access out of bounds.
    fn access(
        &mut self,
        unit: &mut Unit,
        pc: usize,
        inst: &Inst,
        addressed: AddressedLine,
        effect: AccessEffect,
    ) -> Option<usize> {
        if !addressed.inside {
            self.outside_of(unit, pc, inst, addressed, effect.checked, effect.verb());
            return None;
        }
        let buffer = &self.buffers[addressed.buffer];
        if let Some(base) = buffer.local {
            let at = local_at(buffer, addressed.line, base);
            let mut unwritten = false;
            for lane in at..at + buffer.line {
                if effect.reads && unit.poison[lane] == UNWRITTEN {
                    unit.poison[lane] = 0;
                    unwritten = true;
                }
            }
            if unwritten {
                self.unwritten(unit, pc, addressed.buffer, addressed.line);
            }
            return Some(at);
        }
        let (accessor, site) = (self.access_identity(unit, buffer.shared), self.program.site_of[pc]);
        let shadow = self.buffers[addressed.buffer].shadow.as_mut()?;
        let written = !effect.reads || shadow.is_written(addressed.line);
        let race = shadow.record(addressed.line, accessor, site, (effect.writes, effect.atomic), &self.passed);
        let race = match self.buffers[addressed.buffer].overlaps.is_empty() {
            true => race,
            false => race.or(self.access_overlaps(addressed, accessor, effect)),
        };
        if let Some(Race { unit: other, site, effect: other_effect }) = race {
            let (name, line) = (self.name(addressed.buffer), addressed.line);
            let unit_position = crate::order::position(other, self.program.cube_dim, self.cube_count);
            let other = (Some(unit_position), self.program.sites[site as usize].clone());
            let (verb, how) = (effect.verb(), if effect.atomic { " atomically" } else { "" });
            let why = || format!("{verb} {name}[{line}]{how}, which another unit {other_effect}");
            self.report(unit.at, pc, FindingKind::Races, Some(other), why);
        }
        if !written {
            self.unwritten(unit, pc, addressed.buffer, addressed.line);
        }
        None
    }

    // Returns a race with an access of an overlapping buffer. A write marks the overlapped lines of that buffer as
    // unwritten.
    fn access_overlaps(
        &mut self,
        addressed: AddressedLine,
        accessor: AccessingUnit,
        effect: AccessEffect,
    ) -> Option<Race> {
        let buffer = &self.buffers[addressed.buffer];
        let line = buffer.size * buffer.line;
        let bytes = addressed.line as usize * line..(addressed.line as usize + 1) * line;
        let mut race = None;
        for overlap in buffer.overlaps.clone() {
            let other = &mut self.buffers[overlap.buffer];
            let lines = overlap.lines(other, &bytes);
            let Some(shadow) = &mut other.shadow else { continue };
            for line in lines {
                race = race.or(shadow.race(line, accessor, (effect.writes, effect.atomic), &self.passed));
                if effect.writes {
                    shadow.mark_unwritten(line);
                }
            }
        }
        race
    }

    #[cold]
    fn outside_of(&mut self, unit: &Unit, pc: usize, inst: &Inst, addressed: AddressedLine, checked: bool, verb: &str) {
        let slice = match inst.code {
            Code::Load { slice, .. } | Code::Store { slice, .. } | Code::Atomic { slice, .. } => slice,
            _ => false,
        };
        if !slice {
            return self.outside(unit, pc, addressed.buffer, addressed.line, checked, verb);
        }
        let index = unit.slots[inst.a as usize];
        let (start, count) = (unit.slots[inst.b as usize + 1], unit.slots[inst.b as usize + 3]);
        let (name, lines) = (self.name(addressed.buffer), self.buffers.get(addressed.buffer).map_or(0, |b| b.lines));
        let kind = if checked { FindingKind::Bounds } else { FindingKind::Ub };
        let promise = if checked { "" } else { ", although declared in bounds" };
        let why = || format!("{verb} [{index}] of a slice of {count} lines from {name}[{start}] of {lines}{promise}");
        self.report(unit.at, pc, kind, None, why);
    }

    pub(super) fn name(&self, buffer: usize) -> String {
        self.program.buffers.get(buffer).and_then(|b| b.as_ref()).map_or("?", |b| b.name.as_str()).to_string()
    }
}
