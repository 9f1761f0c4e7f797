//! Tests the stored proofs. The tests prove changed rules, and a sample of all rules, again by the stored methods,
//! including z3. The tests also detect a line that no proof produced.
use cube_prove::record::{self, Proofs};
use cube_prove::{Effort, Proof, smt};
use cube_rules::{Rule, lines, rules};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

fn day() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86400)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn stored() -> Proofs {
    record::read(record::STORED).expect("rules/proofs.txt is one of proofs")
}

// Without z3, only values are tried, and the test reports it.
fn effort() -> Effort {
    if smt::is_installed() {
        return Effort::Full;
    }
    println!("z3 is not installed: the rules are tried on values only");
    Effort::Quick
}

// Proves rules again until the sum of their stored times reaches a limit in units of 10 ms. The first rule depends on
// the day. A rule with a longer proof than the limit is only tried on values.
fn prove_again(chosen: &[&Rule], limit: u32) {
    let (proofs, effort, mut time) = (stored(), effort(), 0);
    for place in 0..chosen.len() {
        let rule = chosen[(place + day() as usize * 31) % chosen.len()];
        let own = proofs.get(&record::hash(rule)).and_then(|(_, proof)| proof.time).unwrap_or(limit);
        // A stored time of 0 means less than one unit, so a minimum for the start of a process is added.
        time += own.clamp(5, limit);
        if time > limit {
            break;
        }
        let effort = if own < limit { effort } else { Effort::Quick };
        println!("{} by {effort:?} checks, {own}0 ms", rule.name);
        record::check(rule, &proofs, effort).unwrap_or_else(|why| panic!("{why}"));
    }
}

#[test]
fn sampled_rules_are_proven_again_by_the_stored_methods() {
    prove_again(&rules().iter().collect::<Vec<_>>(), 100);
}

// The rules whose line in `rules/proofs.txt` is younger than a number of commits.
fn changed(commits: u32) -> Option<Vec<&'static Rule>> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root()).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let base = git(&["rev-list", &format!("--max-count={commits}"), "HEAD"])?.lines().last()?.to_owned();
    let old = git(&["show", &format!("{base}:rules/proofs.txt")])?;
    let old: BTreeSet<&str> = old.lines().filter_map(|line| line.split('\t').next()).collect();
    Some(rules().iter().filter(|rule| !old.contains(record::hash(rule).as_str())).collect())
}

// Rules that no commit contains yet, or that the last commit changed, are proven completely, for at most one minute.
// Older changes share 10 seconds.
#[test]
fn changed_rules_are_proven_again_by_the_stored_methods() {
    for (commits, limit) in [(2, 6000), (60, 1000)] {
        let Some(changed) = changed(commits) else {
            return println!("no history of commits: no rule is known to have changed");
        };
        println!("{} rules changed in {commits} commits", changed.len());
        prove_again(&changed, limit);
    }
}

#[test]
fn unproven_rule_is_found() {
    let proof = |methods: &str| Proof { methods: vec![methods.into()], ..Proof::default() };
    let with = |text: &str, types: &str, methods: &str| {
        let rule = Rule::parse("test/planted", text, types).expect("a rule");
        let proofs = Proofs::from([(record::hash(&rule), (rule.name.clone(), proof(methods)))]);
        // The build accepts this line, because its hash is that of the rule.
        let line = record::write(std::slice::from_ref(&rule), &proofs);
        let family = format!("types {types}\nplanted: {text}\n");
        assert!(lines::unproven([("test", family.as_str())], &line).is_empty());
        record::check(&rule, &proofs, effort()).err().unwrap_or_default()
    };
    let why = with("(addf x 0.0) => x", "float", "all values of f16");
    assert!(why.contains("x = -0.0"), "{why}");
    // The rule is wrong for one of 2^32 values, and only with 32 and 64 bits.
    let wrong = "(andi (shrui x 16) (shrui x 24)) => 0 if (cmpi.ne x 0)";
    assert!(with(wrong, "int", "all values at 8 bits").contains("the pattern is"), "{why}");
    if effort() == Effort::Full {
        let why = with("(addi x 0) => x", "int", "z3 at 8, 16, 32, 64 bits");
        assert!(why.contains("the stored proof of test/planted has the methods"), "{why}");
    }
    let missing = Rule::parse("test/other", "(addi x 0) => x", "int").expect("a rule");
    assert!(record::check(&missing, &Proofs::new(), Effort::Quick).is_err());
}

// The code of Rust files without comments, tests and spaces.
fn code(folder: &str) -> String {
    let mut files: Vec<PathBuf> =
        root().join(folder).read_dir().expect("a folder").flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    let mut all = String::new();
    for path in files {
        let text = std::fs::read_to_string(path).expect("a text");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        all.extend(lines.flat_map(|line| line.chars()).filter(|c| !c.is_whitespace()));
    }
    all
}

/// The stored proofs belong to one version of the prover and of the semantics. After a change of their code, the author
/// runs this test with `BLESS=1`: it tries each rule again on values, and writes the hash of the code if no rule is
/// wrong. Without this step, every run of the suite would try all rules, which takes a minute.
#[test]
fn the_proofs_belong_to_the_code_of_the_prover() {
    let path = root().join("rules/prove/code.txt");
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex()[..16].to_owned();
    let now = format!(
        "# The hashes of the code whose versions rules/src/lines.rs has. `BLESS=1 cargo test -p cube-prove` writes them.\n\
         checks {:?} {}\nsemantics {} {}\n",
        lines::VERSIONS,
        hash(&code("rules/prove/src")),
        lines::SEMANTICS,
        hash(&code("semantics/src")),
    );
    if std::fs::read_to_string(&path).unwrap_or_default() == now {
        return;
    }
    assert!(
        std::env::var_os("BLESS").is_some(),
        "the code of the prover or of the semantics changed; `BLESS=1 cargo test -p cube-prove --test proofs` tries all rules again"
    );
    let proofs = stored();
    let wrong: Vec<String> =
        rules().iter().filter_map(|rule| record::check(rule, &proofs, Effort::Quick).err()).collect();
    assert!(wrong.is_empty(), "raise SEMANTICS or VERSIONS in rules/src/lines.rs: {wrong:#?}");
    std::fs::write(&path, &now).expect("the file can be written");
}
