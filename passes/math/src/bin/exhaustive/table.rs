//! Updates the generated table of `docs/math.md`.

use std::fmt;
use std::path::Path;

use cube_math::measure::bound;
use cube_math::{Binary, Cost, Unary};

/// The table row of one function.
pub struct Row {
    format: &'static str,
    name: &'static str,
    error: f64,
    worst: String,
    inputs: String,
    cost: Cost,
}

impl Row {
    /// The result of an exhaustive run.
    #[allow(dead_code, reason = "the f64 example samples only")]
    pub fn exhaustive(name: &'static str, error: f64, worst: f32, cost: Cost) -> Self {
        let worst = format!("{worst:e} ({:#010x})", worst.to_bits());
        Self { format: "f32", name, error, worst, inputs: "all 2^32".into(), cost }
    }

    /// The result of a run on samples.
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
        bound(self.format, self.name).expect("every function has a line in semantics/tables/ulp.toml")
    }

    /// Whether the measured error is within the published bound.
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

/// The first cell of every row, in the order of the document.
fn keys() -> Vec<String> {
    let names = Unary::ALL.iter().map(|f| f.name()).chain(Binary::ALL.iter().map(|f| f.name())).chain(["powi"]);
    let names: Vec<_> = names.collect();
    ["f32", "f64"].iter().flat_map(|format| names.iter().map(move |name| format!("| {format} `{name}` |"))).collect()
}

/// Writes the function's row over its previous row.
pub fn write(row: &Row) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/math.md");
    let text = std::fs::read_to_string(&path).expect("docs/math.md is there");
    let lines: Vec<String> = text.lines().map(String::from).collect();
    let start = 1 + lines.iter().position(|l| l.starts_with("|---")).expect("docs/math.md has its table");
    let end = start + lines[start..].iter().take_while(|l| l.starts_with('|')).count();
    let rows = keys().into_iter().filter_map(|key| {
        if key == row.key() {
            return Some(row.to_string());
        }
        lines[start..end].iter().find(|l| l.starts_with(&key)).cloned()
    });
    let all: Vec<String> = lines[..start].iter().cloned().chain(rows).chain(lines[end..].iter().cloned()).collect();
    std::fs::write(&path, all.join("\n") + "\n").expect("docs/math.md can be written");
}
