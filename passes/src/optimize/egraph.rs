//! Simplifies arithmetic by equality saturation: the proven rules of the crate `rules`, applied to all expressions
//! simultaneously.
//!
//! ```mlir
//! %a = arith.mulf %x, %y fastmath<contract> : f32     %s = math.fma %x, %y, %z fastmath<contract> : f32
//! %s = arith.addf %a, %z fastmath<contract> : f32
//! %d = cube.divui %p, %c8 : i32                       %d = cube.shrui %p, %c3 : i32
//! ```
//!
//! The pure operations of a block become terms, and all other values become leaves of these terms. The pass handles at
//! most 400 operations of a block at a time (a window), which bounds the work. The target description defines the
//! costs. Invariant: a value changes only as its operations' fast-math flags permit, and the modelled cost of a window
//! does not increase. Cost: linear in the number of operations, with up to 3,712 e-graph nodes for each window.
//! `docs/why/rewrite-rules.md` has the reasons.
pub(crate) mod emit;
pub(crate) mod ingest;
mod promises;

use crate::native::Native;
use cube_dialect::attributes::RULES;
use cube_ir::{AttrExt, Block, Failed, Op, PassResult, Run, pass};
use cube_rules::graph::{Growth, Limits, OwnRules};
use cube_rules::user;
use cube_target::Target;
use ingest::Window;
use std::collections::BTreeSet;

// A rule without a stored proof is a compile-time error.
const _: () = match cube_rules::UNPROVEN {
    None => (),
    Some(why) => panic!("{}", why),
};

/// Maximum number of operations in one window.
const WINDOW: usize = 400;

pass! {
    name: "egraph",
    summary: "simplifies arithmetic by proven rules; fast-math flags and the costs of the target select the rules",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "math", "cube", "vector"],
    options: { explain: Bool(false) = "remarks of kind analysis have the chain of rules from each value to its replacement" },
    statistics: ["windows simplified", "windows kept", "cost before", "cost after"],
    run: run,
}

fn run(run: &mut Run<'_>) -> PassResult {
    let native = Native::of(run.root());
    let target = native.target();
    let own = own_rules(run.root())?;
    let mut changed = false;
    for block in blocks(run.root()) {
        let terms: Vec<Op<'_>> = block.ops().into_iter().filter(|op| ingest::is_term(*op)).collect();
        for window in terms.chunks(WINDOW) {
            changed |= simplify(run, window, target, own);
        }
    }
    if !changed {
        run.unchanged();
    }
    Ok(())
}

fn own_rules(root: Op<'_>) -> Result<OwnRules, Failed> {
    let holder = std::iter::once(root).chain(root.ancestors()).find_map(|op| Some((op, op.attr(RULES)?)));
    let Some((op, attr)) = holder else { return Ok(OwnRules::default()) };
    let lines: Option<Vec<&str>> =
        attr.as_array().map(|lines| lines.into_iter().map(|line| line.as_str()).collect()).unwrap_or(None);
    let Some(lines) = lines else {
        op.error(cube_ir::diagnostic!(CUBE0323.lines));
        return Err(Failed);
    };
    match user::accepted(lines) {
        Ok(rules) => Ok(OwnRules::new(&rules)),
        Err(why) => {
            op.error(cube_ir::diagnostic!(CUBE0323.rule { why }));
            Err(Failed)
        }
    }
}

fn blocks(root: Op<'_>) -> Vec<Block<'_>> {
    let regions = root.walk().into_iter().flat_map(|op| op.regions().collect::<Vec<_>>());
    regions.flat_map(|region| region.blocks()).collect()
}

fn simplify<'p>(run: &mut Run<'p>, ops: &[Op<'p>], target: &Target, own: OwnRules) -> bool {
    let window = Window::of(ops, run.flag("explain"), own);
    let Some(mut window) = window.filter(|window| !window.roots.is_empty()) else { return false };
    let growth = window.graph.grow(Limits::of(ops.len()));
    let roots: Vec<_> = window.roots.iter().map(|root| root.id).collect();
    let Some(chosen) = window.graph.extract(&roots, target) else {
        run.count("windows kept", 1);
        run.analysis(window.first, "egraph", format_args!("no equal expression of these operations costs less"));
        return false;
    };
    for place in 0..window.roots.len() {
        for step in window.graph.explain(window.roots[place].id, &chosen) {
            run.analysis(window.roots[place].op, "explain", step);
        }
    }
    let plan = match emit::Plan::of(&window, &chosen) {
        Ok(plan) => plan,
        Err(why) => {
            run.count("windows kept", 1);
            run.analysis(window.first, "egraph", format_args!("the operations stay, because {why}"));
            return false;
        }
    };
    let costs = format!("the cost is {} instead of {}", chosen.after, chosen.before);
    let path = window.graph.rules_of(&chosen);
    run.passed(window.first, "egraph", format_args!("{costs}, by {}", rules(&growth, &path)));
    plan.replace(run);
    run.count("windows simplified", 1);
    run.count("cost before", chosen.before);
    run.count("cost after", chosen.after);
    true
}

/// The names of the rules for a remark. The text begins with all rules that led to the chosen terms and all assumed
/// rules. If these are fewer than `SHOWN`, the most frequently applied other rules follow.
fn rules(growth: &Growth, path: &BTreeSet<&'static str>) -> String {
    let mut rules: Vec<(&str, u32)> = growth.applied.iter().map(|(rule, count)| (*rule, *count)).collect();
    let is_named = |rule: &str| path.contains(rule) || user::is_assumed(rule);
    rules.sort_by_key(|(rule, count)| (!is_named(rule), std::cmp::Reverse(*count), *rule));
    let named = rules.iter().filter(|(rule, _)| is_named(rule)).count().max(SHOWN);
    let shown: Vec<String> = rules.iter().take(named).map(|(rule, count)| format!("{rule} ({count})")).collect();
    let more = if rules.len() > named { format!(" and {} more rules", rules.len() - named) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// Minimum number of rules in a remark, unless fewer rules were applied.
const SHOWN: usize = 8;
