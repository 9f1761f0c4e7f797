//! Generates the page of native, emulated and refused operations from the target descriptions.
use cube_artifact::CompileError;
use cube_driver::BACKENDS;
use cube_passes::native;
use cube_target::{AtomicOperation, Class, Element, PlaneOperation, SpaceKind, Support, Target};
use serde_json::json;
use std::fmt::Write;

/// The chips of a backend with the same answer, and the element types by their support.
type Row<'a> = (Vec<&'a str>, [Vec<&'static str>; 3]);

/// The page of the operations on numbers, the atomic operations and the plane operations of each backend.
pub fn page() -> Result<String, CompileError> {
    let mut page = String::from(
        "# Native, emulated and refused operations\n\n\
         After reading this page you know how each target computes an operation on a type.\n\n\
         A *native* operation is an instruction, or an operation of the shading language. An *emulated* operation has the same result within\n\
         the bounds of [types and operations](types.md), and is computed by other operations. The chip does not support a *refused* type\n\
         (CUBE0412). The table is generated from the target descriptions. All other operations of `math` are emulated on every target. Types\n\
         that kernels only store are not in the table. A native float function with an error above the published bound counts as emulated;\n\
         [flags](fast-math.md) permit it. `arith.divf` counts as native with the error of the chip's division, which can be 2.5 ULP in WGSL\n\
         and SPIR-V. `cargo test -p cube-fuzz --test chips native` compares the table with legalised kernels.\n",
    );
    for backend in BACKENDS {
        let described: Vec<Target> = backend.chips().iter().filter_map(|chip| backend.target(chip)).collect();
        let _ = writeln!(page, "\n## `{}`\n", backend.name());
        let evidence = super::pages::evidence_of(backend.name());
        if !evidence.is_empty() {
            let _ = writeln!(page, "{}\n", evidence.trim_start());
        }
        let _ = writeln!(page, "| Operation | Chips | Native | Emulated | Refused |\n|---|---|---|---|---|");
        for (kind, class) in native::listed() {
            let elements = || Element::ALL.iter().filter(|element| element.is_computed());
            let of_class = |element: &&Element| (element.class() == Class::Float) == (class == Class::Float);
            row(&mut page, &format!("`{}`", kind.name()), &described, |target| {
                split(
                    elements().filter(of_class).map(|element| (element.ir(), native::support(target, kind, *element))),
                )
            });
        }
        for space in [SpaceKind::Global, SpaceKind::Shared] {
            for operation in AtomicOperation::ALL {
                let title = format!("atomic {}, {}", word(&json!(operation)), word(&json!(space)));
                row(&mut page, &title, &described, |target| {
                    let own =
                        Element::ALL.iter().filter(|e| e.is_computed() && **e != Element::I1 && of(operation, **e));
                    split(own.map(|element| (element.ir(), atomic(target, space, *element, operation))))
                });
            }
        }
        for operation in PlaneOperation::ALL {
            row(&mut page, &format!("plane {}", word(&json!(operation))), &described, |target| {
                let own = target.has_plane(operation);
                let how = if target.planes.emulated { Support::Emulated } else { Support::Native };
                split([("any type", own.then_some(how))])
            });
        }
    }
    Ok(page)
}

// Atomic operations on bits are operations on integers.
fn of(operation: AtomicOperation, element: Element) -> bool {
    operation != AtomicOperation::Bits || element.class() != Class::Float
}

fn atomic(target: &Target, space: SpaceKind, element: Element, operation: AtomicOperation) -> Option<Support> {
    target.arithmetic(element)?;
    let listed = target.atomics_in(space, element).contains(&operation);
    let has = target.has_atomic(space, element, Some(operation));
    has.then_some(if listed { Support::Native } else { Support::Emulated })
}

fn split(all: impl IntoIterator<Item = (&'static str, Option<Support>)>) -> [Vec<&'static str>; 3] {
    let mut by = [Vec::new(), Vec::new(), Vec::new()];
    for (name, support) in all {
        let at = match support {
            Some(Support::Native) => 0,
            Some(Support::Emulated) => 1,
            Some(Support::Storage) | None => 2,
        };
        by[at].push(name);
    }
    by
}

fn row(page: &mut String, title: &str, targets: &[Target], supports: impl Fn(&Target) -> [Vec<&'static str>; 3]) {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for target in targets {
        let own = supports(target);
        match rows.iter_mut().find(|(_, known)| *known == own) {
            Some((chips, _)) => chips.push(&target.chip),
            None => rows.push((vec![&target.chip], own)),
        }
    }
    let all = rows.len() == 1;
    let code = |names: &[&str]| match names {
        [] => "-".into(),
        ["any type"] => "any type".into(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    };
    for (chips, by) in rows {
        let chips = if all { "all".into() } else { code(&chips) };
        let [native, emulated, refused] = by.map(|names| code(&names));
        let _ = writeln!(page, "| {title} | {chips} | {native} | {emulated} | {refused} |");
    }
}

// The spelling of a name in the descriptions, as words.
fn word(value: &serde_json::Value) -> String {
    value.as_str().unwrap_or_default().replace('_', " ")
}
