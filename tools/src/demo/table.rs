//! Formats the output of the demo, in at most 100 columns. The output is plain ASCII unless standard output
//! is a terminal.
use cube_driver::CompileReport;
use std::io::IsTerminal;
use std::time::Duration;

/// Whether the output uses colours.
#[derive(Clone, Copy)]
pub struct Style {
    colour: bool,
}

impl Style {
    /// Selects colours if standard output is a terminal, unless the user has disabled colours (no-color.org).
    pub fn detect() -> Self {
        let allowed = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Style { colour: allowed && std::io::stdout().is_terminal() }
    }

    /// Formats a heading.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Formats a successful check.
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Formats a failed check.
    pub fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// The heading for the lines of [`phases`].
pub fn phases_head(report: &CompileReport) -> String {
    let names: String = report.phases.iter().map(|p| format!("{:>13}", p.name)).collect();
    format!("  {:14}{names}", "")
}

/// The size and the time of each phase of a compilation, on one line.
pub fn phases(target: &str, report: &CompileReport) -> String {
    let one = |p: &cube_driver::PhaseReport| {
        let size = if p.name == "emit" { format!("{} B", p.size) } else { p.size.to_string() };
        format!("{:>13}", format!("{size} {:>5.1}", ms(p.time)))
    };
    let parts: String = report.phases.iter().map(one).collect();
    format!("  {target:14}{parts}")
}

/// A row of the demo's table: one kernel.
pub struct Row {
    pub kernel: String,
    pub target: String,
    /// The size and the time of each phase.
    pub report: CompileReport,
    /// The result of the run; `None` if the kernel was only compiled.
    pub run: Option<Run>,
}

/// The result of a run.
pub struct Run {
    /// The time of the shortest launch.
    pub best: Duration,
    /// Minimum number of bytes that a launch moves.
    pub bytes: u64,
    /// The largest error of an element, in units in the last place.
    pub max_ulp: u64,
    /// The largest allowed error of an element, in units in the last place.
    pub allowed: u64,
    /// Whether all elements are within the tolerance.
    pub passed: bool,
}

pub fn table(rows: &[Row], style: Style) -> String {
    let head = format!(
        "{:12} {:13} {:15} {:>10} {:>7} {:>8} {:>6}  {:8} {}",
        "kernel", "target", "ops per phase", "compile ms", "code B", "run ms", "GB/s", "max ULP", "verdict"
    );
    let mut text = format!("{}\n", style.bold(&head));
    for row in rows {
        text += &line(row, style);
    }
    text
}

fn line(row: &Row, style: Style) -> String {
    let phases = &row.report.phases;
    let ops: Vec<String> = phases.iter().filter(|p| p.name != "emit").map(|p| p.size.to_string()).collect();
    let compile: Duration = phases.iter().map(|p| p.time).sum();
    let code = phases.iter().find(|p| p.name == "emit").map_or(0, |p| p.size);
    let start = format!("{:12} {:13} {:17} {:>8.1} {:>7}", row.kernel, row.target, ops.join(" "), ms(compile), code);
    match &row.run {
        None => format!("{start} {:>8} {:>6}  {:8} compiled\n", "-", "-", "-"),
        Some(run) => {
            let rate = run.bytes as f64 / run.best.as_secs_f64().max(1e-9) / 1e9;
            let distance = if run.max_ulp == u64::MAX { "inf".into() } else { run.max_ulp.to_string() };
            let ulp = format!("{distance} <= {}", run.allowed);
            let ulp = if run.passed { ulp } else { ulp.replace("<=", ">") };
            let verdict = if run.passed { style.good("ok") } else { style.bad("WRONG") };
            format!("{start} {:>8.3} {rate:>6.2}  {ulp:8} {verdict}\n", ms(run.best))
        }
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_driver::PhaseReport;

    fn row(run: Option<Run>) -> Row {
        let phase = |name, size| PhaseReport { name, size, time: Duration::from_millis(1), work: 0 };
        let sizes = [("parse", 17), ("specialize", 17), ("optimize", 17), ("legalize", 131), ("lower", 1183)];
        let mut phases: Vec<PhaseReport> = sizes.map(|(name, size)| phase(name, size)).into();
        phases.push(phase("emit", 2376));
        let report = CompileReport { phases };
        Row { kernel: "matmul_tiled".into(), target: "amdgpu:gfx90a".into(), report, run }
    }

    fn run(max_ulp: u64) -> Run {
        Run { best: Duration::from_millis(2), bytes: 34_000_000, max_ulp, allowed: 8, passed: max_ulp <= 8 }
    }

    #[test]
    fn lines_fit_a_hundred_columns_and_are_plain() {
        let rows = [row(None), row(Some(run(3))), row(Some(run(u64::MAX)))];
        let phases = [phases_head(&row(None).report), phases("amdgpu:gfx90a", &row(None).report)].join("\n");
        let text = table(&rows, Style { colour: false }) + &phases;
        for line in text.lines() {
            assert!(line.len() <= 100 && line.is_ascii(), "{}: {line}", line.len());
        }
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].ends_with("compiled"), "{text}");
        assert!(lines[2].ends_with("2.000  17.00  3 <= 8   ok"), "{text}");
        assert!(lines[3].ends_with("inf > 8  WRONG"), "{text}");
        assert!(text.contains(" 17 17 17 131 1183"), "{text}");
    }

    #[test]
    fn colours_are_for_terminals() {
        assert_eq!(Style { colour: true }.good("ok"), "\x1b[32mok\x1b[0m");
        assert_eq!(Style { colour: false }.bad("WRONG"), "WRONG");
    }
}
