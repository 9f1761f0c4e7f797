//! Plane operations: combine and exchange values of the lanes of a plane. Inactive lanes contribute the identity
//! of the operation.
use crate::findings::FindingKind;
use crate::machine::{Machine, Unit};
use crate::program::{Fn2, Inst, PlaneKind};

/// Largest number of lanes in a plane.
const MAX_LANES: usize = 128;

/// Runs the operation at `pc` for the units `active` of the plane whose first unit is `first`. Poison is tracked only if
/// the launch detects undefined results.
pub(crate) fn run(
    machine: &mut Machine<'_>,
    units: &mut [Unit],
    kind: PlaneKind,
    pc: usize,
    first: usize,
    plane_dim: usize,
    active: &[usize],
) {
    let inst = machine.program.code[pc];
    let plane = Plane { inst, first, plane_dim, active };
    let tracks_poison = active.first().is_some_and(|i| !units[*i].poison.is_empty());
    if tracks_poison && matches!(kind, PlaneKind::Broadcast) {
        let lane = |i: usize| units[i].slots[inst.b as usize];
        if let Some(other) = active.iter().find(|i| lane(**i) != lane(active[0])) {
            let why = || {
                format!("lane {} in this unit, but lane {} in another unit of the plane", lane(active[0]), lane(*other))
            };
            let with = (Some(units[*other].at), machine.site(pc));
            machine.report(units[active[0]].at, pc, FindingKind::Barriers, Some(with), why);
        }
    }
    if tracks_poison {
        plane.poison(machine, units, kind, pc);
    }
    plane.values(units, kind);
}

struct Plane<'a> {
    inst: Inst,
    first: usize,
    plane_dim: usize,
    active: &'a [usize],
}

