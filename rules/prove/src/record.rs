//! Stored proofs: `rules/proofs.txt` has one line for each rule. A line contains the hash of the rule's content, the
//! rule's name, the measured difference, the processor time of the proof in units of 10 ms, and the methods. A stored
//! proof is valid if its hash equals the hash of the current rule.
use crate::{Effort, Proof, prove};
use cube_rules::Rule;
pub use cube_rules::user::hash;
use std::collections::BTreeMap;

/// The text of `rules/proofs.txt`.
pub const STORED: &str = include_str!("../../proofs.txt");

/// Maps the hash of a rule's content to the rule's name and proof.
pub type Proofs = BTreeMap<String, (String, Proof)>;

/// Parses stored proofs.
///
/// # Errors
/// The line number of an invalid line.
pub fn read(text: &str) -> Result<Proofs, String> {
    let mut proofs = Proofs::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [hash, name, proof @ ..] = fields.as_slice() else {
            return Err(format!("line {}: a proof has a hash and a name", number + 1));
        };
        let proof = fields_to_proof(proof).ok_or_else(|| format!("line {}: a proof has five fields", number + 1))?;
        proofs.insert((*hash).into(), ((*name).into(), proof));
    }
    Ok(proofs)
}

/// Parses the last three fields of a stored proof: difference, processor time, methods.
pub fn fields_to_proof(fields: &[&str]) -> Option<Proof> {
    let [difference, time, methods] = fields else { return None };
    let methods = methods.split("; ").map(str::to_owned).collect();
    Some(Proof { methods, difference: difference.parse().ok(), time: time.parse().ok() })
}

/// The last three fields of a stored proof.
pub fn fields(proof: &Proof) -> String {
    let number = |number: Option<u32>| number.map_or("-".into(), |number| number.to_string());
    format!("{}\t{}\t{}", number(proof.difference), number(proof.time), proof.methods.join("; "))
}

/// Proves a rule again. With [`Effort::Full`], the function also compares the methods of the new proof with the
/// methods of the stored proof. The function therefore finds a line in `rules/proofs.txt` that no proof has
/// produced.
///
/// # Errors
/// The rule has no stored proof or has a counterexample, or the methods of the new and the stored proof differ.
pub fn check(rule: &Rule, proofs: &Proofs, effort: Effort) -> Result<(), String> {
    let Some((_, stored)) = proofs.get(&hash(rule)) else { return Err(format!("{} has no stored proof", rule.name)) };
    let found = prove(rule, effort).map_err(|refuted| refuted.to_string())?;
    if effort == Effort::Full && found.methods != stored.methods {
        let (stored, found) = (stored.methods.join("; "), found.methods.join("; "));
        return Err(format!(
            "the stored proof of {} has the methods '{stored}', but the new proof has the methods '{found}'",
            rule.name
        ));
    }
    Ok(())
}

/// The proofs as text, in the order of the rules.
pub fn write(rules: &[Rule], proofs: &Proofs) -> String {
    let mut text = String::from("# Proofs of the rules, written by `cargo run -p cube-prove`. Do not edit.\n");
    for rule in rules {
        let hash = hash(rule);
        if let Some((name, proof)) = proofs.get(&hash) {
            text += &format!("{hash}\t{name}\t{}\n", fields(proof));
        }
    }
    text
}
