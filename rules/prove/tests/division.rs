//! Tests the magic numbers of divisions. z3 proves the theorem of each form for numbers of any width. Each divisor has
//! the certificate of its theorem. For wrong numbers, the error contains a dividend for which they fail.
#[path = "../../tests/answers/mod.rs"]
mod answers;

use answers::Answers;
use cube_artifact::derived::{fused_magic, magic, signed_magic};
use cube_prove::division::{Form, Magic, ask, prove_sum};
use cube_prove::smt;
use std::sync::LazyLock;

static ANSWERS: LazyLock<Answers> = LazyLock::new(|| Answers::load("tests/division.z3.txt"));

// z3 or its stored answers. An answer without the values of a model is one word.
fn z3(question: &str) -> Result<String, String> {
    let answer = ANSWERS.of(question, |question| {
        let answer = ask(question).ok()?;
        Some(if answer.starts_with("unsat") { "unsat".into() } else { answer })
    });
    answer.ok_or_else(|| "z3 does not answer".into())
}

// The magic numbers that the runtime computes for a divisor of at least 1, in each form of the width.
fn numbers(n: u64, bits: u32) -> Vec<Magic> {
    let mut all = Vec::new();
    if bits == 32 {
        let [factor, addend, shift] = fused_magic(n as u32);
        let form = if addend == 0 { Form::Up } else { Form::Down };
        all.push(Magic { form, bits, factor, shift: shift as u32 });
    }
    let (factor, shift) = magic(n, bits);
    // A division by 1 has no shift, and its first shift is 0.
    if n > 1 {
        all.push(Magic { form: Form::Sum, bits, factor, shift: shift as u32 - 1 });
    }
    let shift = shift.max(1) as u32 - 1;
    if n <= 1 << (bits - 1) {
        let factor = signed_magic(n as i64, bits);
        all.push(Magic { form: Form::Signed, bits, factor, shift });
    }
    all
}

