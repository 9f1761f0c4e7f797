//! Alternating runs of contestants, and the table of their best times.
use crate::Result;
use std::time::{Duration, Instant};

/// Rounds that every contestant runs.
pub const ROUNDS: usize = 7;

/// A contestant, with the times of its best and its worst round.
pub struct Contestant<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> Result<()> + 'a>,
    best: Duration,
    worst: Duration,
}

/// A contestant whose function cannot fail.
pub fn peer<'a>(name: &'static str, mut run: impl FnMut() + 'a) -> Contestant<'a> {
    contestant(name, move || {
        run();
        Ok(())
    })
}

pub fn contestant<'a>(name: &'static str, run: impl FnMut() -> Result<()> + 'a) -> Contestant<'a> {
    Contestant { name, run: Box::new(run), best: Duration::MAX, worst: Duration::ZERO }
}

/// Alternates Cube and its peers, so that all run under the same conditions. Prints a line with the best times, and the
/// ratio of the best peer's time to Cube's time (above 1: Cube is faster). One round makes `scale` runs. Returns Cube's
/// best time.
pub fn race(what: &str, scale: u32, mut all: Vec<Contestant<'_>>) -> Result<Duration> {
    for _ in 0..ROUNDS {
        for one in &mut all {
            let start = Instant::now();
            for _ in 0..scale {
                (one.run)()?;
            }
            let took = start.elapsed() / scale;
            (one.best, one.worst) = (one.best.min(took), one.worst.max(took));
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
