//! Division by an invariant number: a product with a magic number and shifts instead of a quotient.
//!
//! Each [`Form`] has a theorem about integers of any width, which z3 proves without a bound on the width. The premise of
//! the theorem is the certificate: an inequality between the divisor and its magic numbers. [`Magic::has_certificate`]
//! evaluates the certificate of one divisor. For one divisor, every product has a constant factor. z3 therefore also
//! decides whether the magic numbers divide all dividends correctly, and finds a dividend for which they do not.
use crate::smt::{TIME, WORK};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// A sequence of operations that divides. `B` is 2 to the width, `f` the factor, and `K` 2 to the last shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `x f / (B K)`, for a factor that is rounded up.
    Up,
    /// `(x f + f) / (B K)`, for a factor that is rounded down.
    Down,
    /// `(h + (x - h) / 2) / K` with `h = x f / B`.
    Sum,
    /// `(x + h) / K`, plus 1 for a negative `x`, with `h = x f / B`, for signed numbers and quotients that round down.
    Signed,
}

impl Form {
    pub const ALL: [Form; 4] = [Form::Up, Form::Down, Form::Sum, Form::Signed];

    // The certificate of a divisor `n`, with the name `e` for the error of the factor.
    fn premise(self) -> &'static str {
        match self {
            Form::Up => "(and (<= 0 f) (< f B) (= (* f n) (+ (* B K) e)) (<= 0 e) (<= e K))",
            Form::Down => "(and (<= 0 f) (< f B) (= (* f n) (- (* B K) e)) (< 0 e) (<= e K))",
            Form::Sum => "(and (<= 0 f) (< f B) (= (* (+ B f) n) (+ (* B 2 K) e)) (<= 0 e) (<= e (* 2 K)))",
            // The factor is a signed number.
            Form::Signed => {
                "(and (<= (- H) f) (< f H) (or (= K 1) (<= f 0)) (= (* (+ B f) n) (+ (* B K) e)) (< 0 e) (<= e (* 2 K)))"
            }
        }
    }

    // The equations of the dividend `x`, its quotient `q`, and the result `t` of the operations. Each division
    // introduces a remainder.
    fn operations(self) -> &'static str {
        match self {
            Form::Up => {
                "(and (<= 0 x) (< x B) (= x (+ (* q n) r)) (<= 0 r) (< r n)
                 (= (* x f) (+ (* B h) l)) (<= 0 l) (< l B) (= h (+ (* K t) g)) (<= 0 g) (< g K))"
            }
            Form::Down => {
                "(and (<= 0 x) (< x B) (= x (+ (* q n) r)) (<= 0 r) (< r n)
                 (= (+ (* x f) f) (+ (* B h) l)) (<= 0 l) (< l B) (= h (+ (* K t) g)) (<= 0 g) (< g K))"
            }
            Form::Sum => {
                "(and (<= 0 x) (< x B) (= x (+ (* q n) r)) (<= 0 r) (< r n)
                 (= (* x f) (+ (* B h) l)) (<= 0 l) (< l B) (= (- x h) (+ (* 2 s) a)) (<= 0 a) (< a 2)
                 (= (+ h s) (+ (* K t) g)) (<= 0 g) (< g K))"
            }
            Form::Signed => {
                "(and (<= (- H) x) (< x H) (= (ite (< x 0) (- x) x) (+ (* q n) r)) (<= 0 r) (< r n)
                 (= (* x f) (+ (* B h) l)) (<= 0 l) (< l B) (= (+ x h) (+ (* K t) g)) (<= 0 g) (< g K))"
            }
        }
    }

    // The negated claim: a wrong result, or an intermediate number that does not fit its type. A sum of the signed form
    // can wrap if no shift follows.
    fn violation(self) -> &'static str {
        match self {
            Form::Up | Form::Down => "(or (distinct t q) (>= h B))",
            Form::Sum => "(or (distinct t q) (> h x) (>= (+ h s) B))",
            Form::Signed => {
                "(or (distinct (ite (< x 0) (+ t 1) t) (ite (< x 0) (- q) q))
                 (and (> K 1) (or (< (+ x h) (- H)) (>= (+ x h) H))))"
            }
        }
    }

    fn question(self, numbers: &str, premise: &str) -> String {
        let mut text = numbers.to_owned() + "(define-fun B () Int (* 2 H))\n";
        for name in "x q r h l s a t g".split(' ') {
            let _ = writeln!(text, "(declare-const {name} Int)");
        }
        for formula in [premise, self.operations(), self.violation()] {
            let _ = writeln!(text, "(assert {formula})");
        }
        text
    }

    /// Proves by z3 that the form divides every number of every width by every divisor with the certificate.
    ///
    /// # Errors
    /// z3 does not prove the theorem.
    pub fn prove(self, z3: Solver) -> Result<(), String> {
        self.prove_from(self.premise(), z3)
    }

    /// Proves the theorem from another premise, in SMT-LIB.
    ///
    /// # Errors
    /// z3 does not prove the theorem. If the theorem is wrong, the error contains numbers for which it is wrong.
    pub fn prove_from(self, premise: &str, z3: Solver) -> Result<(), String> {
        let numbers = "(declare-const H Int)(declare-const K Int)(declare-const n Int)(declare-const f Int)\n\
                       (declare-const e Int)(assert (and (>= H 1) (>= K 1) (>= n 1)))\n";
        let text = self.question(numbers, premise);
        match solve(z3, &text, &["H", "K", "n", "f", "x"])? {
            None => Ok(()),
            Some(values) => {
                let [half, power, n, factor, x] = values[..] else { return Err("z3 prints no values".into()) };
                Err(format!("B = {}, K = {power}, n = {n}, f = {factor}: x = {x}", 2 * half))
            }
        }
    }
}

