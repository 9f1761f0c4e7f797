//! Checks that no error code is lost. A code is part of the interface of the tools: users search it, scripts compare
//! it, and `--explain` describes it. `xtask/codes.txt` lists every code that ever had an explanation.

use super::{Tree, Verdict};
use std::collections::BTreeSet;

const PINNED: &str = "xtask/codes.txt";

/// The tables of codes with their explanations.
const TABLES: [&str; 2] = ["driver/src/codes.rs", "runtime/artifact/src/codes.rs"];

pub fn check(tree: &Tree) -> Verdict {
    let explained: BTreeSet<String> = TABLES.iter().flat_map(|table| codes_in(&tree.read(table))).collect();
    let pinned =
        tree.read(PINNED).lines().map(|line| line.trim().to_string()).filter(|line| !line.is_empty()).collect();
    Verdict::of(differences(&explained, &pinned), format!("{} codes, none lost", explained.len()))
}

fn differences(explained: &BTreeSet<String>, pinned: &BTreeSet<String>) -> Vec<String> {
    let lost = pinned.difference(explained).map(|code| {
        format!(
            "{code} has no explanation in {}; restore the code, because inputs that were refused with it still are",
            TABLES.join(" or ")
        )
    });
    let new = explained
        .difference(pinned)
        .map(|code| format!("{PINNED}: add the new code {code}, so that it cannot be lost"));
    lost.chain(new).collect()
}

// All codes `CUBEnnnn` in a text.
fn codes_in(text: &str) -> Vec<String> {
    let digits = |at: usize| text.get(at + 4..at + 8).filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    text.match_indices("\"CUBE").filter_map(|(at, _)| digits(at + 1)).map(|digits| format!("CUBE{digits}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_code_and_a_new_one_are_findings() {
        let all = |codes: &[&str]| codes.iter().map(|code| code.to_string()).collect::<BTreeSet<_>>();
        let table = codes_in("\"CUBE0100\" \"title\": \"text\";\npub const LOST: &str = \"CUBE0901\"; // CUBE0777");
        assert_eq!(table, ["CUBE0100", "CUBE0901"]);
        let explained = table.into_iter().collect();
        assert!(differences(&explained, &all(&["CUBE0100", "CUBE0901"])).is_empty());
        let found = differences(&explained, &all(&["CUBE0100", "CUBE0102"]));
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("CUBE0102 has no explanation") && found[1].ends_with("cannot be lost"));
    }
}
