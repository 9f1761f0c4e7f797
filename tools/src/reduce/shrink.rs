//! Applies the edits that make a case smaller. The edits are repeated until no edit has an effect.
use super::{Search, case, case::Case, edits, launch};
use cube_artifact::CompileError;
use cube_ir::{Edit, Op};

/// A group of edits: its name, and the function that tries the edits.
type EditGroup = (&'static str, fn(&mut Search<'_>) -> Result<bool, CompileError>);

/// Edits with the greatest effect come first, so that later edits process fewer operations.
const EDIT_GROUPS: &[EditGroup] = &[
    ("symbols", symbols),
    ("operations", operations),
    ("regions", regions),
    ("passes", passes),
    ("operands", operands),
    ("constants", constants),
    ("attributes", attributes),
    ("arguments", arguments),
    ("launch", launches),
    ("cube dim", cube_dims),
];

/// Pass pipelines that often make a module smaller. The pipelines run in a child process.
const PIPELINES: &[&str] = &[
    "builtin.module(inline,remove-dead-functions)",
    "builtin.module(canonicalize)",
    "builtin.module(cse)",
    "builtin.module(cube.kernel(specialize))",
];

/// Runs the groups of edits until no group has an effect.
pub fn all(search: &mut Search<'_>) -> Result<(), CompileError> {
    search.print_progress("start");
    loop {
        let before = search.best.size();
        for (name, apply) in EDIT_GROUPS {
            let start = search.best.size();
            // A group of edits that helped is repeated before the next group.
            while apply(search)? && !search.done() {}
            if search.best.size() < start {
                search.print_progress(name);
            }
        }
        if search.best.size() == before || search.done() {
            return Ok(());
        }
    }
}

impl Search<'_> {
    /// The smallest case after an edit; `None` if the edited module is not valid.
    fn edited(&self, change: impl for<'p> FnOnce(&mut Edit<'p>) -> bool) -> Option<Case> {
        let mut module = self.session.parse(self.best.text.as_bytes(), "candidate").ok()?;
        let changed = module.edit(change);
        (changed && module.verify().is_ok()).then(|| Case::of(&module, self.best.launch.clone()))
    }

    /// Parses the module of the smallest case, and returns the result of `see` for this module.
    fn look<R>(&self, see: impl FnOnce(Op<'_>) -> R) -> Option<R> {
        let module = self.session.parse(self.best.text.as_bytes(), "candidate").ok()?;
        let seen = see(module.op());
        Some(seen)
    }

    // Tries an edit at each position in order. After each success, positions are counted again.
    fn each(
        &mut self,
        places: impl Fn(Op<'_>) -> usize,
        edit: impl for<'p> Fn(&mut Edit<'p>, usize) -> bool,
    ) -> Result<bool, CompileError> {
        let (mut at, mut helped) = (0, false);
        while at < self.look(&places).unwrap_or(0) && !self.done() {
            let case = self.edited(|e| edit(e, at));
            if case.map_or(Ok(false), |case| self.take(case))? {
                helped = true;
            } else {
                at += 1;
            }
        }
        Ok(helped)
    }

    // Removes ranges of positions, long ones first (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing
    // Input).
    fn chunks(
        &mut self,
        places: impl Fn(Op<'_>) -> usize,
        remove: impl for<'p> Fn(&mut Edit<'p>, usize, usize) -> bool,
    ) -> Result<bool, CompileError> {
        let mut length = self.look(&places).unwrap_or(0);
        let mut helped = false;
        while length > 0 && !self.done() {
            let mut at = 0;
            while at < self.look(&places).unwrap_or(0) && !self.done() {
                let case = self.edited(|e| remove(e, at, length));
                if case.map_or(Ok(false), |case| self.take(case))? {
                    helped = true;
                } else {
                    at += length;
                }
            }
            length /= 2;
        }
        Ok(helped)
    }
}

fn symbols(search: &mut Search<'_>) -> Result<bool, CompileError> {
    let top = |root: Op<'_>| root.body().map_or(0, |b| b.ops().len());
    search.chunks(top, |edit, at, length| {
        let ops = edit.root().body().map(|b| b.ops()).unwrap_or_default();
        let mut any = false;
        for op in ops.into_iter().skip(at).take(length) {
            any |= edit.erase(op);
        }
        any
    })
}

