//! `CUBE_EXPLAIN`: one screen per kernel. The explanation of a kernel lists accesses with proven bounds, checked
//! accesses with reasons, access widths in the code, and missed optimisations with reasons.
use crate::instrumentation::{Emit, PassInfo};
use cube_artifact::{Artifact, Reports};
use cube_backend::OutputForm;
use cube_dialect::attributes::LAUNCH_GUARD;
use cube_dialect::{Access, AccessKind, Bounds, KernelArg, access_of, bounds_of, kernels_of, proof_of};
use cube_ir::{
    Level, Op, OwnedModule, SourceLocation, location_of, name_of,
    remarks::{Decision, Remark, RemarkKind},
};
use cube_target::Element;
use std::{collections::BTreeMap, fmt::Write};

/// Maximum number of lines in each part of the screen. Lines beyond this maximum are counted, but not shown.
const MAX_ROWS: usize = 12;

/// Collects the properties of the kernel while the passes run.
pub(super) struct Explain {
    title: String,
    /// The name of a generic kernel with the values of its comptime parameters.
    instance: String,
    /// Costs that are not visible in the module.
    notes: Vec<String>,
    kernel: String,
    accesses: Vec<Row>,
    remarks: Vec<Remark>,
    widths: Option<Widths>,
    reasons: Vec<String>,
    facts: String,
}

/// One access.
struct Row {
    location: Option<SourceLocation>,
    what: String,
    /// The proof that the access is in bounds; `None` for a checked access.
    proof: Option<String>,
}

/// Counts of memory accesses in the code, by the number and type of the accessed elements.
#[derive(Default)]
struct Widths {
    loads: BTreeMap<(u32, String), u32>,
    stores: BTreeMap<(u32, String), u32>,
}

impl Explain {
    pub fn new(title: &str, reports: &Reports) -> Self {
        cube_backend_llvm::collect_reasons();
        Explain {
            title: title.into(),
            instance: reports.instance.clone(),
            notes: reports.notes.clone(),
            kernel: String::new(),
            accesses: vec![],
            remarks: vec![],
            widths: None,
            reasons: vec![],
            facts: String::new(),
        }
    }

    pub fn after(&mut self, step: &PassInfo<'_>, module: &OwnedModule<'_>, remarks: Vec<Remark>) {
        self.remarks.extend(remarks);
        // After level flat, no accesses remain. The last phase that produces level flat reports their proofs.
        if step.level == Level::Flat && step.ends_phase {
            self.accesses = accesses(module);
        }
    }

    pub fn emitting(&mut self, emit: Emit<'_>) {
        cube_backend_llvm::take_reasons();
        // Compilation reports the errors of the kernel.
        self.widths = emit(OutputForm::Llvm).ok().map(|text| Widths::of(&String::from_utf8_lossy(&text)));
        self.reasons = cube_backend_llvm::take_reasons();
    }

    pub fn done(&mut self, a: &Artifact) {
        self.kernel = a.kernel.clone();
        let [x, y, z] = a.cube_dim;
        let plane = a.plane_dim.map_or(String::new(), |lanes| format!(", planes of {lanes}"));
        let checked = if a.checked { "checked" } else { "unchecked" };
        self.facts = format!(
            "cubes of {x} x {y} x {z} units{plane}, {} bytes of shared memory, {checked} launch, {} bytes of code",
            a.shared_bytes,
            a.code.len()
        );
    }

