//! Stored proofs: `rules/proofs.txt` has one line for each rule, with a hash of the rule's content. A stored proof
//! is valid if its hash equals the hash of the current rule.
use crate::Proof;
use cube_rules::Rule;
pub use cube_rules::user::hash;
use std::collections::BTreeMap;

/// The text of `rules/proofs.txt`.
pub const STORED: &str = include_str!("../../proofs.txt");

/// The stored proofs by the hash of the rule's content: the name of the rule, and its proof.
pub type Proofs = BTreeMap<String, (String, Proof)>;

/// Parses stored proofs.
///
/// # Errors
/// The line number of an invalid line.
pub fn read(text: &str) -> Result<Proofs, String> {
    let mut proofs = Proofs::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [hash, name, difference, methods] = fields[..] else {
            return Err(format!("line {}: a proof has four fields", number + 1));
        };
        let methods = methods.split("; ").map(str::to_owned).collect();
        let proof = Proof { methods, difference: difference.parse().ok() };
        proofs.insert(hash.into(), (name.into(), proof));
    }
    Ok(proofs)
}

/// The proofs as text, in the order of the rules.
pub fn write(rules: &[Rule], proofs: &Proofs) -> String {
    let mut text = String::from("# Proofs of the rules, written by `cargo run -p cube-prove`. Do not edit.\n");
    for rule in rules {
        let hash = hash(rule);
        if let Some((name, proof)) = proofs.get(&hash) {
            let difference = proof.difference.map_or("-".into(), |difference| difference.to_string());
            text += &format!("{hash}\t{name}\t{difference}\t{}\n", proof.methods.join("; "));
        }
    }
    text
}
