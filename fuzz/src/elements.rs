//! Generates the section of element types in `docs/reference/types.md` from the table of element types and
//! the descriptions of chips.
use cube_target::{Class, Element, Support, Target};
use std::collections::BTreeMap;
use std::fmt::Write;

/// One row for each element type: its fields, the type in which kernels compute it, and the chips that
/// support it.
pub fn page() -> String {
    let backends = Target::backends();
    let mut page = String::from(
        "## Element types by chip\n\n\
         The table is generated from `targets/src/element.rs` and the descriptions of chips. A *native* type has instructions. An *emulated*\n\
         type has the results of native code, computed by instructions of other types. A *stored* type can only be loaded, stored and\n\
         converted. A type with `-` is not supported. The column of fields has the numbers of exponent bits and fraction bits.",
    );
    for sentence in backends.iter().filter_map(|backend| Target::evidence(backend)) {
        let _ = write!(page, "\n{sentence}");
    }
    page.push_str("\n\n");
    let heads: Vec<String> = backends.iter().map(|backend| format!("`{backend}`")).collect();
    let _ = writeln!(
        page,
        "| Type | Fields | Held in | {} |\n|---|---|---|{}",
        heads.join(" | "),
        "---|".repeat(heads.len())
    );
    for element in Element::ALL {
        let fields = match (element.class(), element.format()) {
            (_, Some(format)) => format!("{}, {}", format.exponent, format.fraction),
            (Class::Bool, _) => "bool".into(),
            _ => "integer".into(),
        };
        let held = element.holder().map_or("-".into(), |holder| format!("`{}`", holder.ir()));
        let cells: Vec<String> = backends.iter().map(|backend| cell(backend, *element)).collect();
        let _ = writeln!(page, "| `{}` | {fields} | {held} | {} |", element.ir(), cells.join(" | "));
    }
    page
}

// One word if all chips agree, otherwise each word with its chips.
fn cell(backend: &str, element: Element) -> String {
    let mut by_word: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for chip in Target::chips(backend) {
        let word = match Target::known(backend, chip).and_then(|target| target.arithmetic(element)) {
            Some(Support::Native) => "native",
            Some(Support::Emulated) => "emulated",
            Some(Support::Storage) => "stored",
            None => "-",
        };
        by_word.entry(word).or_default().push(chip);
    }
    if by_word.len() == 1 {
        return by_word.into_keys().collect();
    }
    let words = by_word.into_iter().map(|(word, chips)| format!("{word}: {}", chips.join(", ")));
    words.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_has_the_types_of_the_descriptions() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/types.md");
        let held = std::fs::read_to_string(path).expect("a page of the reference");
        let page = super::page();
        if !held.contains(&page) {
            let rest = &held[held.find("## Operations").unwrap_or(held.len())..];
            let head = &held[..held.find("## Element types").unwrap_or(held.len() - rest.len())];
            if std::env::var_os("BLESS").is_some() {
                std::fs::write(path, format!("{head}{page}\n{rest}")).expect("the page can be written");
                return;
            }
            panic!(
                "docs/reference/types.md differs from the descriptions: BLESS=1 cargo test -p cube-fuzz --lib elements\n{page}"
            );
        }
    }
}