// Powers of two and their neighbours, and divisors from the literature.
fn divisors(bits: u32) -> Vec<u64> {
    let most = u64::MAX >> (64 - bits);
    let powers = (0..bits).flat_map(|b| [(1u64 << b) - 1, 1 << b, (1 << b) + 1]);
    let others = [3, 5, 6, 7, 10, 11, 25, 60, 100, 125, 641, 1000, 6_700_417, most / 3 * 2 + 1, most - 1, most];
    let mut all: Vec<u64> = powers.chain(others).filter(|n| (1..=most).contains(n)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

// The quotient of the kernel language, of bit patterns, by a positive divisor.
fn quotient(form: Form, bits: u32, x: u64, n: u64) -> u64 {
    if form != Form::Signed {
        return x / n;
    }
    let x = i128::from((x << (64 - bits)) as i64 >> (64 - bits));
    (x / i128::from(n)) as u64 & (u64::MAX >> (64 - bits))
}

fn has_z3() -> bool {
    if !smt::is_installed() {
        println!("z3 is not installed: no theorem is proven");
    }
    smt::is_installed()
}

#[test]
fn theorem_of_each_form_holds_for_every_width() {
    for form in Form::ALL.into_iter().filter(|_| has_z3()) {
        form.prove(&z3).unwrap_or_else(|why| panic!("{form:?}: {why}"));
    }
}

// -1 replaces the negated divisor 0, so that the remainder is 0. Another number is refused with a divisor of 0.
#[test]
fn remainder_in_a_sum_is_a_quotient_with_another_factor() {
    if has_z3() {
        assert_eq!(prove_sum("(- n)", "(- 1)", &z3), Ok(()));
        let why = prove_sum("(- n)", "0", &z3).expect_err("the remainder by 0 is not x");
        assert!(why.starts_with("n = 0, "), "{why}");
        let why = prove_sum("(- 1 n)", "(- 1)", &z3).expect_err("a divisor that is too small by one");
        assert!(why.contains("x = "), "{why}");
    }
}

// The premises of the theorems, each with one bound that is too wide by one.
#[test]
fn theorems_with_a_wider_bound_are_refuted() {
    let wrong = [
        (Form::Up, "(and (<= 0 f) (< f B) (= (* f n) (+ (* B K) e)) (<= 0 e) (<= e (+ K 1)))"),
        (Form::Up, "(and (<= 0 f) (< f B) (= (* f n) (+ (* B K) e)) (<= (- 1) e) (<= e K))"),
        // A divisor for which the factor is exact needs a smaller factor.
        (Form::Down, "(and (<= 0 f) (< f B) (= (* f n) (- (* B K) e)) (<= 0 e) (<= e K))"),
        (Form::Down, "(and (<= 0 f) (< f B) (= (* f n) (- (* B K) e)) (< 0 e) (<= e (+ K 1)))"),
        (Form::Sum, "(and (<= 0 f) (< f B) (= (* (+ B f) n) (+ (* B 2 K) e)) (<= 0 e) (<= e (+ 1 (* 2 K))))"),
        (
            Form::Signed,
            "(and (<= (- H) f) (< f H) (or (= K 1) (<= f 0)) (= (* (+ B f) n) (+ (* B K) e)) (<= 0 e) (<= e (* 2 K)))",
        ),
    ];
    for (form, premise) in wrong.into_iter().filter(|_| has_z3()) {
        let why = form.prove_from(premise, &z3).expect_err(premise);
        println!("{form:?}: {why}");
        assert!(why.contains("x = "), "{form:?}: {why}");
    }
}

#[test]
fn magic_numbers_of_every_width_have_their_certificate() {
    let mut count = 0;
    let mut check = |n: u64, bits: u32| {
        for magic in numbers(n, bits) {
            assert!(magic.has_certificate(n), "{magic:?} for {n}");
            count += 1;
        }
    };
    (1..1 << 8).for_each(|n| check(n, 8));
    (1..1 << 16).for_each(|n| check(n, 16));
    for bits in [32, 64] {
        divisors(bits).into_iter().for_each(|n| check(n, bits));
        let mut state = 1u64;
        for step in 0..200_000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let n = (state >> (step % 63)) & (u64::MAX >> (64 - bits));
            check(n.max(1), bits);
            check(step + 1, bits);
        }
    }
    println!("{count} certificates");
}

// All pairs of 8 bits: the operations give the quotient, also with each other certified pair of a factor and a shift.
#[test]
fn certified_numbers_divide_all_numbers_of_8_bits() {
    let (mut certified, mut right) = (0, 0);
    for form in Form::ALL {
        for n in 1..=if form == Form::Signed { 128 } else { 255u64 } {
            for (factor, shift) in (0..256).flat_map(|factor| (0..8).map(move |shift| (factor, shift))) {
                let magic = Magic { form, bits: 8, factor, shift };
                let is_right = (0..256).all(|x| magic.divide(x) == quotient(form, 8, x, n));
                assert!(is_right || !magic.has_certificate(n), "{magic:?} for {n}");
                right += u32::from(is_right);
                certified += u32::from(magic.has_certificate(n));
            }
        }
        for n in 1..=128 {
            for own in numbers(n, 8).into_iter().filter(|own| own.form == form) {
                assert!((0..256).all(|x| own.divide(x) == quotient(form, 8, x, n)), "{own:?} for {n}");
            }
        }
    }
    println!("{certified} of {right} right numbers have a certificate");
    assert!(certified > 600, "{certified}");
}

#[test]
fn z3_finds_no_dividend_for_the_numbers_of_the_runtime() {
    let mut count = 0;
    for bits in [8, 16, 32, 64].into_iter().filter(|_| has_z3()) {
        for n in divisors(bits).into_iter().step_by(3) {
            for magic in numbers(n, bits) {
                assert_eq!(magic.counterexample(n, &z3), Ok(None), "{magic:?} for {n}");
                count += 1;
            }
        }
    }
    println!("{count} divisors");
}

#[test]
fn magic_numbers_that_are_wrong_by_one_are_refused_with_a_dividend() {
    let (mut refused, mut kept) = (0, 0);
    for bits in [8, 16, 32, 64].into_iter().filter(|_| has_z3()) {
        let most = u64::MAX >> (64 - bits);
        for n in [3, 7, 10, 100, 641, most / 3, most].into_iter().filter(|n| *n <= most) {
            for right in numbers(n, bits) {
                let with = |factor: u64| Magic { factor: factor & most, ..right };
                let below = Magic { shift: right.shift.saturating_sub(1), ..right };
                for wrong in [with(right.factor.wrapping_add(1)), with(right.factor.wrapping_sub(1)), below] {
                    match wrong.counterexample(n, &z3).expect("an answer") {
                        Some(x) => {
                            assert!(!wrong.has_certificate(n), "{wrong:?} for {n}: {x}");
                            let (found, right) = (wrong.divide(x), quotient(wrong.form, bits, x, n));
                            // An intermediate number can also be too large for its type.
                            let is_wrong = found != right || wrong.form == Form::Signed;
                            assert!(is_wrong, "{wrong:?}: {x} / {n} is {found}");
                            println!("{wrong:?}: {x} / {n} is {right}, and not {found}");
                            refused += 1;
                        }
                        // Some divisors have several factors.
                        None => kept += 1,
                    }
                }
            }
        }
    }
    println!("{refused} refused, {kept} right");
    assert!(!smt::is_installed() || refused > 100 && kept < refused, "{refused} refused, {kept} right");
}