impl Plane<'_> {
    fn value(&self, units: &[Unit], unit: usize, lane: u32) -> u64 {
        units[unit].slots[(self.inst.a + lane) as usize]
    }

    fn values(&self, units: &mut [Unit], kind: PlaneKind) {
        if let PlaneKind::Reduce(f) = kind {
            return self.reduce(units, f);
        }
        let results: Vec<Vec<u64>> = match kind {
            PlaneKind::Elect => self.each(|i| vec![u64::from(i == self.active[0])]),
            PlaneKind::All => self.same(vec![u64::from(self.active.iter().all(|i| self.value(units, *i, 0) != 0))]),
            PlaneKind::Any => self.same(vec![u64::from(self.active.iter().any(|i| self.value(units, *i, 0) != 0))]),
            PlaneKind::Ballot => {
                let mut words = vec![0u64; 4];
                for i in self.active.iter().filter(|i| self.value(units, **i, 0) != 0) {
                    let lane = i - self.first;
                    words[lane / 32] |= 1 << (lane % 32);
                }
                self.same(words)
            }
            PlaneKind::Exclusive(f) => self.scan(units, f, false),
            PlaneKind::Reduce(f) | PlaneKind::Inclusive(f) => self.scan(units, f, true),
            PlaneKind::Broadcast | PlaneKind::Move(_) => self.each(|i| {
                let from = self.source(units, kind, i);
                (0..self.inst.lanes).map(|lane| self.value(units, from, lane)).collect()
            }),
        };
        for (unit, result) in self.active.iter().zip(results) {
            let at = self.inst.dst as usize;
            units[*unit].slots[at..at + result.len()].copy_from_slice(&result);
        }
    }

    // Reduces the upper half of the lanes into the lower half until one lane is left. All lanes get the value of this
    // lane. The function allocates no list of results, because the operation is common.
    fn reduce(&self, units: &mut [Unit], f: Fn2) {
        for lane in 0..self.inst.lanes {
            let mut all = [None; MAX_LANES];
            for unit in self.active {
                all[unit - self.first] = Some(self.value(units, *unit, lane));
            }
            let mut half = self.plane_dim.next_power_of_two() / 2;
            while half > 0 {
                for i in 0..half {
                    all[i] = self.combine(f, all[i], all[i + half]);
                }
                half /= 2;
            }
            for unit in self.active {
                units[*unit].slots[(self.inst.dst + lane) as usize] = all[0].unwrap_or(0);
            }
        }
    }

    fn each(&self, f: impl Fn(usize) -> Vec<u64>) -> Vec<Vec<u64>> {
        self.active.iter().map(|i| f(*i)).collect()
    }

    fn same(&self, value: Vec<u64>) -> Vec<Vec<u64>> {
        vec![value; self.active.len()]
    }

    // The values of all lanes in order, padded to a power of two. Inactive lanes have `None`.
    fn lanes(&self, units: &[Unit], lane: u32) -> Vec<Option<u64>> {
        let mut all = vec![None; self.plane_dim.next_power_of_two()];
        for unit in self.active {
            all[unit - self.first] = Some(self.value(units, *unit, lane));
        }
        all
    }

    fn combine(&self, f: Fn2, first: Option<u64>, second: Option<u64>) -> Option<u64> {
        match (first, second) {
            (Some(first), Some(second)) => Some(f(first, second, self.inst.imm)),
            (one, other) => one.or(other),
        }
    }

    // After step k, each lane has combined the 2^k lanes that end at the lane itself (Hillis and Steele, 1986).
    fn scan(&self, units: &[Unit], f: Fn2, own: bool) -> Vec<Vec<u64>> {
        let mut results = vec![Vec::with_capacity(self.inst.lanes as usize); self.active.len()];
        for lane in 0..self.inst.lanes {
            let mut all = self.lanes(units, lane);
            let mut distance = 1;
            while distance < all.len() {
                for i in (distance..all.len()).rev() {
                    all[i] = self.combine(f, all[i - distance], all[i]);
                }
                distance *= 2;
            }
            for (unit, result) in self.active.iter().zip(&mut results) {
                let at = unit - self.first;
                let value = if own { all[at] } else { at.checked_sub(1).and_then(|before| all[before]) };
                result.push(value.unwrap_or(units[*unit].slots[self.inst.c as usize]));
            }
        }
        results
    }

    // The unit whose value `unit` receives. If that lane is inactive, the result is `unit` itself.
    fn source(&self, units: &[Unit], kind: PlaneKind, unit: usize) -> usize {
        let (own, operand) = ((unit - self.first) as u64, units[unit].slots[self.inst.b as usize]);
        let lane = match kind {
            PlaneKind::Move(lane_of) => lane_of(own, operand, self.plane_dim as u64),
            _ => Some(operand),
        };
        let unit_of = |lane: u64| (lane < self.plane_dim as u64).then(|| self.first + lane as usize);
        lane.and_then(unit_of).filter(|other| self.active.binary_search(other).is_ok()).unwrap_or(unit)
    }

    // If a lane's value is undefined, it is undefined in all lanes that receive it.
    fn poison(&self, machine: &mut Machine<'_>, units: &mut [Unit], kind: PlaneKind, pc: usize) {
        let shuffles = matches!(kind, PlaneKind::Broadcast | PlaneKind::Move(_));
        if shuffles {
            for i in self.active {
                machine.defined(&units[*i], pc, self.inst.b, "the lane of a plane operation");
            }
        }
        let of = |units: &[Unit], i: usize, lane: u32| units[i].poison[(self.inst.a + lane) as usize];
        let lanes = if matches!(kind, PlaneKind::Ballot) { 4 } else { self.inst.lanes };
        let inputs = if matches!(kind, PlaneKind::Elect) { 0 } else { self.inst.lanes };
        if self.active.iter().all(|i| (0..inputs).all(|lane| of(units, *i, lane) == 0)) {
            for i in self.active {
                let at = self.inst.dst as usize;
                units[*i].poison[at..at + lanes as usize].fill(0);
            }
            return;
        }
        let mut results: Vec<Vec<u32>> = Vec::new();
        for (place, i) in self.active.iter().enumerate() {
            results.push(
                (0..lanes)
                    .map(|lane| match kind {
                        PlaneKind::Elect => 0,
                        PlaneKind::Broadcast | PlaneKind::Move(_) => of(units, self.source(units, kind, *i), lane),
                        PlaneKind::Exclusive(_) => first_of(self.active[..place].iter().map(|i| of(units, *i, lane))),
                        PlaneKind::Inclusive(_) => first_of(self.active[..=place].iter().map(|i| of(units, *i, lane))),
                        PlaneKind::Reduce(_) => first_of(self.active.iter().map(|i| of(units, *i, lane))),
                        _ => first_of(self.active.iter().map(|i| of(units, *i, 0))),
                    })
                    .collect(),
            );
        }
        for (i, poison) in self.active.iter().zip(results) {
            let at = self.inst.dst as usize;
            units[*i].poison[at..at + poison.len()].copy_from_slice(&poison);
        }
    }
}

fn first_of(mut all: impl Iterator<Item = u32>) -> u32 {
    all.find(|p| *p != 0).unwrap_or(0)
}
