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

/// The rules of a family: the name, the argument of the line `types`, and the text ([`spaced`]) of each rule.
pub fn rules<'t>(family: &'t str, text: &'t str) -> impl Iterator<Item = (String, &'t str, String)> {
    lines(text).filter(|line| !line.text.starts_with("types ")).filter_map(move |line| {
        let (name, rule) = line.text.split_once(':')?;
        Some((format!("{family}/{}", name.trim()), line.types, spaced(rule)))
    })
}

/// The text of a rule with single spaces.
pub fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name of the outermost operation of a rule's pattern. `text` is [`spaced`].
pub fn root(text: &str) -> &str {
    text.trim_start_matches('(').split([' ', ':', '(', ')', '[', ']']).next().unwrap_or("")
}

/// The names of the operations of a rule's pattern below the outermost operation. `text` is [`spaced`].
pub fn inner(text: &str) -> Vec<&str> {
    let pattern = text.split(" => ").next().unwrap_or("");
    let mut names: Vec<&str> = pattern.split('(').skip(2).map(root).collect();
    names.sort_unstable();
    names.dedup();
    names
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
        let unknown =
            rules(family, text).filter(|(name, types, rule)| !known.contains(&hash(name, types, rule).as_str()));
        missing.extend(unknown.map(|(name, ..)| name));
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
    fn the_operations_of_a_pattern_are_its_root_and_the_inner_operations() {
        for (text, name) in [
            ("(addi x 0) => x", "addi"),
            ("(cmpi.ult (extui:T a) C) => true", "cmpi.ult"),
            ("(trunci:N (extui:T a)) => a", "trunci"),
            ("(select p x x) => x", "select"),
            ("x => x", "x"),
            ("", ""),
        ] {
            assert_eq!(root(text), name, "{text}");
        }
        assert_eq!(inner("(addi (muli x (extui:T a)) (muli y z)) => (subi x y)"), ["extui", "muli"]);
        assert!(inner("(addi x 0) => (subi (muli x y) x)").is_empty());
    }

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
