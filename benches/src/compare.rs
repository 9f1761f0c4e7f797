//! Alternating runs of several implementations of one task, and the table of their best times.
use crate::Result;
use std::time::{Duration, Instant};

/// Rounds that every implementation runs.
pub const ROUNDS: usize = 7;

/// An implementation of the measured task, with the times of its best and its worst round.
pub struct Implementation<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> Result<()> + 'a>,
    best: Duration,
    worst: Duration,
}

/// An implementation that cannot fail, such as a loop in Rust.
pub fn peer<'a>(name: &'static str, mut run: impl FnMut() + 'a) -> Implementation<'a> {
    implementation(name, move || {
        run();
        Ok(())
    })
}

pub fn implementation<'a>(name: &'static str, run: impl FnMut() -> Result<()> + 'a) -> Implementation<'a> {
    Implementation { name, run: Box::new(run), best: Duration::MAX, worst: Duration::ZERO }
}

/// Alternates Cube and its peers, which are the other implementations of the task, so that all run under the same conditions. Prints a line with the best times, and the
/// ratio of the best peer's time to Cube's time (above 1: Cube is faster). One round consists of `scale` runs. Returns
/// Cube's best time.
pub fn compare(what: &str, scale: u32, mut all: Vec<Implementation<'_>>) -> Result<Duration> {
    for _ in 0..ROUNDS {
        for one in &mut all {
            let start = Instant::now();
            for _ in 0..scale {
                (one.run)()?;
            }
            let elapsed = start.elapsed() / scale;
            (one.best, one.worst) = (one.best.min(elapsed), one.worst.max(elapsed));
        }
    }
    let times: Vec<String> = all.iter().map(|one| format!("{} {}", one.name, shown(one.best))).collect();
    let others = all[1..].iter().map(|one| one.best).min();
    let ratio = others.map_or(String::new(), |best| format!("{:.2}x", best.as_secs_f64() / all[0].best.as_secs_f64()));
    let spread = all[0].worst.as_secs_f64() / all[0].best.as_secs_f64();
    println!("{what:34} {:70} {ratio:>7}  spread {spread:.1}x", times.join(", "));
    Ok(all[0].best)
}

/// A time, with a suitable unit.
pub fn shown(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s if s >= 1e-6 => format!("{:.2} us", s * 1e6),
        s => format!("{:.0} ns", s * 1e9),
    }
}