/// Proves by z3 that `q t + r s = x s + q (t + m s)` for the quotient q and the remainder r of x by n. `m` is an SMT-LIB
/// term of n, and `of_zero` its value for n = 0, where the quotient is x and the remainder is 0. The numbers are unbounded
/// integers, so the equality also holds modulo every power of two.
///
/// # Errors
/// z3 does not prove the equality. If the equality is wrong, the error contains numbers for which it is wrong.
pub fn prove_sum(m: &str, of_zero: &str, z3: Solver) -> Result<(), String> {
    let numbers: String = "q n x s t".split(' ').map(|name| format!("(declare-const {name} Int)\n")).collect();
    let differs = |q: &str, r: &str, m: &str| {
        format!("(assert (distinct 0 (- (+ (* {q} t) (* {r} s)) (+ (* x s) (* {q} (+ t (* {m} s)))))))\n")
    };
    let by_zero = format!("(assert (= n 0))\n{}", differs("x", "0", of_zero));
    for claim in [differs("q", "(- x (* q n))", m), by_zero] {
        let Some(values) = solve(z3, &format!("{numbers}{claim}"), &["x", "n", "s", "t"])? else { continue };
        let [x, n, s, t] = values[..] else { return Err("z3 prints no values".into()) };
        return Err(format!("n = {n}, s = {s}, t = {t}: x = {x}"));
    }
    Ok(())
}

/// The magic numbers of one divisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Magic {
    /// The form of the division: the sequence of operations that uses the magic numbers.
    pub form: Form,
    /// The width of the numbers, 1 to 64.
    pub bits: u32,
    /// The factor, as a bit pattern.
    pub factor: u64,
    /// The last shift.
    pub shift: u32,
}

impl Magic {
    // The factor as a number: signed in the signed form.
    fn number(&self) -> i128 {
        let (factor, base) = (i128::from(self.factor), 1i128 << self.bits);
        if self.form == Form::Signed && factor >= base / 2 { factor - base } else { factor }
    }