fn operations(search: &mut Search<'_>) -> Result<bool, CompileError> {
    search.chunks(|root| edits::removable(root).len(), edits::remove)
}

fn regions(search: &mut Search<'_>) -> Result<bool, CompileError> {
    search.each(|root| 2 * edits::with_regions(root).len(), |edit, at| edits::unwrap(edit, at / 2, at % 2))
}

fn passes(search: &mut Search<'_>) -> Result<bool, CompileError> {
    let mut helped = false;
    for pipeline in PIPELINES {
        let params = search.best.launch.params.join(",");
        let specialises = pipeline.contains("specialize");
        if specialises && params.is_empty() && !search.best.text.contains("comptime") {
            continue;
        }
        let with = if params.is_empty() { "specialize".into() } else { format!("specialize{{params={params}}}") };
        let Some(text) = search.oracle.after_passes(&search.best, &pipeline.replace("specialize", &with))? else {
            continue;
        };
        let Ok(module) = search.session.parse(text.as_bytes(), "candidate") else { continue };
        let mut launch = search.best.launch.clone();
        if specialises {
            launch.params.clear();
        }
        let case = Case::of(&module, launch);
        drop(module);
        helped |= search.take(case)?;
    }
    Ok(helped)
}

fn operands(search: &mut Search<'_>) -> Result<bool, CompileError> {
    search.each(|root| edits::removable(root).len(), edits::forward)
}

fn constants(search: &mut Search<'_>) -> Result<bool, CompileError> {
    let many = edits::CONSTANTS;
    search.each(
        move |root| many * edits::constants(root).len(),
        move |edit, at| edits::smaller_constant(edit, at / many, at % many),
    )
}

fn attributes(search: &mut Search<'_>) -> Result<bool, CompileError> {
    search.each(|root| edits::attributes(root).len(), edits::remove_attribute)
}

fn arguments(search: &mut Search<'_>) -> Result<bool, CompileError> {
    let mut helped = false;
    let mut at = 0;
    while at < search.look(edits::arguments).unwrap_or(0) && !search.done() {
        let mut name = None;
        let case = search.edited(|edit| {
            name = edits::remove_argument(edit, at);
            name.is_some()
        });
        let case = case.map(|case| {
            let mut launch = case.launch.clone();
            launch.args.retain(|(arg, _)| Some(arg) != name.as_ref());
            case.with(launch)
        });
        if case.map_or(Ok(false), |case| search.take(case))? {
            helped = true;
        } else {
            at += 1;
        }
    }
    Ok(helped)
}

fn launches(search: &mut Search<'_>) -> Result<bool, CompileError> {
    if !search.oracle.launches() && search.best.launch == case::Launch::default() {
        return Ok(false);
    }
    let (mut at, mut helped) = (0, false);
    while let Some(smaller) = launch::smaller(&search.best.launch).get(at).cloned() {
        let case = search.best.with(smaller);
        // Earlier edits that did not help are tried again only in the next round.
        if search.take(case)? {
            helped = true;
        } else {
            at += 1;
        }
    }
    Ok(helped)
}

fn cube_dims(search: &mut Search<'_>) -> Result<bool, CompileError> {
    let dims = search.look(edits::cube_dims).unwrap_or_default();
    for (kernel, dim) in dims.iter().enumerate() {
        let row = dim.iter().fold(1u32, |all, side| all.saturating_mul(*side));
        let axes = (0..3).flat_map(|axis| {
            launch::fewer(u64::from(dim[axis]), 1).into_iter().map(move |n| {
                let mut smaller = *dim;
                smaller[axis] = n as u32;
                smaller
            })
        });
        // Units along one axis are simpler than units in a block.
        for smaller in axes.chain([[row, 1, 1]]) {
            let case = search.edited(|edit| edits::set_cube_dim(edit, kernel, smaller));
            if case.map_or(Ok(false), |case| search.take(case))? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
