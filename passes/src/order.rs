//! Checks the order of levels in a pipeline: each step must accept the level that the steps before it
//! produce.
//!
//! ```text
//! resolve-slices     Source => Flat
//! expand-checks      Flat => Flat
//! buffers-to-memref  Flat => Legal
//! expand-checks      Flat => Flat      refused: it requires level flat, but buffers-to-memref produces level legal
//! ```
//!
//! [`follow`] checks a pipeline of the compiler when it is built. For a user's pipeline, whose input level is unknown,
//! [`refute`] refuses only an order that fails for every input.
use crate::{PASSES, phases::Step};
use cube_ir::{Level, Pass};
use std::fmt;

/// A pass at a position at which the level is never a level that the pass accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongOrder {
    pub pass: &'static str,
    /// The levels that the pass accepts as input.
    pub needs: &'static [Level],
    /// The level that the preceding passes produce.
    pub found: Level,
    /// The pass that produced the level `found`; `None` if `found` is the level of the pipeline's input.
    pub after: Option<&'static str>,
    /// A correct position of the pass in the pipeline, for the error message.
    pub fix: String,
}

impl fmt::Display for WrongOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needs: Vec<&str> = self.needs.iter().map(|level| level.name()).collect();
        let left_by =
            self.after.map_or("the input has".to_string(), |pass| format!("the preceding pass {pass} produces"));
        let (pass, needs, found) = (self.pass, needs.join(" or "), self.found.name());
        write!(f, "pass {pass} requires level {needs}, but {left_by} level {found}; {}", self.fix)
    }
}

/// The state of a pipeline after its first steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    pub level: Level,
    /// The pass that produced the level; `None` if it is the level of the pipeline's input.
    pub by: Option<&'static str>,
}

impl Reached {
    /// The level before the first pass, for a pipeline input at level `level`.
    pub fn input(level: Level) -> Self {
        Reached { level, by: None }
    }
}

/// Returns the level after `steps`, given the level `reached` before them.
///
/// # Errors
/// The error names the first step that does not accept the level that the previous step produces.
pub fn follow(steps: &[Step], reached: Reached) -> Result<Reached, WrongOrder> {
    let Reached { level: mut found, by: mut after } = reached;
    for (at, step) in steps.iter().enumerate() {
        if !step.needs().iter().any(|needed| [found, Level::Any].contains(needed)) {
            let leads =
                |later: &&Step| step.needs().contains(&later.produces()) && !later.needs().contains(&later.produces());
            let fix = match (steps[at..].iter().find(leads), after) {
                (Some(later), _) => format!("put {} after {}", step.name(), later.name()),
                (_, Some(left)) if is_past(found, step.needs()) => format!("put {} before {left}", step.name()),
                _ => from_elsewhere(step.name(), step.needs()),
            };
            return Err(WrongOrder { pass: step.name(), needs: step.needs(), found, after, fix });
        }
        if step.produces() != Level::Any && step.produces() != found {
            (found, after) = (step.produces(), Some(step.name()));
        }
    }
    Ok(Reached { level: found, by: after })
}

