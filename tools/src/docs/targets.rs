//! Generates the tables of a backend's chips from the target descriptions.
use cube_target::{CostClass, Element, MathAccuracy, SpaceKind, Support, Target};
use serde_json::json;
use std::fmt::Write;

/// Writes the tables of the chips `targets`. If several chips have the same table, the page contains the
/// table once.
pub fn tables(page: &mut String, targets: &[Target]) {
    chips(page, targets);
    math(page, targets);
    operations(page, targets);
    costs(page, targets);
    latencies(page, targets);
    sources(page, targets);
}

fn words(all: &[String]) -> String {
    if all.is_empty() { "-".into() } else { all.join(", ") }
}

fn code(words: impl IntoIterator<Item = impl std::fmt::Display>) -> Vec<String> {
    words.into_iter().map(|word| format!("`{word}`")).collect()
}

// A row for each chip.
fn chips(page: &mut String, targets: &[Target]) {
    let _ = writeln!(
        page,
        "| Chip | Units of a plane | Widest access | Shared memory | Units of a cube | Emulated types |\n|---|---|---|---|---|---|"
    );
    for target in targets {
        let emulated = target.elements.iter().filter(|(_, support)| **support == Support::Emulated);
        let shared = target.space(SpaceKind::Shared).and_then(|space| space.bytes);
        let widths: Vec<String> = target.planes.widths.iter().map(u32::to_string).collect();
        let _ = writeln!(
            page,
            "| `{}` | {} | {} bits | {} | {} | {} |",
            target.chip,
            words(&widths),
            target.access_bits,
            shared.map_or("-".into(), |bytes| format!("{} KiB", bytes >> 10)),
            target.limits.units_per_cube,
            words(&code(emulated.map(|(element, _)| element.ir()))),
        );
    }
    page.push('\n');
}

// A table whose rows are properties of chips. Chips with equal properties share a row.
fn grouped(page: &mut String, heads: &str, targets: &[Target], rows: impl Fn(&Target) -> Vec<String>) {
    let mut groups: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for target in targets {
        let answer = rows(target);
        match groups.iter_mut().find(|(_, known)| *known == answer) {
            Some((chips, _)) => chips.push(&target.chip),
            None => groups.push((vec![&target.chip], answer)),
        }
    }
    if groups.iter().all(|(_, rows)| rows.is_empty()) {
        return;
    }
    let _ = writeln!(page, "| Chips {heads} |\n|---{}|", "|---".repeat(heads.matches('|').count()));
    for (chips, rows) in groups {
        let chips = words(&code(chips));
        for row in rows {
            let _ = writeln!(page, "| {chips} | {row} |");
        }
    }
    page.push('\n');
}

// The name of a table row, as the descriptions spell it.
fn name(value: &serde_json::Value) -> String {
    value.as_str().unwrap_or_default().into()
}

fn math(page: &mut String, targets: &[Target]) {
    let rows = |target: &Target| {
        let mut rows = Vec::new();
        for element in Element::ALL {
            let of = |filter: fn(MathAccuracy) -> bool| {
                let own = target.math.iter().filter_map(|(function, forms)| Some((function, *forms.get(element)?)));
                let functions = own.filter(|(_, form)| filter(*form)).map(|(function, form)| match form {
                    MathAccuracy::Ulp(most) | MathAccuracy::Normal(most) => {
                        format!("{} ({most})", name(&json!(function)))
                    }
                    _ => name(&json!(function)),
                });
                functions.collect::<Vec<_>>()
            };
            let [exact, within, near] = [
                of(|form| form == MathAccuracy::Exact),
                of(|form| matches!(form, MathAccuracy::Ulp(_))),
                of(|form| matches!(form, MathAccuracy::Normal(_) | MathAccuracy::Approximate)),
            ];
            if exact.len() + within.len() + near.len() > 0 {
                rows.push(format!("`{}` | {} | {} | {}", element.ir(), words(&exact), words(&within), words(&near)));
            }
        }
        rows
    };
    grouped(page, "| Floats | Rounded correctly | Within units in the last place | Approximate", targets, rows);
}

