//! Proves the rules without a stored proof, and stores the proofs in `rules/proofs.txt`. With `--all` all rules; with
//! names, or parts of names, those rules.
use cube_prove::{Effort, is_float, prove, record};
use cube_rules::{Flags, Rule, rules};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// The smallest change of the flags about special values that makes a rule of floats hold.
fn suggestion(rule: &Rule) -> Option<Flags> {
    let own = rule.flags;
    let about = Flags::NNAN | Flags::NINF | Flags::NSZ;
    let mut sets: Vec<Flags> = (0..8).map(|bits| Flags(bits << 1)).collect();
    sets.sort_by_key(|set| set.0.count_ones());
    let sets = sets.into_iter().map(|set| own.without(about) | set);
    sets.filter(|_| is_float(rule)).find(|set| prove(&rule.with_flags(*set), Effort::Quick).is_ok())
}

// Proofs of rules that are not there any more are dropped.
fn store(path: &Path, proofs: &record::Proofs) {
    if let Err(error) = std::fs::write(path, record::write(rules(), proofs)) {
        eprintln!("{}: {error}", path.display());
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let again = arguments.iter().any(|argument| argument == "--all");
    let names: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs.txt");
    let mut proofs = match record::read(&std::fs::read_to_string(&path).unwrap_or_default()) {
        Ok(proofs) => proofs,
        Err(why) => {
            eprintln!("{}: {why}", path.display());
            return ExitCode::FAILURE;
        }
    };
    let (mut failed, mut proven, start) = (0, 0, Instant::now());
    for rule in rules() {
        let hash = record::hash(rule);
        let asked = !names.is_empty() && names.iter().any(|name| rule.name.contains(name.as_str()));
        if !asked && (!names.is_empty() || proofs.contains_key(&hash) && !again) {
            continue;
        }
        proofs.remove(&hash);
        let began = Instant::now();
        match prove(rule, Effort::Full) {
            Ok(proof) => {
                proven += 1;
                proofs.insert(hash, (rule.name.clone(), proof));
            }
            Err(refuted) => {
                failed += 1;
                eprintln!("{refuted}");
                if let Some(flags) = suggestion(rule) {
                    eprintln!("  it holds with the flags {flags}");
                }
            }
        }
        if began.elapsed().as_secs() >= 5 {
            eprintln!("{} took {} s", rule.name, began.elapsed().as_secs());
        }
        // An interrupted run keeps the proofs that it has.
        store(&path, &proofs);
    }
    store(&path, &proofs);
    println!("{proven} proven, {failed} not proven, {} rules, {} s", rules().len(), start.elapsed().as_secs());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
