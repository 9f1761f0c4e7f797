//! Tests that every rule has a stored proof of its current text, and that wrong rules are refused with a
//! counterexample. The tests also prove some rules again.
use cube_prove::values::Random;
use cube_prove::{Effort, prove, record, sample};
use cube_rules::{Flags, Rule, rules};
use std::time::{SystemTime, UNIX_EPOCH};

#[test]
fn every_rule_has_a_stored_proof() {
    let proofs = record::read(record::STORED).expect("rules/proofs.txt is one of proofs");
    let missing: Vec<&Rule> = rules().iter().filter(|rule| !proofs.contains_key(&record::hash(rule))).collect();
    // A wrong rule shows its counterexample here.
    let why: Vec<String> = missing
        .iter()
        .take(4)
        .map(|rule| match prove(rule, Effort::Quick) {
            Ok(_) => format!("{} has no stored proof, and no counterexample by quick checks", rule.name),
            Err(refuted) => refuted.to_string(),
        })
        .collect();
    assert!(missing.is_empty(), "{} rules without a proof, run `cargo run -p cube-prove`: {why:#?}", missing.len());
    assert_eq!(proofs.len(), rules().len(), "proofs of removed rules");
    assert!(rules().len() >= 150, "{} rules", rules().len());
}

// Each day has a different part of the rules. PARTS days cover all rules.
const PARTS: u64 = 24;

