//! Attaches the description of the target chip to the module, so that later passes can read it.
//!
//! ```mlir
//! module { ... }    module attributes {cube.target = #cube.target<{backend = "nvptx", chip = "sm_90a", ...}>} { ... }
//! ```
//!
//! If the module already has the same description, the pass does not change the module. If the module has a different
//! description, the pass reports an error, because earlier passes can depend on that description. Each pipeline begins
//! with this pass. Cost: one attribute.
use cube_dialect::{TARGET, attached_target, set_target};
use cube_ir::{Failed, Message, Op, PassResult, Run, pass};
use cube_target::Target;
use std::sync::Arc;

pass! {
    name: "attach-target",
    summary: "adds the description of a chip to the module",
    on: builtin::MODULE,
    level: Any => Any,
    options: { target: Text("cpu") = "BACKEND or BACKEND:CHIP" },
    statistics: ["descriptions attached"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let name = run.text("target");
    let (backend, chip) = name.split_once(':').unwrap_or((&name, ""));
    let chip = if chip.is_empty() { Target::default_chip(backend).unwrap_or_default() } else { chip };
    let Some(target) = Target::known(backend, chip) else {
        run.root().error(unknown(&name, backend));
        return Err(Failed);
    };
    match attach(run.root(), &target) {
        Ok(true) => run.count("descriptions attached", 1),
        Ok(false) => run.unchanged(),
        Err(other) => {
            run.root().error(other);
            return Err(Failed);
        }
    }
    Ok(())
}

/// Attaches `target` to `module`. Returns `false` if `module` has this description already.
///
/// # Errors
/// The module already has a different description.
pub fn attach(module: Op<'_>, target: &Target) -> Result<bool, Message> {
    match attached_target(module) {
        Some(known) if *known == *target => Ok(false),
        Some(known) => {
            let difference = if known.name() == target.name() { " with other fields" } else { "" };
            let (known, requested) = (known.name(), target.name());
            Err(cube_ir::diagnostic!(CUBE0350.other { known, difference, requested, attribute: TARGET }))
        }
        None => {
            set_target(module, target);
            Ok(true)
        }
    }
}

/// The target description of the module.
///
/// # Errors
/// The module has no description; the error is reported.
pub fn required(run: &Run<'_>) -> Result<Arc<Target>, Failed> {
    attached_target(run.root()).ok_or_else(|| {
        run.root().error(cube_ir::diagnostic!(CUBE0352.needed { pass: run.name(), attribute: TARGET }));
        Failed
    })
}

fn unknown(name: &str, backend: &str) -> Message {
    let chips = Target::chips(backend);
    let known = if chips.is_empty() { Target::backends().to_vec() } else { chips };
    cube_ir::diagnostic!(CUBE0351.unknown { name, known: known.join(", ") })
}