    /// The report of one kernel as text, for one screen of a terminal.
    pub fn screen(&self) -> String {
        let file = self.accesses.iter().find_map(|row| row.location.as_ref()).map(|p| format!(", {}", p.file));
        let title = self.title.rsplit_once(" for ").map_or(self.title.as_str(), |(_, target)| target);
        let kernel = if self.instance.is_empty() { &self.kernel } else { &self.instance };
        let mut text = format!("kernel {kernel} for {title}{}\n  {}\n", file.unwrap_or_default(), self.facts);
        let (checked, proven): (Vec<&Row>, Vec<&Row>) = self.accesses.iter().partition(|row| row.proof.is_none());
        let rows = checked.iter().chain(&proven).map(|row| {
            let outcome = match &row.proof {
                Some(proof) => proof.clone(),
                None => format!("checked{}", self.why(row)),
            };
            format!("{:10} {:28} {outcome}", short(row.location.as_ref()), row.what)
        });
        let head = format!(
            "accesses: {} proven inside, guarded at launch or promised, {} checked",
            proven.len(),
            checked.len()
        );
        part(&mut text, &head, rows.collect());
        if let Some(widths) = &self.widths {
            part(&mut text, "in the code, elements at a time", widths.lines());
        }
        let shown = |r: &&Remark| r.kind == RemarkKind::Missed && r.decision == Decision::Optimization;
        let missed = self.remarks.iter().filter(shown).map(|r| {
            let suggestion = r.suggestion.as_ref().map(|s| format!("; {s}")).unwrap_or_default();
            format!("{:10} {}: {}{suggestion}", short(r.location.as_ref()), r.pass, r.reason)
        });
        let scalar = self.widths.as_ref().is_some_and(Widths::any_narrow);
        let llvm = self.reasons.iter().filter(|_| scalar).map(|reason| format!("{:10} LLVM: {reason}", ""));
        part(&mut text, "not done", self.notes.iter().cloned().chain(missed).chain(llvm).collect());
        text
    }

    fn why(&self, row: &Row) -> String {
        let at = |r: &&Remark| r.decision != Decision::Optimization && r.location == row.location;
        // The pass's advice is in terms of the IR. For Rust users the reason is sufficient.
        self.remarks.iter().rfind(at).map_or(String::new(), |r| match r.decision {
            Decision::CheckRestored => format!(" {}", r.explanation()),
            Decision::CheckStays | Decision::Optimization => format!(" because {}", r.reason),
        })
    }
}

fn part(text: &mut String, head: &str, mut rows: Vec<String>) {
    rows.dedup();
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "  {head}");
    for row in rows.iter().take(MAX_ROWS) {
        let _ = writeln!(text, "    {}", row.trim_end());
    }
    if rows.len() > MAX_ROWS {
        let _ = writeln!(text, "    and {} more, which the dumps of `CUBE_DUMP` show", rows.len() - MAX_ROWS);
    }
}

// Line and column of an access. The title of the screen contains the file.
fn short(location: Option<&SourceLocation>) -> String {
    location.map_or(String::new(), |p| format!("{}:{}", p.line, p.column))
}

fn accesses(module: &OwnedModule<'_>) -> Vec<Row> {
    let Some(kernel) = kernels_of(module.op()).into_iter().next() else { return vec![] };
    let names: Vec<_> = kernel
        .facts()
        .args
        .into_iter()
        .filter_map(|arg| match arg {
            KernelArg::Buffer(b) => Some((b.value, b.name)),
            KernelArg::Scalar(_) => None,
        })
        .collect();
    let row = |access: Access<'_>| {
        let word = match access.kind {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::AtomicLoad | AccessKind::AtomicStore | AccessKind::AtomicRmw | AccessKind::AtomicCas => {
                "atomic"
            }
        };
        let buffer = names.iter().find(|(value, _)| *value == access.buffer).map(|(_, name)| name.clone());
        let ty = access.value.map_or_else(|| access.op.result(0).ty(), |value| value.ty());
        // An allocation has a location, and a name if the program names it.
        let alloc = || access.buffer.def().map(|op| op.location());
        let location =
            || alloc().and_then(|at| location_of(at)).map(|at| format!("memory of {}:{}", at.line, at.column));
        let name = buffer.or_else(|| alloc().and_then(|at| name_of(at))).or_else(location);
        let what = format!("{word} {} of {ty}", name.unwrap_or_else(|| "shared or local".into()));
        let proof = proof_of(access.op).map(|proof| proof.word().replace('_', " "));
        let inside = bounds_of(access.op) == Some(Bounds::Inbounds);
        let at_launch = access.op.attr(LAUNCH_GUARD).is_some();
        let unproven = if at_launch { "guarded at launch" } else { "promised inside" };
        let proof = inside.then(|| proof.map_or(unproven.into(), |by| format!("proven inside by {by}")));
        Row { location: location_of(access.op.location()), what, proof }
    };
    // The copies of guarded accesses that keep their checks run only in launches that access memory out of bounds.
    let is_fallback = |op: Op<'_>| op.attr(LAUNCH_GUARD).is_some() && bounds_of(op) == Some(Bounds::Checked);
    let shown = module.op().walk().into_iter().filter(|op| !is_fallback(*op));
    shown.filter_map(access_of).map(row).collect()
}

