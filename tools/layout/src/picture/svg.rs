//! Draws panels as one SVG file. The drawing uses only integer arithmetic, so that the file of a layout is equal
//! on every machine.

use super::{Colour, Frame, Panel};
use std::fmt::Write;

const CELL: usize = 36;
const MARGIN: usize = 34;
const TITLE: usize = 30;
const GAP: usize = 24;
const FONT: &str = "font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\"";

/// Draws narrow panels side by side, and wide panels one below the other.
pub fn svg(panels: &[Panel]) -> String {
    let sizes: Vec<(usize, usize)> = panels.iter().map(size).collect();
    let beside = sizes.iter().map(|(width, _)| width + GAP).sum::<usize>() <= 2400;
    let (mut places, mut x, mut y) = (Vec::new(), GAP, GAP);
    for (width, height) in &sizes {
        places.push((x, y));
        if beside { x += width + GAP } else { y += height + GAP }
    }
    let ends = places.iter().zip(&sizes).map(|((x, y), (w, h))| (x + w + GAP, y + h + GAP));
    let (width, height) = ends.fold((0, 0), |(w, h), (x, y)| (w.max(x), h.max(y)));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" {FONT}>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for (panel, place) in panels.iter().zip(places) {
        draw(&mut out, panel, place);
    }
    out.push_str("</svg>\n");
    out
}

fn columns(panel: &Panel) -> usize {
    panel.cells.len() / panel.rows.max(1)
}

/// The size of a panel in pixels. A panel is at least as wide as its grid, its title and its legend. A letter
/// of the title is about 8 pixels wide, and a letter of the legend about 6 pixels.
fn size(panel: &Panel) -> (usize, usize) {
    let grid = MARGIN + columns(panel) * CELL;
    (grid.max(panel.title.len() * 8).max(panel.legend.len() * 6), TITLE + MARGIN + panel.rows * CELL)
}

fn draw(out: &mut String, panel: &Panel, (x, y): (usize, usize)) {
    let columns = columns(panel);
    let (left, top) = (x + MARGIN, y + TITLE + MARGIN);
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{}\" font-size=\"13\">{}</text>", y + 14, escape(&panel.title));
    if !panel.legend.is_empty() {
        let below = y + 29;
        let _ =
            writeln!(out, "<text x=\"{x}\" y=\"{below}\" font-size=\"10\" fill=\"#666666\">{}</text>", panel.legend);
    }
    let number = |out: &mut String, x: usize, y: usize, anchor: &str, value: usize| {
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"10\" fill=\"#666666\" text-anchor=\"{anchor}\">{value}</text>"
        );
    };
    for column in 0..columns {
        number(out, left + column * CELL + CELL / 2, top - 7, "middle", column);
    }
    for row in 0..panel.rows {
        number(out, left - 6, top + row * CELL + CELL / 2 + 4, "end", row);
    }
    for framed in [false, true] {
        // Frames of neighbours overlap. Marked cells are drawn last, so that their frames are complete.
        for (k, cell) in panel.cells.iter().enumerate() {
            if (cell.frame != Frame::Plain) != framed {
                continue;
            }
            let (x, y) = (left + k % columns * CELL, top + k / columns * CELL);
            let (stroke, wide) = match cell.frame {
                Frame::Plain => ("#888888", 1),
                Frame::Touched => ("#000000", 2),
                Frame::Conflict => ("#d00000", 4),
            };
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{}\" stroke=\"{stroke}\" \
                 stroke-width=\"{wide}\"/>",
                fill(cell.colour)
            );
            let first = y + CELL / 2 + 4 - 6 * cell.lines.len().saturating_sub(1);
            for (line, text) in cell.lines.iter().enumerate() {
                let size = if text.len() > 5 { 8 } else { 11 };
                let _ = writeln!(
                    out,
                    "<text x=\"{}\" y=\"{}\" font-size=\"{size}\" text-anchor=\"middle\">{}</text>",
                    x + CELL / 2,
                    first + 12 * line,
                    escape(text)
                );
            }
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn fill(colour: Colour) -> String {
    match colour {
        Colour::None => "#ffffff".to_string(),
        Colour::Shade(n) => {
            let level = 255 - 14 * (n % 8) as u32;
            format!("#{level:02x}{level:02x}ff")
        }
        Colour::Hue(n) => {
            // 32 hues in steps of 13, so that neighbours differ most. The lightness has four values, which repeat
            // every four colours.
            let step = (n % 32 * 13 % 32) as u32;
            let light = 250 - 14 * (n % 4) as u32;
            let dark = light - 90;
            let (sector, along) = (step * 6 / 32, step * 6 % 32);
            let (rising, falling) = (dark + 90 * along / 32, light - 90 * along / 32);
            let (r, g, b) = match sector {
                0 => (light, rising, dark),
                1 => (falling, light, dark),
                2 => (dark, light, rising),
                3 => (dark, falling, light),
                4 => (rising, dark, light),
                _ => (light, dark, falling),
            };
            format!("#{r:02x}{g:02x}{b:02x}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{fill, svg};
    use crate::language::Session;
    use crate::picture::{Colour, View, panels};
    use std::collections::BTreeSet;

    fn draw(code: &str) -> String {
        let value = Session::default().run(code).unwrap().unwrap().1;
        svg(&panels(&value, &View::Default).unwrap())
    }

    #[test]
    fn svg_output_is_deterministic() {
        let code = "make_layout_tv((8,8):(8,1), (4,4):(4,1))";
        let first = draw(code);
        assert_eq!(first, draw(code));
        // 1024 cells, a background, and two lines per cell.
        assert_eq!(first.matches("<rect").count(), 1025);
        assert_eq!(first.matches("text-anchor=\"middle\">T").count(), 1024);
    }

    #[test]
    fn all_hues_differ_and_names_are_escaped() {
        let hues: BTreeSet<String> = (0..32).map(|n| fill(Colour::Hue(n))).collect();
        assert_eq!(hues.len(), 32);
        assert!(draw("S<1,0,1> o 0 o 4:1").contains("S&lt;1,0,1&gt; o 0 o 4:1"));
    }
}