fn operations(page: &mut String, targets: &[Target]) {
    let rows = |target: &Target| {
        let elements = |all: &[Element]| words(&code(all.iter().map(|element| element.ir())));
        let integers =
            target.integers.iter().map(|(f, all)| format!("integers: {} | {}", name(&json!(f)), elements(all)));
        let conversions = target
            .conversions
            .iter()
            .map(|(from, to)| format!("conversion of `{}`, rounded at most once, to | {}", from.ir(), elements(to)));
        let shape = |m: &cube_target::Matrix| format!("{}x{}x{} `{}` to `{}`", m.m, m.n, m.k, m.a.ir(), m.c.ir());
        let matrices: Vec<String> = target.matrices.iter().map(shape).collect();
        let matrices = (!matrices.is_empty()).then(|| format!("products of matrices | {}", words(&matrices)));
        let copies: Vec<String> = target.copies.iter().map(|copy| name(&json!(copy))).collect();
        let copies = (!copies.is_empty()).then(|| format!("copies to shared memory | {}", words(&copies)));
        integers.chain(conversions).chain(matrices).chain(copies).collect()
    };
    grouped(page, "| Native | For", targets, rows);
}

fn costs(page: &mut String, targets: &[Target]) {
    let heads: String = CostClass::ALL.iter().map(|class| format!("| {} ", name(&json!(class)))).collect();
    let rows = |target: &Target| {
        let cell = |class: &CostClass| {
            // A class without a cost counts as an f32 multiply-add.
            let assumed = *class != CostClass::FmaF32 && !target.costs.contains_key(class);
            let mark = if assumed || target.estimated_costs.contains(class) { "~" } else { "" };
            match target.cost(*class) {
                cost if cost % CostClass::UNIT == 0 => format!("{mark}{}", cost / CostClass::UNIT),
                cost => format!("{mark}{:.2}", f64::from(cost) / f64::from(CostClass::UNIT)),
            }
        };
        let cells: Vec<String> = CostClass::ALL.iter().map(cell).collect();
        if target.costs.is_empty() { vec![] } else { vec![cells.join(" | ")] }
    };
    grouped(page, heads.trim_end(), targets, rows);
}

fn latencies(page: &mut String, targets: &[Target]) {
    let classes = || CostClass::ALL.iter().filter(|class| targets.iter().any(|t| t.latencies.contains_key(class)));
    let heads: String = classes().map(|class| format!("| {} ", name(&json!(class)))).collect();
    let rows = |target: &Target| {
        let cell = |class: &CostClass| match target.latencies.get(class) {
            None => "-".into(),
            Some(cycles) if target.estimated_latencies.contains(class) => format!("~{cycles}"),
            Some(cycles) => cycles.to_string(),
        };
        let number = |number: Option<u32>| number.map_or("-".into(), |number| number.to_string());
        let cells: Vec<String> =
            classes().map(cell).chain([number(target.resident_planes), number(target.registers)]).collect();
        if target.latencies.is_empty() { vec![] } else { vec![cells.join(" | ")] }
    };
    grouped(page, &format!("{heads}| Planes of a scheduler | Registers of a unit"), targets, rows);
}

// The classes with the same source are one row.
fn sources(page: &mut String, targets: &[Target]) {
    let rows = |target: &Target| {
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        let costs = CostClass::ALL.iter().map(|class| ("cost", class, target.source_of_cost(*class)));
        let latencies = CostClass::ALL.iter().map(|class| ("latency", class, target.source_of_latency(*class)));
        for (what, class, source) in costs.chain(latencies) {
            let Some(source) = source else { continue };
            let mark = if source.is_estimate() { "~ " } else { "" };
            let row = format!("{what} | {mark}{}", source.text());
            let class = format!("`{}`", name(&json!(class)));
            match rows.iter_mut().find(|(known, _)| *known == row) {
                Some((_, classes)) => classes.push(class),
                None => rows.push((row, vec![class])),
            }
        }
        rows.into_iter().map(|(row, classes)| format!("{} | {row}", classes.join(", "))).collect()
    };
    grouped(page, "| Classes | Number | Source or rule of the estimate", targets, rows);
}
