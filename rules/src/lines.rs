//! The lines of rule families, and the hash under which the proof of a rule is stored. The build script of the crate
//! uses this file too, to find rules without a stored proof.

/// The versions of the checks of `cube-prove`: for rules with bitwise equal results, and for rules that round
/// differently. A version changes with every check, so that proofs by older checks become invalid.
pub const VERSIONS: [u32; 2] = [3, 4];

/// The version of the meaning of the operations (`cube_semantics`). The version changes if an operation of a rule gets
/// another result for some operands. A change of the version makes all proofs invalid.
pub const SEMANTICS: u32 = 1;

/// A line of a family: its number, the last line `types` before it, and its text without comments.
pub struct Line<'t> {
    pub number: usize,
    pub types: &'t str,
    pub text: &'t str,
}

/// The lines of a family that contain rules. A line `types` is also returned, with its own argument.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut types = "";
    text.lines().enumerate().filter_map(move |(number, line)| {
        let text = line.split('#').next().unwrap_or("").trim();
        if let Some(word) = text.strip_prefix("types ") {
            types = word.trim();
        }
        (!text.is_empty()).then_some(Line { number: number + 1, types, text })
    })
}

/// The text of a rule with single spaces.
pub fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The hash of all inputs of a proof: the rule, its types, and the versions of the checks and of the semantics. `text`
/// is [`spaced`].
pub fn hash(name: &str, types: &str, text: &str) -> String {
    let flags = text.split_once(" with ").map_or("", |(_, flags)| flags);
    let rounds = flags.split([',', ' ']).any(|flag| ["reassoc", "arcp", "contract", "afn", "fast"].contains(&flag));
    let input = format!("{}\n{SEMANTICS}\n{name}\n{types}\n{text}", VERSIONS[usize::from(rounds)]);
    blake3::hash(input.as_bytes()).to_hex()[..16].to_owned()
}

/// The names of the rules in `families` that have no proof in `proofs`; each family is a pair of a name and a text.
/// `proofs` is the text of `proofs.txt`.
pub fn unproven<'t>(families: impl IntoIterator<Item = (&'t str, &'t str)>, proofs: &str) -> Vec<String> {
    let known: Vec<&str> = proofs.lines().filter_map(|line| line.split('\t').next()).collect();
    let mut missing = Vec::new();
    for (family, text) in families {
        for line in lines(text) {
            let Some((name, rule)) = line.text.split_once(':').filter(|_| !line.text.starts_with("types ")) else {
                continue;
            };
            let name = format!("{family}/{}", name.trim());
            if !known.contains(&hash(&name, line.types, &spaced(rule)).as_str()) {
                missing.push(name);
            }
        }
    }
    missing
}

/// The reason to refuse a build with rules that have no stored proof; `None` if each rule has a proof.
pub fn refusal(missing: &[String]) -> Option<String> {
    let (names, count) = (missing.iter().take(8).cloned().collect::<Vec<_>>().join(", "), missing.len());
    (count > 0).then(|| {
        format!("{count} rules have no stored proof: {names}. Run `cargo run -p cube-prove`, which proves them or prints a counterexample.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_without_the_proof_of_its_text_is_refused() {
        let text = "types int\nown: (addi x 0)  => x\nother: (addi x y) => x # wrong\n";
        let proof = format!("# Proofs\n{}\tf/own\t-\tall values\n", hash("f/own", "int", "(addi x 0) => x"));
        let missing = unproven([("f", text)], &proof);
        assert_eq!(missing, ["f/other"]);
        let why = refusal(&missing).expect("a reason");
        assert!(why.contains("f/other") && why.contains("cargo run -p cube-prove"), "{why}");
        // The hash differs for other types and for other flags.
        assert_eq!(unproven([("f", "types bits\nown: (addi x 0) => x")], &proof), ["f/own"]);
        assert_eq!(unproven([("f", "types int\nown: (addi x 0) => x with nsz")], &proof), ["f/own"]);
        assert_eq!(refusal(&unproven([("f", "types int\nown: (addi x 0) => x")], &proof)), None);
    }
}