#[test]
fn rotating_sample_of_rules_is_proven_again() {
    let day = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86400);
    println!("part {} of {PARTS}", day % PARTS);
    let part = rules().iter().enumerate().filter(|(number, _)| *number as u64 % PARTS == day % PARTS);
    let wrong: Vec<String> =
        part.filter_map(|(_, rule)| prove(rule, Effort::Quick).err()).map(|refuted| refuted.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Tests the rules that permit no rounding difference on random inputs; `CUBE_RULE_VALUES=1000000` tests a million
/// values for each family.
#[test]
fn every_family_has_the_same_bits_on_random_inputs() {
    let value_count = std::env::var("CUBE_RULE_VALUES").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let (mut random, mut wrong) = (Random::new(), Vec::new());
    for (family, _) in cube_rules::FAMILIES {
        let own = |rule: &&Rule| rule.name.split('/').next() == Some(*family);
        let exact = rules().iter().filter(own).filter(|rule| !rule.flags.intersects(Flags::APPROXIMATE));
        let exact: Vec<&Rule> = exact.collect();
        let instances: usize = exact.iter().map(|rule| rule.instances().len()).sum();
        if instances == 0 {
            continue;
        }
        let count = value_count / instances + 1;
        for rule in &exact {
            wrong.extend(sample(rule, count, &mut random).err().map(|why| format!("{}: {why}", rule.name)));
        }
        println!("{family}: {} inputs", count * instances);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_rule_holds_without_one_of_its_flags() {
    let flagged = rules().iter().filter(|rule| rule.flags != Flags::NONE);
    let mut tried = 0;
    for rule in flagged {
        for flag in rule.flags.each() {
            tried += 1;
            let less = rule.with_flags(rule.flags.without(flag));
            assert!(prove(&less, Effort::Quick).is_err(), "{} holds without {flag}", rule.name);
        }
    }
    println!("{tried} flags");
    assert!(tried > 200, "{tried} flags");
}

#[test]
fn wrong_rules_are_refused_with_values() {
    // Text, types, and a part of the reason.
    let wrong = [
        ("(addi x 1) => x", "int", "x = 0: Int(4) the pattern is 1, and the replacement 0"),
        // The guard is missing: the product wraps.
        ("(divui (muli x C) C) => x if (cmpi.ne C 0)", "int", "the pattern is"),
        // Zero divisors.
        ("(divui x x) => 1", "int", "x = 0: Int(4) the pattern is 0, and the replacement 1"),
        ("(remui x y) => x if (cmpi.ule x y)", "int", "the pattern is 0"),
        // MIN / -1.
        ("(divsi x y) => (subi 0 (divsi (subi 0 x) y))", "int", "the pattern is"),
        // The shift amount is off by one.
        ("(muli x C) => (shl x [addi [cttz C] 1]) if (cmpi.eq [ctpop C] 1)", "int", "C = 1"),
        ("(cmpi.slt x y) => (cmpi.ult x y)", "int", "the pattern is"),
        ("(extsi:T a) => (extui:T a)", "cast", "the pattern is"),
        // The sign of zero, NaN, infinity.
        ("(addf x 0.0) => x", "float", "x = -0.0"),
        ("(addf x 0.0) => x", "float", "the flags nsz are missing"),
        ("(mulf x 0.0) => 0.0 with nnan", "float", "-0.0"),
        ("(subf x x) => 0.0 with nsz", "float", "NaN"),
        ("(addf x 0.0) => x with nsz,nnan", "float", "the flag nnan is not needed"),
        ("(divf x C) => (mulf x [divf 1.0 C])", "float", "the flags arcp are missing"),
        ("(addf (mulf x y) z) => (fma x y z)", "float", "the flags contract are missing"),
        ("(mulf x 1.0) => x with reassoc", "float", "the flags reassoc are not needed"),
        ("(exp x) => (exp2 (mulf x 1.4)) with afn", "float", "the pattern is"),
        ("(castf:N (addf (castf:T a) 1.0)) => a", "cast-float", "the pattern is"),
        // A constant or a product of the replacement leaves the range of a format, or loses all digits.
        ("(divf x C) => (mulf x [divf 1.0 C]) with arcp", "float", "inf (0x"),
        ("(mulf (mulf x C) D) => (mulf x [mulf C D]) with reassoc", "float", "inf (0x"),
        ("(addf (log x) (log y)) => (log (mulf x y)) with afn,nnan", "float", "inf (0x"),
        ("(mulf (sqrt x) (sqrt y)) => (sqrt (mulf x y)) with reassoc,nnan", "float", "inf (0x"),
        ("(divf (divf x y) z) => (divf x (mulf y z)) with reassoc,arcp", "float", "the replacement 0.0"),
        (
            "(divf 1.0 (addf (exp (negf x)) 1.0)) => (fma (tanh (mulf x 0.5)) 0.5 0.5) with afn,arcp,contract",
            "float",
            "the pattern is",
        ),
        // Wrong only where f16 or bf16 has too few digits or exponents.
        ("(mulf x y) => (mulf (mulf x 65536.0) (mulf y 0.0000152587890625)) with reassoc", "float", "Float(F16)"),
    ];
    for (text, types, reason) in wrong {
        let rule = Rule::parse("test/wrong", text, types).unwrap_or_else(|why| panic!("{text}: {why}"));
        let refuted = prove(&rule, Effort::Quick).expect_err(text).to_string();
        assert!(refuted.contains(reason), "{text}: {refuted}");
    }
}

#[test]
fn invalid_rule_text_is_rejected() {
    let wrong = [
        ("(addi x 0)", "int", "a rule has '=>'"),
        ("x => x", "int", "a pattern is an operation"),
        ("(addi x) => x", "int", "'addi' has 2 operands"),
        ("(addq x y) => x", "int", "unknown operation 'addq'"),
        ("(addi x y) => z", "int", "does not have the variable 'z'"),
        ("(addi x [addi x 1]) => x", "int", "brackets hold constants only"),
        ("(addf x y) => x", "int", "is not for"),
        ("(addi x 0) => x with quick", "int", "unknown flag"),
        ("(addi x 0) => x if x", "int", "a guard has type i1"),
        ("(addi x 0) => (cmpi.eq x 0)", "int", "the pattern has type"),
        ("(addi x (subi 0 y) => x", "int", "ends too early"),
        ("(extui a) => x", "cast", "names the type of its result"),
        ("(select x y z) => y", "int", "do not have one type"),
    ];
    for (text, types, reason) in wrong {
        let why = Rule::parse("test/wrong", text, types).expect_err(text);
        assert!(why.contains(reason), "{text}: {why}");
    }
    let deep = format!("{}x{} => x", "(negf ".repeat(5000), ")".repeat(5000));
    assert!(Rule::parse("test/deep", &deep, "float").expect_err("deep").contains("nests more than"));
}
