//! Tests that every rule has a stored proof of its current text, and that wrong rules are refused with a
//! counterexample. The tests also prove some rules again.
use cube_prove::values::Random;
use cube_prove::{Effort, linear, prove, record, sample};
use cube_rules::{Flags, Rule, rules};
use std::time::{SystemTime, UNIX_EPOCH};

#[test]
fn every_rule_has_a_stored_proof() {
    let proofs = record::read(record::STORED).expect("rules/proofs.txt is one of proofs");
    let missing: Vec<&Rule> = rules().iter().filter(|rule| !proofs.contains_key(&record::hash(rule))).collect();
    // For a wrong rule, the message contains the counterexample.
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
        // The rules are wrong only if f16 or bf16 has too few digits or exponents.
        ("(mulf x y) => (mulf (mulf x 65536.0) (mulf y 0.0000152587890625)) with reassoc", "float", "Float(F16)"),
    ];
    for (text, types, reason) in wrong {
        let rule = Rule::parse("test/wrong", text, types).unwrap_or_else(|why| panic!("{text}: {why}"));
        let refuted = prove(&rule, Effort::Quick).expect_err(text).to_string();
        assert!(refuted.contains(reason), "{text}: {refuted}");
    }
}

// An embedder proves its rules with the program `cube-prove`. The guard of this rule does not exclude products that
// wrap.
#[test]
fn rule_of_a_program_with_a_wrong_guard_is_refused_with_values() {
    let folder = std::env::temp_dir().join(format!("cube-prove-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let run = |rule: &str| {
        let path = folder.join("own.rules");
        std::fs::write(&path, format!("types int\n{rule}\n")).expect("a file");
        let program = std::process::Command::new(env!("CARGO_BIN_EXE_cube-prove"));
        let output = { program }.arg("--rules").arg(&path).output().expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    let (ok, _, why) = run("own: (divui (muli x C) C) => x if (cmpi.ne C 0)");
    assert!(!ok && why.contains("rule user/own is not proven: for x = ") && why.contains("the pattern is"), "{why}");
    let (ok, line, why) = run("own: (divui (muli x C) C) => x if (andi (cmpi.eq (mulhui x C) 0) (cmpi.ne C 0))");
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    assert!(ok && line.contains(" proof "), "{line}{why}");
    // The compiler accepts the printed line, and refuses another guard with the same proof.
    let accepted = cube_rules::user::accepted(line.lines()).expect("the rule is proven");
    assert_eq!(accepted[0].name(), "user/own");
    let wrong = line.replace("(cmpi.ne C 0)", "(cmpi.ne C 1)");
    assert!(cube_rules::user::accepted(wrong.lines()).unwrap_err().contains("is one of another text"));
}

// The factor of a division by 3 is two thirds of 2^n, rounded up. The guard is its certificate.
const THIRD: &str = "[addi [muli [divui MAX 3] 2] 1]";

#[test]
fn divisions_by_magic_numbers_are_proven_or_refused_at_every_width() {
    if !cube_prove::smt::is_installed() {
        return println!("z3 is not installed: no division is proven");
    }
    let division = |factor: &str, guard: &str| {
        let text = format!("(divui x 3) => (shrui (mulhui x {factor}) 1) if {guard}");
        Rule::parse("test/third", &text, "int").unwrap_or_else(|why| panic!("{text}: {why}"))
    };
    let right = division(THIRD, &format!("(cmpi.eq [mulhui {THIRD} 3] 2)"));
    let proof = prove(&right, Effort::Full).unwrap_or_else(|why| panic!("{why}"));
    let methods = proof.methods.join("; ");
    assert!(methods.contains("linear equations, by z3 at 8, 16, 32, 64 bits"), "{methods}");
    // A remainder by the same factor, and a signed quotient.
    for text in [
        format!("(remui x 3) => (subi x (muli (shrui (mulhui x {THIRD}) 1) 3)) if (cmpi.eq [mulhui {THIRD} 3] 2)"),
        "(divsi x 3) => (subi (mulhsi x [addi [divui MAX 3] 1]) (shrsi x TOP)) if (cmpi.ne WIDTH 5)".into(),
    ] {
        let rule = Rule::parse("test/third", &text, "int").unwrap_or_else(|why| panic!("{text}: {why}"));
        prove(&rule, Effort::Full).unwrap_or_else(|why| panic!("{why}"));
    }
    // A factor that is wrong by one is refused at each width, with a dividend as the counterexample.
    for factor in [format!("[addi {THIRD} 1]"), format!("[subi {THIRD} 1]")] {
        let wrong = division(&factor, "(cmpi.ne WIDTH 5)");
        let why = prove(&wrong, Effort::Full).expect_err(&factor).to_string();
        assert!(why.contains("x = ") && why.contains("the pattern is"), "{why}");
        for instance in wrong.instances() {
            let why = linear::check(&instance).err().unwrap_or_else(|| panic!("{factor}: {:?}", instance.types));
            assert!(why.contains("(by z3)"), "{why}");
            println!("{why}");
        }
    }
    // Without the certificate, the factor is wrong for 5 bits.
    let why = prove(&division(THIRD, "true"), Effort::Full).expect_err("no guard").to_string();
    assert!(why.contains("Int(5)"), "{why}");
}

#[test]
fn invalid_rule_text_is_rejected() {
    let wrong = [
        ("(addi x 0)", "int", "a rule has '=>'"),
        ("x => x", "int", "a pattern is an operation"),
        ("(addi x) => x", "int", "'addi' has 2 operands"),
        ("(addq x y) => x", "int", "unknown operation 'addq'"),
        ("(addi x y) => z", "int", "does not have the variable 'z'"),
        ("(addi x [addi x 1]) => x", "int", "brackets contain only constants"),
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
