//! Runs one unit: the loop over instructions.
//!
//! A unit is a state of its own, and [`Machine::resume`] runs it until it stops. Today it stops at its end only; a barrier
//! will be another reason to stop, after which the launch resumes the units of the cube in turn.
use crate::findings::{At, Find, Finding, FindingKind, Log};
use crate::launch::Fault;
use crate::memory::{Buffer, Race, Touch};
use crate::program::{Code, Inst, Program};
use crate::rules::ints::signed;

/// The state of one unit.
pub(crate) struct Unit {
    /// Its number in the launch, plus one.
    pub number: u64,
    /// Where it is.
    pub at: At,
    /// The next instruction.
    pub pc: usize,
    /// Values.
    pub slots: Vec<u64>,
    /// For each slot, one more than the site that made it poison, or 0; empty where nobody looks.
    pub poison: Vec<u32>,
}

/// Why a unit stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It reached its end, or met what has no meaning at all.
    Ended,
}

/// What all units of a launch share.
pub(crate) struct Machine<'a> {
    pub program: &'a Program,
    pub buffers: Vec<Buffer>,
    pub find: Find,
    pub log: Log,
    pub steps: u64,
    pub max_steps: u64,
    pub cube_count: [u32; 3],
}

impl Machine<'_> {
    /// Runs a unit until it stops.
    pub fn resume(&mut self, unit: &mut Unit) -> Result<Stop, Fault> {
        if self.find == Find::NOTHING { self.run::<false>(unit) } else { self.run::<true>(unit) }
    }

    fn run<const WATCH: bool>(&mut self, unit: &mut Unit) -> Result<Stop, Fault> {
        let program = self.program;
        let mut pc = unit.pc;
        loop {
            let inst = &program.code[pc];
            self.steps += 1;
            if WATCH && !self.watch(unit, pc, inst) {
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
                Code::Pick => {
                    let place = place(slots, inst);
                    for i in 0..inst.lanes {
                        slots[at(inst.dst, i)] = place.map_or(0, |p| slots[at(inst.b + p, i)]);
                    }
                }
                Code::Put => {
                    for i in 0..place(slots, inst).map_or(0, |_| inst.lanes) {
                        let place = place(slots, inst).unwrap_or(0);
                        slots[at(inst.dst + place, i)] = slots[at(inst.b, i)];
                    }
                }
                Code::Load { bool, .. } => load(&self.buffers, slots, inst, bool),
                Code::Store { .. } => store(&mut self.buffers, slots, inst),
                Code::Len => {
                    let lines = self.buffers.get(slots[inst.a as usize] as usize).map_or(0, |b| b.lines);
                    slots[inst.dst as usize] = lines & (u64::MAX >> (64 - inst.imm));
                }
                Code::Jump => {
                    self.step_limit(pc - 1)?;
                    pc = inst.imm as usize;
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
                    if !before(from, to, bits) || !forward(slots[inst.c as usize], bits) {
                        pc = inst.imm as usize;
                    }
                }
                Code::LoopNext { signed: bits } => {
                    self.step_limit(pc - 1)?;
                    if let Some(next) =
                        next(slots[inst.a as usize], slots[inst.b as usize], slots[inst.c as usize], bits)
                    {
                        slots[inst.a as usize] = next & (u64::MAX >> (64 - inst.lanes));
                        pc = inst.imm as usize;
                    }
                }
                Code::End => {
                    self.step_limit(pc - 1)?;
                    unit.pc = pc - 1;
                    return Ok(Stop::Ended);
                }
            }
        }
    }

    #[inline(always)]
    fn step_limit(&self, pc: usize) -> Result<(), Fault> {
        if self.steps <= self.max_steps {
            return Ok(());
        }
        let site = self.program.sites[self.program.site_of[pc] as usize].clone();
        Err(Fault::Steps { max: self.max_steps, site })
    }
}

// The first lane of a dynamic position, unless it is outside.
fn place(slots: &[u64], inst: &Inst) -> Option<u32> {
    let index = slots[inst.a as usize];
    (index < u64::from(inst.imm)).then(|| index as u32 * inst.lanes)
}

