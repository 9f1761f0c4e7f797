//! Predicts the time of a launch from a profile.
use super::evaluate::{ASSUMED_TRIPS, Values, WINDOW};
use super::{AccessKind, BlockKind, Memory, Profile};
use crate::derived::{Arguments, Derived};
use cube_target::CostClass;
use std::collections::{BTreeMap, BTreeSet};
/// Bytes of a sector, which the cache transfers.
const SECTOR: u64 = 32;
/// Bytes that the memory pipeline transfers for a plane per cycle.
const GROUP: u64 = 128;
/// Banks of shared memory, of 4 bytes each.
const BANKS: u64 = 32;
/// The largest part of the peak rate of global memory that a kernel reaches.
const GLOBAL_PART: f64 = 0.92;
/// Exponent of the norm that combines the times.
const EXPONENT: f64 = 4.0;
/// The sum of the cycles from the start of a cube to its first instruction, and from its last instruction to its end.
const CUBE_START: f64 = 900.0;
/// The number of iterations of a loop whose loads overlap.
const OVERLAP: f64 = 4.0;
/// Cycles of a barrier of the cube.
const BARRIER: f64 = 30.0;
/// Seconds of a launch of an empty kernel.
const LAUNCH: f64 = 1.2e-6;

/// The resource that limits a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The rate of instructions.
    Issue,
    /// The memory pipeline of the multiprocessors.
    MemoryPipeline,
    /// The rate of the last cache.
    Cache,
    /// The rate of global memory.
    GlobalMemory,
    /// The latency of accesses and instructions, because too few planes run at a time.
    Latency,
}

impl Limit {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Issue => "issue",
            Limit::MemoryPipeline => "memory pipeline",
            Limit::Cache => "cache",
            Limit::GlobalMemory => "global memory",
            Limit::Latency => "latency",
        }
    }
}

/// The resource that limits the number of resident cubes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// The planes of the schedulers.
    Planes,
    /// The registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// The number of cubes of a multiprocessor.
    Cubes,
}

impl Resource {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Resource::Planes => "planes",
            Resource::Registers => "registers",
            Resource::SharedMemory => "shared memory",
            Resource::Cubes => "cubes of a multiprocessor",
        }
    }
}

/// One of the times that a prediction combines.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The resource.
    pub limit: Limit,
    /// Seconds, if only this resource limited the launch.
    pub seconds: f64,
}

/// The cost of one access.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessCost {
    /// Number of the access in the profile.
    pub access: usize,
    /// Cycles of the memory pipeline for one access of a plane, on average.
    pub cycles: f64,
    /// The least number of cycles for the accessed bytes.
    pub least: f64,
    /// Whether the index is unknown. The prediction then assumes that each unit accesses a different sector.
    pub unknown: bool,
    /// The number of accesses of planes in one cube.
    pub runs: f64,
}

/// An assumption of the prediction about a part of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// The trip count of the loop in this block is unknown; the number is assumed.
    Trips(usize, u64),
    /// The condition of the arm in this block is unknown. The prediction assumes that the arm runs.
    Condition(usize),
    /// The length of this buffer is unknown, so that its repeated accesses all reach global memory.
    Length(String),
}

/// The prediction for one launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Seconds of the launch.
    pub seconds: f64,
    /// The largest time.
    pub limit: Limit,
    /// All times, the largest first.
    pub terms: Vec<Term>,
    /// The number of planes that are resident on a multiprocessor at the same time.
    pub resident: u32,
    /// The maximum number of planes that can be resident on a multiprocessor.
    pub most_resident: u32,
    /// The resource that limits the number of resident planes.
    pub resident_by: Resource,
    /// Cubes of the launch.
    pub cubes: u64,
    /// Bytes from or to global memory.
    pub global_bytes: f64,
    /// Bytes from or to the last cache.
    pub cache_bytes: f64,
    /// Instructions of one unit, without accesses.
    pub instructions: f64,
    /// The busiest class of operations; `None` if all instructions together take longer.
    pub busiest: Option<CostClass>,
    /// The accesses.
    pub accesses: Vec<AccessCost>,
    /// The assumptions.
    pub assumptions: Vec<Assumption>,
}

