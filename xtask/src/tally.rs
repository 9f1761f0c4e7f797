//! Parses the output of test binaries, and counts the results of the tests.

use crate::limit::ENDED;

/// The counted results of all test binaries of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: usize,
    /// Number of failed tests and crashed test binaries.
    pub failed: usize,
    /// Number of skipped tests; a test is skipped if, for example, the machine lacks a device.
    pub skipped: usize,
    /// Names of failed tests.
    pub failures: Vec<String>,
    /// Names of skipped tests with their output.
    pub skips: Vec<String>,
    binaries: usize,
}

impl Tally {
    /// Processes one line of the output of a test binary.
    pub fn see(&mut self, line: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.binaries += 1;
            self.passed += number_before(counts, " passed");
            self.failed += number_before(counts, " failed");
            self.skipped += number_before(counts, " ignored");
        } else if let Some(report) = line.strip_prefix(ENDED) {
            self.binaries += 1;
            self.add(report, Err(()));
        } else if let Some((name, verdict)) = line.strip_prefix("test ").and_then(|test| test.split_once(" ... ")) {
            let name = name.trim_end();
            if verdict.starts_with("FAILED") {
                self.failures.push(name.to_string());
            } else if let Some(reason) = verdict.strip_prefix("ignored") {
                self.skips.push(format!("{name}{reason}"));
            }
        }
    }

    /// Processes the output of one test binary. A test binary that fails but reports no failed test has crashed. The
    /// output of a failed test, after the line `failures:`, can contain the results of other test runs. The results of
    /// other test runs are not counted, because only the last result in the output belongs to the binary.
    pub fn binary(&mut self, name: &str, printed: &str, succeeded: bool) {
        let (failed, binaries) = (self.failed, self.binaries);
        let own = printed.lines().take_while(|line| *line != "failures:");
        let is_result = |line: &&str| line.starts_with("test result: ") || line.starts_with(ENDED);
        own.filter(|line| !is_result(line)).for_each(|line| self.see(line));
        if let Some(result) = printed.lines().rev().find(is_result) {
            self.see(result);
        }
        self.judge(name, succeeded, failed, binaries);
    }

    /// Processes the output of several test binaries, each of which prints a result.
    pub fn several(&mut self, name: &str, printed: &str, succeeded: bool) {
        let (failed, binaries) = (self.failed, self.binaries);
        printed.lines().for_each(|line| self.see(line));
        self.judge(name, succeeded, failed, binaries);
    }

    // Checks that the results since the counts `failed` and `binaries` agree with the exit status.
    fn judge(&mut self, name: &str, succeeded: bool, failed: usize, binaries: usize) {
        if !succeeded && self.failed == failed {
            self.add(&format!("{name} crashed before its result (see above)"), Err(()));
        } else if self.binaries == binaries {
            self.add(&format!("{name} printed no result"), Err(()));
        }
    }

    /// Adds the result of a check that is not a test binary.
    pub fn add(&mut self, name: &str, result: Result<(), ()>) {
        match result {
            Ok(()) => self.passed += 1,
            Err(()) => {
                self.failed += 1;
                self.failures.push(name.to_string());
            }
        }
    }

    /// Adds a skipped test or check.
    pub fn skip(&mut self, name: &str) {
        self.skipped += 1;
        self.skips.push(name.to_string());
    }

    /// Ends the count; `cargo_succeeded` states whether cargo ended without an error. A crashed binary counts as
    /// a failure although it prints no result, and a run without any result is also a failure.
    pub fn close(&mut self, cargo_succeeded: bool) {
        if !cargo_succeeded && self.failed == 0 {
            self.add("a test binary that did not build, or crashed before its result (see above)", Err(()));
        }
        if cargo_succeeded && self.binaries == 0 {
            self.add("a run in which no test binary printed a result", Err(()));
        }
    }

    /// The last line of a test run, with the totals.
    pub fn line(&self) -> String {
        format!("{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// The number before a word in a text; 0 if no number precedes the word.
fn number_before(text: &str, word: &str) -> usize {
    let Some(end) = text.find(word) else { return 0 };
    let digits: String = text[..end].chars().rev().take_while(char::is_ascii_digit).collect();
    digits.chars().rev().collect::<String>().parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally_of(text: &str) -> Tally {
        let mut tally = Tally::default();
        text.lines().for_each(|line| tally.see(line));
        tally
    }

    #[test]
    fn results_of_several_binaries_add_up() {
        let tally = tally_of(
            "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.10s\n\
             noise: 99 passed\n\
             test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 7 filtered out; finished in 1.00s",
        );
        assert_eq!(tally.line(), "13 passed, 2 failed, 3 skipped");
    }

    #[test]
    fn failures_and_skips_are_named() {
        let tally = tally_of(
            "test optimize/unroll.mlir ... FAILED\n\
             test run/scale.mlir on cuda    ... ignored, no CUDA driver\n\
             test good ... ok",
        );
        assert_eq!(tally.failures, ["optimize/unroll.mlir"]);
        assert_eq!(tally.skips, ["run/scale.mlir on cuda, no CUDA driver"]);
    }

    #[test]
    fn a_crashed_binary_is_a_failure() {
        let mut tally = tally_of("test result: ok. 5 passed; 0 failed; 0 ignored");
        tally.close(false);
        assert_eq!(tally.line(), "5 passed, 1 failed, 0 skipped");
    }

    #[test]
    fn binary_verdict_depends_on_exit_status_and_result_line() {
        let good = "test result: ok. 5 passed; 0 failed; 0 ignored";
        let judged = |printed: &str, succeeded: bool| {
            let mut tally = Tally::default();
            tally.binary("kernels", printed, succeeded);
            (tally.failed, tally.failures)
        };
        assert_eq!(judged(good, true), (0, vec![]));
        assert_eq!(judged(good, false).1, ["kernels crashed before its result (see above)"]);
        assert_eq!(judged("nothing", true).1, ["kernels printed no result"]);
        let bad = "test a ... FAILED\ntest result: FAILED. 5 passed; 1 failed; 0 ignored";
        assert_eq!(judged(bad, false), (1, vec!["a".to_string()]));
        let nested = "test a ... FAILED\n\nfailures:\n\ntest b ... FAILED\ntest result: FAILED. 9 passed; 1 failed; 0 ignored\n\
                      failures:\n    a\n\ntest result: FAILED. 5 passed; 1 failed; 0 ignored";
        assert_eq!(judged(nested, false), (1, vec!["a".to_string()]));
    }

    #[test]
    fn binary_at_its_time_limit_is_one_failure_with_its_tests() {
        let printed = format!("test a ... ok\n\n{ENDED}kernels ran for 9 s without a result of b\n");
        let mut tally = Tally::default();
        tally.binary("kernels", &printed, false);
        assert_eq!(
            (tally.failed, &tally.failures[..]),
            (1, &["kernels ran for 9 s without a result of b".to_string()][..])
        );
        let mut streamed = tally_of(&printed);
        streamed.close(false);
        assert_eq!(streamed, tally);
    }

    #[test]
    fn a_run_without_results_is_a_failure() {
        let mut tally = tally_of("nothing here");
        tally.close(true);
        assert_eq!(tally.failed, 1);
    }
}
