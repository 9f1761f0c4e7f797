//! `cubec --explain-cost`: the predicted time of a launch, the limiting resource, and missed optimisations.
use cube_artifact::cost::{AccessKind, Assumption, Facts, Memory, Prediction, Profile};
use cube_artifact::{Artifact, CompileError, ParamKind, Target};
use cube_driver::{CostCollector, PassInfo, PassInstrumentation};
use cube_ir::{
    OwnedModule,
    remarks::{Remark, RemarkKind},
};
use std::{fmt::Write, ops::ControlFlow};

/// Maximum number of lines for accesses, and for missed optimisations.
const MOST: usize = 16;

/// Collects the cost profile of a compilation, and predicts the time of one launch.
pub struct ExplainCost<'a> {
    given: &'a str,
    collector: CostCollector,
    /// The names of the buffers.
    buffers: Vec<String>,
}

impl<'a> ExplainCost<'a> {
    /// Predicts the launch that `given` describes ([`Facts::parse`]).
    pub fn new(given: &'a str) -> Self {
        ExplainCost { given, collector: CostCollector::default(), buffers: vec![] }
    }

    /// The text of the prediction. `remarks` are those of the compilation.
    ///
    /// # Errors
    /// No board is described for the target, or the facts of the launch are wrong or incomplete.
    pub fn text(&self, target: &Target, remarks: &[Remark]) -> Result<String, CompileError> {
        let Some(profile) = &self.collector.profile else {
            return Err(CompileError::from(cube_artifact::diagnostic!(CUBE0617.board { target })));
        };
        let wrong = |why: String| {
            let names = self.buffers.iter().map(|name| format!("{name}=LINES")).collect::<Vec<_>>().join(",");
            CompileError::from(cube_artifact::diagnostic!(CUBE0617.facts { why, names }))
        };
        let facts = Facts::parse(self.given, |name| self.buffers.iter().any(|own| own == name)).map_err(wrong)?;
        let found = profile.predict(&facts).map_err(wrong)?;
        Ok(screen(profile, &found, target, remarks))
    }
}

impl PassInstrumentation for ExplainCost<'_> {
    fn each_pass(&self) -> bool {
        false
    }

    fn after(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        self.collector.after(info, module)
    }

    fn done(&mut self, artifact: &Artifact) {
        self.collector.done(artifact);
        let buffers = artifact.params.iter().filter(|param| matches!(param.kind, ParamKind::Buffer { .. }));
        self.buffers = buffers.map(|param| param.name.clone()).collect();
    }
}

fn screen(profile: &Profile, found: &Prediction, target: &Target, remarks: &[Remark]) -> String {
    let machine = &profile.machine;
    let mut text = format!(
        "cost of @{} for {target} on {} ({} multiprocessors, {} MHz, {} GB/s)\n",
        profile.kernel,
        machine.name,
        machine.multiprocessors,
        machine.clock_mhz,
        machine.global_mb_per_s / 1000
    );
    let _ = writeln!(text, "  predicted time: {}, limited by {}", time(found.seconds), found.limit.name());
    for term in &found.terms {
        let detail = match term.limit.name() {
            "issue" => {
                let busiest = found.busiest.map_or(String::new(), |class| format!(", most time for {class:?}"));
                format!("{:.0} instructions of a unit{busiest}", found.instructions)
            }
            "global memory" => bytes(found.global_bytes),
            "cache" => bytes(found.cache_bytes),
            "latency" => format!("{} cubes, {} planes at a time on a multiprocessor", found.cubes, found.resident),
            _ => {
                let cycles: f64 = found.accesses.iter().map(|access| access.cycles * access.runs).sum();
                format!("{cycles:.0} cycles of a cube")
            }
        };
        let _ = writeln!(text, "    {:16} {:>12}  {detail}", term.limit.name(), time(term.seconds));
    }
    let _ = writeln!(
        text,
        "  occupancy: {} of {} planes, limited by {} (about {} registers of a unit, {} bytes of shared memory)",
        found.resident,
        found.most_resident,
        found.resident_by.name(),
        profile.registers,
        profile.shared_bytes
    );
    part(&mut text, "accesses", accesses(profile, found));
    let assumed = found.assumptions.iter().map(|assumption| match assumption {
        Assumption::Trips(block, trips) => {
            format!("{:10} the loop has {trips} iterations", profile.blocks[*block].location)
        }
        Assumption::Condition(block) => {
            format!("{:10} the condition is unknown, and this arm is assumed to run", profile.blocks[*block].location)
        }
        Assumption::Length(name) => {
            format!("{:10} {name} has enough lines for all accesses of the launch; pass {name}=LINES", "")
        }
    });
    part(&mut text, "assumed", assumed.collect());
    let missed = remarks.iter().filter(|remark| remark.kind == RemarkKind::Missed).map(|remark| {
        let at = remark.location.as_ref().map_or(String::new(), |at| format!("{}:{}", at.line, at.column));
        let way = remark.suggestion.as_ref().map_or(String::new(), |way| format!("; {way}"));
        format!("{at:10} {}: {}{way}", remark.pass, remark.explanation())
    });
    part(&mut text, "not done", missed.collect());
    text
}

// The accesses that run, the most expensive first.
fn accesses(profile: &Profile, found: &Prediction) -> Vec<String> {
    let mut all: Vec<_> = found.accesses.iter().filter(|cost| cost.runs > 0.0).collect();
    all.sort_by(|x, y| (y.cycles * y.runs).total_cmp(&(x.cycles * x.runs)));
    let row = |cost: &&cube_artifact::cost::AccessCost| {
        let access = &profile.accesses[cost.access];
        let memory = match &access.memory {
            Memory::Global(name) => name.clone(),
            Memory::Shared(number) => format!("shared memory {number}"),
            Memory::Local => "local memory".into(),
        };
        let kind = match access.kind {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
        };
        let unknown = if cost.unknown { ", index unknown" } else { "" };
        format!(
            "{:10} {:24} {} bytes of a unit, {:.1} cycles (least {:.1}), {:.0} times in a cube{unknown}",
            access.location,
            format!("{kind} {memory}"),
            access.bytes,
            cost.cycles,
            cost.least,
            cost.runs
        )
    };
    all.iter().map(row).collect()
}

fn part(text: &mut String, head: &str, rows: Vec<String>) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "  {head}");
    rows.iter().take(MOST).for_each(|row| _ = writeln!(text, "    {}", row.trim_end()));
    if rows.len() > MOST {
        let _ = writeln!(text, "    and {} more", rows.len() - MOST);
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 1e-3 => format!("{:.1} us", seconds * 1e6),
        seconds if seconds < 1.0 => format!("{:.3} ms", seconds * 1e3),
        seconds => format!("{seconds:.3} s"),
    }
}

fn bytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e6 => format!("{bytes:.0} bytes"),
        bytes if bytes < 1e9 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.2} GB", bytes / 1e9),
    }
}
