//! Panels as text.

use super::{Frame, Panel};
use std::fmt::Write;

/// Writes the panels one below the other, with row and column numbers.
pub fn text(panels: &[Panel]) -> String {
    let mut out = String::new();
    for panel in panels {
        let columns = panel.cells.len() / panel.rows.max(1);
        let words: Vec<String> = panel
            .cells
            .iter()
            .map(|cell| match cell.frame {
                Frame::Conflict => format!("{}!", cell.lines.concat()),
                _ if cell.lines.is_empty() => ".".to_string(),
                _ => cell.lines.concat(),
            })
            .collect();
        let digits = |n: usize| n.saturating_sub(1).to_string().len();
        let width = words.iter().map(String::len).max().unwrap_or(1).max(digits(columns)) + 2;
        let margin = digits(panel.rows) + 2;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", panel.title);
        if !panel.legend.is_empty() {
            let _ = writeln!(out, "{}", panel.legend);
        }
        let _ = write!(out, "{:margin$}", "");
        for column in 0..columns {
            let _ = write!(out, "{column:>width$}");
        }
        out.push('\n');
        for row in 0..panel.rows {
            let _ = write!(out, "{row:>margin$}");
            for word in &words[row * columns..(row + 1) * columns] {
                let _ = write!(out, "{word:>width$}");
            }
            out.push('\n');
        }
    }
    out
}
