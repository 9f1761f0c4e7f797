//! Stored proofs: `rules/proofs.txt` has a line for each rule, with the hash of its content. A proof is valid while its
//! hash equals the hash of the rule.
use crate::Proof;
use cube_rules::Rule;
pub use cube_rules::user::hash;
use std::collections::BTreeMap;

/// The stored proofs of this tree.
pub const STORED: &str = include_str!("../../proofs.txt");

/// Stored proofs by the hash of the rule's content: the name of the rule, the methods, the measured difference.
pub type Proofs = BTreeMap<String, (String, Proof)>;

/// The stored proofs of a text.
///
/// # Errors
/// The number of an invalid line.
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

/// The text of proofs, in the order of the rules.
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