/// Refuses an order of Cube's passes that fails for every input. `passes` are the Cube passes of a pipeline, without
/// upstream passes.
///
/// # Errors
/// The error names the first pass that cannot accept its input, because the level of the input is after all levels that
/// the pass accepts.
pub fn refute(passes: &[&'static Pass]) -> Result<(), WrongOrder> {
    let mut left: Option<(Level, &'static str)> = None;
    for pass in passes {
        if let Some((found, after)) = left.filter(|(found, _)| is_past(*found, pass.needs)) {
            let fix = format!("put {} before {after}", pass.name);
            return Err(WrongOrder { pass: pass.name, needs: pass.needs, found, after: Some(after), fix });
        }
        if pass.produces != Level::Any {
            left = left.filter(|(found, _)| *found == pass.produces).or(Some((pass.produces, pass.name)));
        }
    }
    Ok(())
}

// Whether the level `found` is later than all levels in `needs`. A module at level flat is also accepted as level
// source, because the contract of source allows all operations and types of flat.
fn is_past(found: Level, needs: &[Level]) -> bool {
    found > Level::Flat && needs.iter().all(|needed| *needed < found)
}

fn from_elsewhere(pass: &str, needs: &[Level]) -> String {
    match PASSES
        .iter()
        .find(|other| other.name != pass && !other.takes(other.produces) && needs.contains(&other.produces))
    {
        Some(other) => format!("put {} before {pass}", other.name),
        None => "no pass of the pipeline produces the required level".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::{step, upstream};

    const FLAT: Reached = Reached { level: Level::Flat, by: None };

    fn nothing(_: &mut cube_ir::Run<'_>) -> cube_ir::PassResult {
        Ok(())
    }

    mod on_flat {
        cube_ir::pass! { name: "on-flat", summary: "", on: "", level: Flat => Flat, run: super::nothing }
    }

    mod to_legal {
        cube_ir::pass! { name: "to-legal", summary: "", on: "", level: Source | Flat => Legal, run: super::nothing }
    }

    mod on_legal {
        cube_ir::pass! { name: "on-legal", summary: "", on: "", level: Legal => Legal, run: super::nothing }
    }

    mod as_found {
        cube_ir::pass! { name: "as-found", summary: "", on: "", level: Source | Legal => Any, run: super::nothing }
    }

    #[test]
    fn level_after_steps_is_that_of_the_last_changing_pass() {
        let steps = [
            step(&on_flat::PASS, "", ""),
            step(&to_legal::PASS, "", ""),
            upstream("cse", cube_ir::ops::cube::KERNEL.name(), ""),
            step(&as_found::PASS, "", ""),
            step(&on_legal::PASS, "", ""),
        ];
        assert_eq!(follow(&steps, FLAT), Ok(Reached { level: Level::Legal, by: Some("to-legal") }));
        assert_eq!(follow(&[], FLAT), Ok(FLAT));
        let last =
            upstream("reconcile-unrealized-casts", cube_ir::ops::builtin::MODULE.name(), "").producing(Level::Llvm);
        let device = Reached { level: Level::Device, by: Some("to-device") };
        assert_eq!(follow(&[last], device).map(|reached| reached.level), Ok(Level::Llvm));
    }

    #[test]
    fn early_step_is_reported_with_the_pass_to_follow() {
        let steps = [step(&on_legal::PASS, "", ""), step(&to_legal::PASS, "", "")];
        let error = follow(&steps, FLAT).unwrap_err();
        assert_eq!((error.pass, error.needs, error.found), ("on-legal", &[Level::Legal][..], Level::Flat));
        assert_eq!(
            error.to_string(),
            "pass on-legal requires level legal, but the input has level flat; put on-legal after to-legal"
        );
        let error = follow(&steps[..1], FLAT).unwrap_err();
        assert_eq!(error.fix, "put buffers-to-memref before on-legal");
        let error = follow(&[step(&as_found::PASS, "", "")], Reached::input(Level::Device)).unwrap_err();
        assert_eq!(error.needs, [Level::Source, Level::Legal]);
    }

    #[test]
    fn late_step_is_reported_with_the_pass_to_precede() {
        let steps = [step(&to_legal::PASS, "", ""), step(&on_legal::PASS, "", ""), step(&on_flat::PASS, "", "")];
        let error = follow(&steps, FLAT).unwrap_err();
        assert_eq!(
            error.to_string(),
            "pass on-flat requires level flat, but the preceding pass to-legal produces level legal; put on-flat before to-legal"
        );
        assert_eq!(refute(&[&to_legal::PASS, &on_legal::PASS, &on_flat::PASS]), Err(error));
    }

    #[test]
    fn possible_pass_order_is_not_refuted() {
        // A source without parameters and views is already at level flat. An input can also be at level legal.
        assert_eq!(refute(&[&as_found::PASS, &on_flat::PASS, &to_legal::PASS, &as_found::PASS]), Ok(()));
        assert_eq!(refute(&[&on_flat::PASS, &on_legal::PASS]), Ok(()));
    }

    #[test]
    fn every_pass_declares_ordered_levels() {
        for pass in PASSES {
            assert!(!pass.needs.is_empty(), "{}", pass.name);
            // The contract of level device belongs to the target. No pass produces a level that is earlier than a level
            // it accepts.
            let later = pass.produces == Level::Any || pass.needs.iter().all(|needed| *needed <= pass.produces);
            assert!(later, "{} produces an earlier level than the level that it requires", pass.name);
        }
    }
}
