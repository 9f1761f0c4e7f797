//! Prints the progress of long work: one line when a phase starts, and one line with the time of the phase
//! when it ends.

use std::time::Instant;

/// Prints a heading, runs `work`, and prints the time of `work` after a success and after a failure.
pub fn phase<T>(name: &str, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    println!("==> {name}");
    let start = Instant::now();
    let result = work();
    let verdict = if result.is_ok() { "done" } else { "failed" };
    println!("    {verdict} in {}", elapsed(start));
    result
}

/// Formats the time since `start`, for example as `0.3 s`, `41.0 s` or `3 min 20 s`.
pub fn elapsed(start: Instant) -> String {
    in_words(start.elapsed().as_secs_f64())
}

fn in_words(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    // Rounded once, so that 119.7 s is 2 min 0 s and not 1 min 60 s.
    let whole = seconds.round() as u64;
    format!("{} min {} s", whole / 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_like_a_watch() {
        assert_eq!(in_words(0.26), "0.3 s");
        assert_eq!(in_words(59.9), "59.9 s");
        assert_eq!(in_words(119.7), "2 min 0 s");
        assert_eq!(in_words(200.2), "3 min 20 s");
    }

    #[test]
    fn failed_phase_returns_its_error() {
        assert_eq!(phase("a phase that fails", || Err::<(), _>("why".into())), Err("why".to_string()));
    }
}