    /// Whether the numbers satisfy the premise of the form's theorem for the divisor `n`, at least 1.
    pub fn has_certificate(&self, n: u64) -> bool {
        let (n, bits) = (u128::from(n), self.bits);
        let (factor, power) = (u128::from(self.factor), 1u128 << self.shift);
        let fits = self.shift < bits && factor < 1 << bits;
        fits && match self.form {
            Form::Up => factor * n >= power << bits && factor * n - (power << bits) <= power,
            Form::Down => factor * n < power << bits && (power << bits) - factor * n <= power,
            // B n is subtracted from both sides, so that all numbers are below 2^128.
            Form::Sum => {
                2 * power >= n && {
                    let least = (2 * power - n) << bits;
                    factor * n >= least && factor * n - least <= 2 * power
                }
            }
            Form::Signed => {
                let whole = ((1i128 << bits) + self.number()) as u128;
                let least = power << bits;
                let in_range = self.shift == 0 || self.number() <= 0;
                in_range && whole * n > least && whole * n - least <= 2 * power
            }
        }
    }

    /// The quotient of a dividend, given as a bit pattern, by the operations of the form.
    pub fn divide(&self, x: u64) -> u64 {
        let (bits, factor) = (self.bits, self.number());
        let mask = u64::MAX >> (64 - bits);
        let result = match self.form {
            Form::Up => (i128::from(x) as u128 * factor as u128) >> bits >> self.shift,
            Form::Down => ((u128::from(x) + 1) * factor as u128) >> bits >> self.shift,
            Form::Sum => {
                let high = (u128::from(x) * factor as u128) >> bits;
                (high + ((u128::from(x) - high) >> 1)) >> self.shift
            }
            Form::Signed => {
                let cut = |x: i128| x << (128 - bits) >> (128 - bits);
                let x = cut(i128::from(x));
                let sum = cut(x + ((x * factor) >> bits));
                ((sum >> self.shift) + i128::from(x < 0)) as u128
            }
        };
        result as u64 & mask
    }

    /// Asks z3 for a dividend that the numbers do not divide correctly by `n`, at least 1. `None` if no dividend is
    /// divided wrongly. The dividend is a bit pattern.
    ///
    /// # Errors
    /// z3 does not answer.
    pub fn counterexample(&self, n: u64, z3: Solver) -> Result<Option<u64>, String> {
        let number = |name: &str, value: i128| match value < 0 {
            true => format!("(define-fun {name} () Int (- {}))\n", value.unsigned_abs()),
            false => format!("(define-fun {name} () Int {value})\n"),
        };
        let numbers = number("H", 1 << (self.bits - 1))
            + &number("K", 1 << self.shift)
            + &number("n", n.into())
            + &number("f", self.number());
        let found = solve(z3, &self.form.question(&numbers, "true"), &["x"])?;
        Ok(found.and_then(|values| values.first().copied()).map(|x| x as u64 & (u64::MAX >> (64 - self.bits))))
    }
}

/// Answers a query in SMT-LIB with the text that z3 prints, as [`ask`] does.
pub type Solver<'s> = &'s dyn Fn(&str) -> Result<String, String>;

/// Sends a query to z3.
///
/// # Errors
/// z3 does not run.
pub fn ask(text: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("z3 does not answer: {error}");
    let mut program = Command::new("z3")
        .args(["-smt2", "-in", WORK, TIME])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = program.stdin.take() {
        input.write_all(text.as_bytes()).map_err(failed)?;
    }
    let output = program.wait_with_output().map_err(failed)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

// The result is `None` if the query is unsatisfiable, and otherwise the values of the names.
fn solve(z3: Solver, text: &str, names: &[&str]) -> Result<Option<Vec<i128>>, String> {
    let answer = z3(&format!("{text}(check-sat)\n(get-value ({}))\n", names.join(" ")))?;
    match answer.split_whitespace().next() {
        Some("unsat") => Ok(None),
        Some("sat") => Ok(Some(values(&answer))),
        other => Err(format!("z3 answers {other:?}")),
    }
}

// The numbers of an answer `((x 1) (y (- 2)))`.
fn values(answer: &str) -> Vec<i128> {
    let words = answer.replace(['(', ')'], " ");
    let (mut all, mut negative) = (Vec::new(), false);
    for word in words.split_whitespace() {
        if let Ok(value) = word.parse::<i128>() {
            all.push(if negative { -value } else { value });
        }
        negative = word == "-";
    }
    all
}