impl Widths {
    // LLVM's text: `load <8 x float>`, `store float`, `llvm.masked.load.v8f32`, gathers and scatters.
    fn of(text: &str) -> Self {
        let mut widths = Widths::default();
        for line in text.lines().map(str::trim) {
            let is_load = [" load ", "masked.load", "masked.gather"].iter().any(|w| line.contains(w));
            let is_store =
                line.starts_with("store ") || line.contains("masked.store") || line.contains("masked.scatter");
            if line.starts_with("declare") || is_load == is_store {
                continue;
            }
            let after = match is_load {
                true => line.split_once(" = ").map(|(_, rest)| rest),
                false => line.split_once(['(', ' ']).map(|(_, rest)| rest),
            };
            let Some(width) = after.and_then(width) else { continue };
            let list = if is_load { &mut widths.loads } else { &mut widths.stores };
            *list.entry(width).or_default() += 1;
        }
        widths
    }

    // Whether all loads or all stores access one element. The reasons are shown only in that case.
    fn any_narrow(&self) -> bool {
        [&self.loads, &self.stores].iter().any(|list| !list.is_empty() && list.keys().all(|(n, _)| *n == 1))
    }

    fn lines(&self) -> Vec<String> {
        [("loads", &self.loads), ("stores", &self.stores)]
            .iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(word, list)| {
                let all = list.iter().rev().map(|((n, ty), count)| format!("{n} x {ty} ({count})"));
                format!("{word:6} {}", all.collect::<Vec<_>>().join(", "))
            })
            .collect()
    }
}

// The first number type in a fragment of an instruction; pointers and adjacent lengths are ignored.
fn width(text: &str) -> Option<(u32, String)> {
    let host = |ty: &str| {
        let known = Element::ALL.iter().find(|element| element.is_computed() && element.llvm() == ty);
        let is_int = || ty.strip_prefix('i').is_some_and(|n| n.parse::<u32>().is_ok());
        known.map(|element| element.ir().to_string()).or_else(|| is_int().then(|| String::from(ty)))
    };
    if let Some((_, rest)) = text.split_once('<') {
        let (vector, _) = rest.split_once('>')?;
        let (count, ty) = vector.split_once(" x ")?;
        return Some((count.parse().ok()?, host(ty)?));
    }
    let ty = text.split([' ', ',']).find_map(host)?;
    // Lengths are i64 values of the launch. Elements of 64 bits are rare, so i64 is ignored.
    (ty != "i64").then_some((1, ty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_text() {
        let text = "  %1 = load float, ptr %0, align 4\n  %w = load <8 x float>, ptr %0\n\
            %m = tail call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %44, <8 x i1> %39, <8 x float> zeroinitializer)\n\
            store <4 x i32> %48, ptr %52, align 4\n  store half %1, ptr %2\n  %p = load ptr, ptr %0\n\
            declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, <8 x i1>, <8 x float>)\n";
        assert_eq!(Widths::of(text).lines(), ["loads  8 x f32 (2), 1 x f32 (1)", "stores 4 x i32 (1), 1 x f16 (1)"]);
        assert!(Widths::of("  %1 = load float, ptr %0\n").any_narrow());
        assert!(!Widths::of(text).any_narrow());
    }
}
