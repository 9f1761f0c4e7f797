//! Proves the rules whose stored proof is missing, and stores the proofs in `rules/proofs.txt`. `--all` selects all
//! rules. Arguments that are rule names or parts of names select the matching rules. `--rules FILE` proves the rules of
//! a file and prints its lines with the proofs, for `cube.rules`. `--one NAME` proves one rule and prints its proof:
//! each rule is proven by a separate process, so that its processor time is known.
use cube_prove::{Effort, Proof, Refuted, is_float, prove, record};
use cube_rules::{Flags, Rule, rules, user};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The smallest set of flags for special values with which a float rule is correct.
fn suggestion(rule: &Rule) -> Option<Flags> {
    let own = rule.flags;
    let about = Flags::NNAN | Flags::NINF | Flags::NSZ;
    let mut sets: Vec<Flags> = (0..8).map(|bits| Flags(bits << 1)).collect();
    sets.sort_by_key(|set| set.0.count_ones());
    let sets = sets.into_iter().map(|set| own.without(about) | set);
    sets.filter(|_| is_float(rule)).find(|set| prove(&rule.with_flags(*set), Effort::Quick).is_ok())
}

// Writes the proofs of current rules only. An unchanged file is not written, so that nothing is rebuilt.
fn store(path: &Path, proofs: &record::Proofs) {
    let text = record::write(rules(), proofs);
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    if let Err(error) = std::fs::write(path, text) {
        eprintln!("{}: {error}", path.display());
    }
}

/// The rules that the command-line arguments select.
fn selected_rules(arguments: &[String], proofs: &record::Proofs) -> Vec<&'static Rule> {
    let again = arguments.iter().any(|argument| argument == "--all");
    let names: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let missing = |rule: &Rule| again || !proofs.contains_key(&record::hash(rule));
    let named = |rule: &Rule| names.iter().any(|name| rule.name.contains(name.as_str()));
    rules().iter().filter(|rule| if names.is_empty() { missing(rule) } else { named(rule) }).collect()
}

fn report(rule: &Rule, refuted: &Refuted) {
    eprintln!("{refuted}");
    if let Some(flags) = suggestion(rule) {
        eprintln!("  it holds with the flags {flags}");
    }
}

// Proves the rule of an exact name, and prints the fields of its proof, or the reason to refuse the rule.
fn prove_one(name: &str) -> Result<(), String> {
    let rule = rules().iter().find(|rule| rule.name == name).ok_or_else(|| format!("no rule has the name {name}"))?;
    let proof = prove(rule, Effort::Full).map_err(|refuted| refuted.why)?;
    println!("{}", record::fields(&Proof { time: processor_time(), ..proof }));
    Ok(())
}

/// The processor time of this process and of the processes that it started, in units of 10 ms; `None` if the system
/// does not have the file `/proc/self/stat`.
fn processor_time() -> Option<u32> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The fields after the name in parentheses begin with the third field; the times are the fields 14 to 17.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    fields.get(11..15)?.iter().map(|field| field.parse::<u32>().ok()).sum()
}

// Proves a rule in a new process.
fn prove_apart(rule: &Rule) -> Result<Proof, Refuted> {
    let refuted = |why: String| Refuted { rule: rule.name.clone(), why };
    let program = std::env::current_exe().map_err(|error| refuted(error.to_string()))?;
    let output = Command::new(program).args(["--one", &rule.name]).output();
    let output = output.map_err(|error| refuted(error.to_string()))?;
    let trimmed = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let fields = trimmed(&output.stdout);
    match record::fields_to_proof(&fields.split('\t').collect::<Vec<_>>()) {
        Some(proof) if output.status.success() => Ok(proof),
        _ => Err(refuted(trimmed(&output.stderr))),
    }
}

// Proves the rules of a program. Assumed lines are unchanged.
fn prove_file(path: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut types = String::new();
    for user in user::parse(text.lines()).map_err(|why| format!("{path}, {why}"))? {
        if types != user.rule.types {
            types = user.rule.types.clone();
            println!("types {types}");
        }
        let name = user.rule.name.trim_start_matches("user/");
        match user.assumed {
            true => println!("assume {name}: {}", user.rule.text),
            false => {
                prove(&user.rule, Effort::Full).map_err(|refuted| refuted.to_string())?;
                println!("{name}: {} proof {}", user.rule.text, record::hash(&user.rule));
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [option, argument] = arguments.as_slice()
        && ["--rules", "--one"].contains(&option.as_str())
    {
        let result = if option == "--one" { prove_one(argument) } else { prove_file(argument) };
        let result = result.inspect_err(|why| eprintln!("{why}"));
        return if result.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs.txt");
    let known = match record::read(&std::fs::read_to_string(&path).unwrap_or_default()) {
        Ok(proofs) => proofs,
        Err(why) => {
            eprintln!("{}: {why}", path.display());
            return ExitCode::FAILURE;
        }
    };
    let selected_rules = selected_rules(&arguments, &known);
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (proofs, start) = (Mutex::new(known), Instant::now());
    let work = || {
        while let Some(rule) = selected_rules.get(next.fetch_add(1, Ordering::Relaxed)) {
            let began = Instant::now();
            let found = prove_apart(rule);
            let mut proofs = proofs.lock().unwrap_or_else(PoisonError::into_inner);
            match found {
                Ok(proof) => _ = proofs.insert(record::hash(rule), (rule.name.clone(), proof)),
                Err(refuted) => {
                    failed.fetch_add(1, Ordering::Relaxed);
                    proofs.remove(&record::hash(rule));
                    report(rule, &refuted);
                }
            }
            if began.elapsed().as_secs() >= 5 {
                eprintln!("{} took {} s", rule.name, began.elapsed().as_secs());
            }
            // An interrupted run keeps its finished proofs.
            store(&path, &proofs);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |cores| cores.get()) {
            scope.spawn(work);
        }
    });
    let proofs = proofs.into_inner().unwrap_or_else(PoisonError::into_inner);
    store(&path, &proofs);
    let failed = failed.into_inner();
    let (proven, seconds) = (selected_rules.len() - failed, start.elapsed().as_secs());
    let hashes: Vec<String> = selected_rules.iter().map(|rule| record::hash(rule)).collect();
    let time: u32 = hashes.iter().filter_map(|hash| proofs.get(hash)?.1.time).sum();
    let (rules, busy) = (rules().len(), time / 100);
    println!("{proven} proven, {failed} not proven, {rules} rules, {seconds} s, {busy} s of processor time with z3");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