#[inline(always)]
fn before(a: u64, b: u64, bits: u32) -> bool {
    if bits == 0 { a < b } else { signed(a, bits) < signed(b, bits) }
}

fn forward(step: u64, bits: u32) -> bool {
    if bits == 0 { step != 0 } else { signed(step, bits) > 0 }
}

// The next value of a loop, which never wraps around: beyond the largest number there is no further turn.
#[inline(always)]
fn next(at: u64, end: u64, step: u64, bits: u32) -> Option<u64> {
    if bits == 0 {
        return at.checked_add(step).filter(|next| *next < end);
    }
    let next = signed(at, bits).checked_add(signed(step, bits))?;
    (next < signed(end, bits)).then_some(next as u64)
}

#[inline(always)]
fn load(buffers: &[Buffer], slots: &mut [u64], inst: &Inst, bool: bool) {
    let line = slots[inst.a as usize];
    let found = buffers.get(slots[inst.b as usize] as usize).filter(|b| line < b.lines);
    let out = &mut slots[inst.dst as usize..(inst.dst + inst.lanes) as usize];
    match found {
        Some(buffer) => {
            let first = line as usize * buffer.line;
            for (i, out) in out.iter_mut().enumerate() {
                let value = buffer.get(first + i);
                *out = if bool { u64::from(value != 0) } else { value };
            }
        }
        None => out.fill(0),
    }
}

#[inline(always)]
fn store(buffers: &mut [Buffer], slots: &[u64], inst: &Inst) {
    let line = slots[inst.a as usize];
    if let Some(buffer) = buffers.get_mut(slots[inst.b as usize] as usize).filter(|b| line < b.lines) {
        let first = line as usize * buffer.line;
        for (i, value) in slots[inst.c as usize..(inst.c + inst.lanes) as usize].iter().enumerate() {
            buffer.set(first + i, *value);
        }
    }
}