/// The work of one cube.
#[derive(Default)]
struct Work {
    /// Instructions of all planes.
    slots: f64,
    /// Times of classes, in cycles of all schedulers.
    classes: BTreeMap<CostClass, f64>,
    /// Cycles of the memory pipeline.
    pipeline: f64,
    /// Bytes of the cache for each buffer: loads, and stores.
    cache: BTreeMap<(String, bool), f64>,
    /// Cycles that one plane waits.
    waits: f64,
}

/// The sectors that the sampled units access in several iterations.
#[derive(Default)]
struct Sectors {
    /// The distinct sectors of the current iteration.
    current: BTreeSet<u64>,
    /// The distinct sectors of all iterations.
    all: BTreeSet<u64>,
    /// The number of distinct sectors in one iteration, summed over all iterations.
    of_iterations: f64,
    /// Sectors of accesses with an unknown index.
    unknown: f64,
}

impl Sectors {
    fn add(&mut self, index: Option<u64>, element: u32, bytes: u32) {
        let Some(index) = index else {
            self.unknown += (f64::from(bytes) / SECTOR as f64).max(1.0);
            return;
        };
        let first = index.wrapping_mul(element.into());
        let last = first.saturating_add(u64::from(bytes.max(1)) - 1);
        self.current.extend(first / SECTOR..=last / SECTOR);
    }

    fn end_iteration(&mut self) {
        self.of_iterations += self.current.len() as f64;
        self.all.append(&mut self.current);
    }
}

impl Profile {
    /// Predicts the time of a launch.
    ///
    /// # Errors
    /// The launch does not define a name that the kernel's integers read.
    pub fn predict(&self, facts: &dyn Arguments) -> Result<Prediction, String> {
        let requested = |axis: u32| facts.cubes(axis).ok_or_else(|| format!("a launch has no axis {axis}"));
        let count = match &self.cube_count {
            Some(texts) => {
                let counts = texts.iter().map(|text| Derived::parse(text)?.evaluate(facts));
                counts.collect::<Result<Vec<u64>, String>>()?
            }
            None => (0..3).map(requested).collect::<Result<Vec<u64>, String>>()?,
        };
        let count = [count[0], count[1], count[2]];
        let cubes = count.iter().fold(1u64, |all, n| all.saturating_mul(*n));
        let mut values = Values::of(self, facts, count)?;
        let (resident, resident_by) = self.resident();
        let planes = self.planes_of_cube();
        let scale = f64::from(planes) / values.planes() as f64;
        let mut assumptions = Vec::new();
        let (active, runs) = self.runs(&values, &mut assumptions);
        let mut work = Work::default();
        let mut instructions = 0.0;
        for (block, runs) in self.blocks.iter().zip(&runs) {
            let all = runs.iter().sum::<f64>() * scale;
            let own = f64::from(block.counts.values().sum::<u32>() + block.others + block.barriers);
            instructions += own * all / f64::from(planes);
            work.slots += own * all;
            let mut dependent = 0.0;
            for (class, count) in &block.counts {
                let unit =
                    f64::from(self.costs.get(class).copied().unwrap_or(CostClass::UNIT)) / f64::from(CostClass::UNIT);
                *work.classes.entry(*class).or_default() += f64::from(*count) * unit * all;
                dependent += f64::from(*count) * f64::from(self.latencies.get(class).copied().unwrap_or(4));
            }
            let longest = runs.iter().copied().fold(0.0, f64::max);
            work.waits += longest * (dependent / OVERLAP + f64::from(block.barriers) * BARRIER);
        }
        let accesses =
            self.accesses(&mut values, &active, &runs, scale, f64::from(resident / planes.max(1)), &mut work);
        let machine = &self.machine;
        let (clock, multiprocessors) = (f64::from(machine.clock_mhz) * 1e6, f64::from(machine.multiprocessors.max(1)));
        let schedulers = f64::from(machine.schedulers.max(1));
        // The number of cubes per multiprocessor is rounded up, because the slowest multiprocessor determines the time.
        let on_one = (cubes as f64 / multiprocessors).ceil();
        let busiest = work.classes.iter().max_by(|x, y| x.1.total_cmp(y.1)).filter(|(_, time)| **time > work.slots);
        let issue = busiest.map_or(work.slots, |(_, time)| *time) * on_one / schedulers / clock;
        let pipeline = work.pipeline * on_one / clock;
        let all = cubes as f64;
        let cache_bytes = all * work.cache.values().sum::<f64>();
        let cache = cache_bytes / (f64::from(machine.cache_bytes_per_cycle) * clock);
        let global_bytes = self.global_bytes(&work, all, facts, &mut assumptions);
        let global = global_bytes / (f64::from(machine.global_mb_per_s) * 1e6 * GLOBAL_PART);
        let rounds = (on_one / f64::from((resident / planes.max(1)).max(1))).max(if cubes > 0 { 1.0 } else { 0.0 });
        let latency = (work.waits + CUBE_START) * rounds / clock;
        let mut terms: Vec<Term> = [
            (Limit::Issue, issue),
            (Limit::MemoryPipeline, pipeline),
            (Limit::Cache, cache),
            (Limit::GlobalMemory, global),
            (Limit::Latency, latency),
        ]
        .map(|(limit, seconds)| Term { limit, seconds })
        .into();
        terms.sort_by(|x, y| y.seconds.total_cmp(&x.seconds));
        let sum: f64 = terms.iter().map(|term| (term.seconds * 1e6).powf(EXPONENT)).sum();
        let seconds = LAUNCH + sum.powf(1.0 / EXPONENT) / 1e6;
        Ok(Prediction {
            seconds,
            limit: terms[0].limit,
            resident,
            most_resident: self.resident_planes * machine.schedulers,
            resident_by,
            cubes,
            global_bytes,
            cache_bytes,
            instructions,
            busiest: busiest.map(|(class, _)| *class),
            terms,
            accesses,
            assumptions,
        })
    }

