//! The generated table of `docs/math.md`.

use std::fmt;
use std::path::Path;

use cube_math::Cost;
use cube_math::measure::bound;

/// One function's row.
pub struct Row {
    format: &'static str,
    name: &'static str,
    error: f64,
    worst: String,
    inputs: String,
    cost: Cost,
}

impl Row {
    /// Of an exhaustive run.
    #[allow(dead_code, reason = "the f64 example samples only")]
    pub fn exhaustive(name: &'static str, error: f64, worst: f32, cost: Cost) -> Self {
        let worst = format!("{worst:e} ({:#010x})", worst.to_bits());
        Self { format: "f32", name, error, worst, inputs: "all 2^32".into(), cost }
    }

    /// Of samples.
    pub fn sampled(
        format: &'static str,
        name: &'static str,
        error: f64,
        worst: String,
        count: u64,
        cost: Cost,
    ) -> Self {
        Self { format, name, error, worst, inputs: format!("{count:e} samples"), cost }
    }

    fn bound(&self) -> f64 {
        bound(self.format, self.name).expect("every function has a line in docs/ulp.toml")
    }

    /// Whether the published bound holds.
    pub fn holds(&self) -> bool {
        self.error <= self.bound()
    }

    fn key(&self) -> String {
        format!("| {} `{}` |", self.format, self.name)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = self.cost;
        let ops = format!("{} ({} + {} + {})", c.total(), c.float, c.slow, c.int);
        write!(
            out,
            "{} {} | {:.4} | {} | {} | {} |",
            self.key(),
            self.bound(),
            self.error,
            self.worst,
            self.inputs,
            ops
        )
    }
}

/// Puts the row in the place of the function's last one, or at the end.
pub fn write(row: &Row) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/math.md");
    let text = std::fs::read_to_string(&path).expect("docs/math.md is there");
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    match lines.iter().position(|l| l.starts_with(&row.key())) {
        Some(at) => lines[at] = row.to_string(),
        None => {
            let last = lines.iter().rposition(|l| l.starts_with('|')).expect("docs/math.md has its table");
            lines.insert(last + 1, row.to_string());
        }
    }
    std::fs::write(&path, lines.join("\n") + "\n").expect("docs/math.md can be written");
}