/// Looking for what is wrong, before an instruction runs.
impl Machine<'_> {
    // Whether the unit can go on.
    fn watch(&mut self, unit: &mut Unit, pc: usize, inst: &Inst) -> bool {
        match inst.code {
            Code::Load { checked, .. } => {
                self.defined(unit, pc, inst.a, "the index of a read");
                self.access(unit, pc, inst, checked, false);
                unit.poison[inst.dst as usize..(inst.dst + inst.lanes) as usize].fill(0);
            }
            Code::Store { checked } => {
                self.defined(unit, pc, inst.a, "the index of a write");
                for lane in 0..inst.lanes {
                    self.defined(unit, pc, inst.c + lane, "the value of a write");
                }
                self.access(unit, pc, inst, checked, true);
            }
            Code::JumpUnless | Code::JumpOther => self.defined(unit, pc, inst.a, "the condition of a branch"),
            Code::LoopStart { signed: bits } => return self.loop_start(unit, pc, inst, bits),
            Code::LoopNext { .. } | Code::Jump | Code::End => {}
            _ => return self.values(unit, pc, inst),
        }
        true
    }

    fn loop_start(&mut self, unit: &mut Unit, pc: usize, inst: &Inst, bits: u32) -> bool {
        for slot in [inst.a, inst.b, inst.c] {
            self.defined(unit, pc, slot, "the bound of a loop");
        }
        let slot = |slot: u32| unit.slots[slot as usize];
        if before(slot(inst.a), slot(inst.b), bits) && !forward(slot(inst.c), bits) {
            self.report(unit, pc, FindingKind::Ub, None, || "the step of a loop does not go forward".into());
            return false;
        }
        true
    }

    // Poison goes through operations; a flaw makes it, or ends the unit.
    fn values(&mut self, unit: &mut Unit, pc: usize, inst: &Inst) -> bool {
        let program = self.program;
        let flaws: &[_] = match program.flaw_of[pc] {
            0 => &[],
            n => &program.flaws[n as usize - 1],
        };
        for lane in 0..inst.lanes {
            let (a, b) = (inst.a + lane, inst.b + lane);
            let mut poison = self.incoming(unit, inst, lane);
            for (flaw, widths) in flaws {
                if poison == 0 && (flaw.test)(unit.slots[a as usize], unit.slots[b as usize], *widths) {
                    if flaw.immediate {
                        self.report(unit, pc, FindingKind::Ub, None, || flaw.why.into());
                    }
                    poison = program.site_of[pc] + 1;
                }
            }
            let outside = matches!(inst.code, Code::Pick | Code::Put) && place(&unit.slots, inst).is_none();
            if outside {
                self.report(unit, pc, FindingKind::Ub, None, || "a position outside the vector".into());
            }
            let dst = match inst.code {
                Code::Put => inst.dst + place(&unit.slots, inst).unwrap_or(0),
                _ => inst.dst,
            };
            unit.poison[(dst + lane) as usize] = poison;
        }
        true
    }

    // The poison of what a lane of the result is made of.
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
            Code::Pick => either(of(inst.a), place(&unit.slots, inst).map_or(0, |p| of(b + p))),
            Code::Put => either(of(inst.a), of(b)),
            _ => 0,
        }
    }

    fn defined(&mut self, unit: &Unit, pc: usize, slot: u32, what: &str) {
        let poison = unit.poison[slot as usize];
        if poison != 0 {
            let from = self.program.sites[poison as usize - 1].clone();
            let why = if from.op == "ub.poison" { "poison" } else { "an undefined result" };
            self.report(unit, pc, FindingKind::Ub, Some((None, from)), || format!("{what} is {why}"));
        }
    }

    fn access(&mut self, unit: &Unit, pc: usize, inst: &Inst, checked: bool, write: bool) {
        let (line, number) = (unit.slots[inst.a as usize], unit.slots[inst.b as usize] as usize);
        let site = self.program.site_of[pc];
        let name = || self.program.params.get(number).map_or("?", |p| p.name.as_str()).to_string();
        let verb = if write { "writes" } else { "reads" };
        let Some(lines) = self.buffers.get(number).map(|b| b.lines) else { return };
        if line >= lines {
            let (kind, name) = (if checked { FindingKind::Bounds } else { FindingKind::Ub }, name());
            let promise = if checked { "" } else { ", though promised to be inside" };
            self.report(unit, pc, kind, None, || format!("{verb} {name}[{line}] of {lines}{promise}"));
            return;
        }
        let (race, written) = match write {
            true => (self.buffers[number].note_write(line, unit.number, site), true),
            false => self.buffers[number].note_read(line, unit.number, site),
        };
        if let Some(Race { with, wrote }) = race {
            let (name, done) = (self.param(number), if wrote { "writes" } else { "reads" });
            let other = (self.place_of(with), self.program.sites[with.site as usize].clone());
            let why = || format!("{verb} {name}[{line}], which another unit {done}");
            self.report(unit, pc, FindingKind::Races, Some(other), why);
        }
        if !written {
            let name = self.param(number);
            self.report(unit, pc, FindingKind::Uninit, None, || {
                format!("reads {name}[{line}], which nothing has written")
            });
        }
    }

    fn param(&self, number: usize) -> String {
        self.program.params.get(number).map_or("?", |p| p.name.as_str()).to_string()
    }

    // Where the unit of a touch is; unknown where several have been there.
    fn place_of(&self, touch: Touch) -> Option<At> {
        let number = touch.unit.checked_sub(1)?;
        Some(crate::launch::position(number, self.program.cube_dim, self.cube_count))
    }

    fn report(
        &mut self,
        unit: &Unit,
        pc: usize,
        kind: FindingKind,
        other: Option<(Option<At>, crate::program::Site)>,
        why: impl FnOnce() -> String,
    ) {
        let site = self.program.site_of[pc];
        if self.find.has(kind) && self.log.is_new(kind, site) {
            let op = self.program.sites[site as usize].clone();
            self.log.first(site, Finding { kind, site: op, at: unit.at, why: why(), other, count: 1 });
        }
    }
}