    fn planes_of_cube(&self) -> u32 {
        self.cube_dim.iter().map(|n| (*n).max(1)).product::<u32>().div_ceil(self.plane_dim.max(1))
    }

    /// The number of planes that a multiprocessor runs at a time, and the resource that limits it.
    pub fn resident(&self) -> (u32, Resource) {
        let planes = self.planes_of_cube();
        // Hardware allocates registers in multiples of eight.
        let registers = self.registers.max(1).next_multiple_of(8).saturating_mul(self.plane_dim.max(1));
        let shared = u64::from(self.shared_bytes);
        let limits = [
            (self.resident_planes * self.machine.schedulers / planes, Resource::Planes),
            (self.register_file / registers / planes, Resource::Registers),
            (self.machine.shared_bytes.checked_div(shared).map_or(u32::MAX, |n| n as u32), Resource::SharedMemory),
            (self.machine.cubes, Resource::Cubes),
        ];
        let (cubes, by) = limits.into_iter().min_by_key(|(cubes, _)| *cubes).unwrap_or((1, Resource::Planes));
        (cubes.max(1) * planes, by)
    }

    /// For each block, the sampled units that execute it, and the number of executions by each sampled plane.
    fn runs(&self, values: &Values<'_>, assumptions: &mut Vec<Assumption>) -> (Vec<Vec<bool>>, Vec<Vec<f64>>) {
        let width = values.planes() * values.plane(0).len();
        let mut active: Vec<Vec<bool>> = Vec::new();
        let mut runs: Vec<Vec<f64>> = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            if block.kind == BlockKind::Kernel || number == 0 {
                active.push((0..width).map(|unit| values.exists(unit)).collect());
                runs.push(vec![1.0; values.planes()]);
                continue;
            }
            let parent = (block.parent as usize).min(number - 1);
            let reached = |unit: usize| active[parent][unit];
            let mut unknown = false;
            let trips: Vec<f64> = (0..width)
                .map(|unit| {
                    let trips = match block.kind {
                        _ if !reached(unit) => return 0.0,
                        BlockKind::Kernel => Some(1),
                        BlockKind::Loop { .. } => values.trips(block.kind, unit),
                        BlockKind::While => None,
                        BlockKind::Arm(condition, truth) => {
                            values.get(condition, unit).map(|value| u64::from((value != 0) == truth))
                        }
                    };
                    unknown |= trips.is_none();
                    let assumed = if matches!(block.kind, BlockKind::Arm(..)) { 1 } else { ASSUMED_TRIPS };
                    trips.unwrap_or(assumed) as f64
                })
                .collect();
            let of_plane = |plane: usize| values.plane(plane).map(|unit| trips[unit]).fold(0.0, f64::max);
            let own: Vec<f64> = (0..values.planes()).map(|plane| runs[parent][plane] * of_plane(plane)).collect();
            if unknown && own.iter().any(|runs| *runs > 0.0) {
                assumptions.push(match block.kind {
                    BlockKind::Arm(..) => Assumption::Condition(number),
                    _ => Assumption::Trips(number, ASSUMED_TRIPS),
                });
            }
            active.push(trips.iter().map(|trips| *trips > 0.0).collect());
            runs.push(own);
        }
        (active, runs)
    }

    fn accesses(
        &self,
        values: &mut Values<'_>,
        active: &[Vec<bool>],
        runs: &[Vec<f64>],
        scale: f64,
        resident_cubes: f64,
        work: &mut Work,
    ) -> Vec<AccessCost> {
        let mut costs: Vec<AccessCost> = Vec::new();
        let mut blocks: Vec<u32> = self.accesses.iter().map(|access| access.block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        for block in blocks {
            let own = || self.accesses.iter().enumerate().filter(|(_, access)| access.block == block);
            let (active, runs) = (&active[block as usize], &runs[block as usize]);
            let all = runs.iter().sum::<f64>() * scale;
            let longest = runs.iter().copied().fold(0.0, f64::max);
            let looped = self.innermost_loop(block);
            for (number, access) in own() {
                let cost = self.pipeline_cost(values, number, active, runs);
                if access.memory != Memory::Local {
                    work.slots += all;
                    work.pipeline += cost.cycles * all;
                }
                costs.push(AccessCost { runs: all, ..cost });
            }
            let waits = |of: &dyn Fn(&Memory) -> bool| own().any(|(_, a)| a.kind != AccessKind::Store && of(&a.memory));
            let latency =
                |class: CostClass| f64::from(self.costs.get(&class).copied().unwrap_or(0)) / f64::from(CostClass::UNIT);
            let overlap = if looped.is_some() { OVERLAP } else { 1.0 };
            if waits(&|memory| matches!(memory, Memory::Global(_))) {
                work.waits += longest / overlap.min(longest.max(1.0)) * latency(CostClass::GlobalLatency);
            }
            if waits(&|memory| matches!(memory, Memory::Shared(_))) {
                work.waits += longest / overlap.min(longest.max(1.0)) * latency(CostClass::SharedLatency);
            }
            // Sectors of successive iterations can be in the cache of the multiprocessor.
            let window = if looped.is_some() { WINDOW.min(longest.max(1.0) as u64) } else { 1 };
            let mut sectors: BTreeMap<(String, bool), Sectors> = BTreeMap::new();
            for iteration in 0..window {
                if let Some(looped) = looped {
                    values.evaluate(Some((looped, iteration)));
                }
                for (_, access) in own() {
                    let Memory::Global(name) = &access.memory else { continue };
                    let entry = sectors.entry((name.clone(), access.kind == AccessKind::Store)).or_default();
                    for unit in (0..active.len()).filter(|unit| active[*unit]) {
                        entry.add(values.get(access.index, unit), access.element, access.bytes);
                    }
                }
                sectors.values_mut().for_each(Sectors::end_iteration);
            }
            if looped.is_some() {
                values.evaluate(None);
            }
            let sampled = runs.iter().filter(|runs| **runs > 0.0).count().max(1) as f64;
            for (key, of) in sectors {
                let kept = of.all.len() as f64 * SECTOR as f64 * scale * resident_cubes.max(1.0);
                // If the sectors of the resident cubes exceed the memory of a multiprocessor, each iteration loads its sectors.
                let known =
                    if kept > self.machine.shared_bytes as f64 { of.of_iterations } else { of.all.len() as f64 };
                let of_iteration = (known + of.unknown) / window as f64;
                *work.cache.entry(key).or_default() += of_iteration / sampled * all * SECTOR as f64;
            }
        }
        costs.sort_by_key(|cost| cost.access);
        costs
    }

    // The innermost loop with a counter around a block.
    fn innermost_loop(&self, block: u32) -> Option<u32> {
        let mut at = block;
        loop {
            match self.blocks.get(at as usize)?.kind {
                BlockKind::Loop { .. } => return Some(at),
                BlockKind::Kernel => return None,
                BlockKind::While => return None,
                BlockKind::Arm(..) => {}
            }
            let parent = self.blocks[at as usize].parent;
            if parent >= at {
                return None;
            }
            at = parent;
        }
    }

    // Cycles of the memory pipeline for one access of a plane, on average over the sampled planes.
    fn pipeline_cost(&self, values: &Values<'_>, number: usize, active: &[bool], runs: &[f64]) -> AccessCost {
        let access = &self.accesses[number];
        let (mut cycles, mut least, mut weight, mut unknown) = (0.0, 0.0, 0.0, false);
        for (plane, runs) in runs.iter().enumerate().filter(|(_, runs)| **runs > 0.0) {
            let units: Vec<usize> = values.plane(plane).filter(|unit| active[*unit]).collect();
            let bytes = units.len() as u64 * u64::from(access.bytes);
            let floor = bytes.div_ceil(GROUP).max(1);
            let addresses: Option<Vec<u64>> = units
                .iter()
                .map(|unit| values.get(access.index, *unit).map(|index| index.wrapping_mul(u64::from(access.element))))
                .collect();
            unknown |= addresses.is_none();
            let own = match (&access.memory, addresses) {
                (Memory::Local, _) => 0,
                (Memory::Global(_), None) => (units.len() as u64).max(floor),
                (Memory::Shared(_), None) => floor,
                (Memory::Global(_), Some(all)) if access.kind == AccessKind::Atomic => {
                    // Atomic operations on one address run one after another.
                    most_equal(&all).max(groups(&all, access.bytes))
                }
                (Memory::Global(_), Some(all)) => groups(&all, access.bytes).max(floor),
                (Memory::Shared(_), Some(all)) if access.kind == AccessKind::Atomic => {
                    most_equal(&all).max(conflicts(&all, access.bytes))
                }
                (Memory::Shared(_), Some(all)) => conflicts(&all, access.bytes),
            };
            cycles += own as f64 * runs;
            least += floor as f64 * runs;
            weight += runs;
        }
        let mean = |sum: f64| if weight > 0.0 { sum / weight } else { 0.0 };
        AccessCost { access: number, cycles: mean(cycles), least: mean(least), unknown, runs: 0.0 }
    }

    // Bytes of global memory: the bytes of the cache, at most the bytes of each buffer if the buffer's length is known.
    fn global_bytes(&self, work: &Work, cubes: f64, facts: &dyn Arguments, assumptions: &mut Vec<Assumption>) -> f64 {
        let mut all = 0.0;
        for ((name, _), bytes) in &work.cache {
            let element =
                self.accesses.iter().find(|a| a.memory == Memory::Global(name.clone())).map_or(1, |a| a.element);
            let length = facts.of(crate::derived::Property::BufferLen, name, 0);
            if length.is_none() && !assumptions.contains(&Assumption::Length(name.clone())) {
                assumptions.push(Assumption::Length(name.clone()));
            }
            let most = length.map_or(f64::INFINITY, |lines| lines as f64 * f64::from(element));
            all += (bytes * cubes).min(most);
        }
        all
    }
}

// The distinct groups of 128 bytes.
fn groups(addresses: &[u64], bytes: u32) -> u64 {
    let last = |first: &u64| first.wrapping_add(u64::from(bytes.max(1)) - 1) / GROUP;
    let all: BTreeSet<u64> = addresses.iter().flat_map(|first| [first / GROUP, last(first)]).collect();
    all.len() as u64
}

// The largest number of distinct words in one bank of shared memory.
fn conflicts(addresses: &[u64], bytes: u32) -> u64 {
    let words = |first: &u64| (0..u64::from(bytes.div_ceil(4).max(1))).map(move |n| *first / 4 + n).collect::<Vec<_>>();
    let all: BTreeSet<u64> = addresses.iter().flat_map(words).collect();
    let mut banks = [0u64; BANKS as usize];
    all.iter().for_each(|word| banks[(word % BANKS) as usize] += 1);
    banks.into_iter().max().unwrap_or(1).max(1)
}

// The largest number of equal addresses.
fn most_equal(addresses: &[u64]) -> u64 {
    let mut all: BTreeMap<u64, u64> = BTreeMap::new();
    addresses.iter().for_each(|address| *all.entry(*address).or_default() += 1);
    all.into_values().max().unwrap_or(1)
}
