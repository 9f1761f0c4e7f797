//! Pictures of layouts, which consist of panels of cells. The text, SVG and HTML outputs show the same
//! panels.

mod banks;
mod svg;
mod text;

pub use svg::svg;
pub use text::text;

use crate::language::Value;
use cube_algebra::{Composed, Layout, Swizzle};

/// Maximum number of cells of a panel.
pub const MAX_CELLS: u64 = 1 << 14;

/// A grid of cells with a title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    pub title: String,
    /// An explanation of the colours and frames whose meaning is not obvious.
    pub legend: &'static str,
    /// The number of rows.
    pub rows: usize,
    /// The cells, row after row.
    pub cells: Vec<Cell>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The text of the cell: one or two lines.
    pub lines: Vec<String>,
    /// The colour of the cell in the palette of its panel.
    pub colour: Colour,
    /// The frame of the cell.
    pub frame: Frame,
}

/// The colour of a cell. The number of a colour is taken modulo the size of the palette.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// No colour, for an empty cell.
    #[default]
    None,
    /// One of 8 shades, from light to dark.
    Shade(u64),
    /// One of 32 hues. Neighbouring numbers have clearly different hues.
    Hue(u64),
}

/// The frame of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    /// A thin line.
    #[default]
    Plain,
    /// A thread of the first phase accesses the cell.
    Touched,
    /// A thread of the first phase accesses the cell, and the bank of the cell has a conflict.
    Conflict,
}

/// A way to draw a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The default view of the value.
    #[default]
    Default,
    /// The offsets of all indices.
    Table,
    /// The thread number and the value number of each element of a tile with these extents.
    ThreadValue(Option<Vec<u64>>),
}

/// The panels that show a value.
///
/// # Errors
/// The value has no picture or has more than [`MAX_CELLS`] cells. The error is a message for the user.
pub fn panels(value: &Value, view: &View) -> Result<Vec<Panel>, String> {
    match (value, view) {
        (Value::Banks(banks), View::Default) | (Value::Synthesis(_, banks), View::Default) => banks::panels(banks),
        (Value::ThreadValue(tv), View::Default | View::ThreadValue(None)) => thread_value(&tv.layout, &tv.tile),
        (_, View::ThreadValue(tile)) => match (layout_of(value), tile) {
            (Some(layout), Some(tile)) => thread_value(&layout, tile),
            (None, _) => Err(format!("{} is not a thread-value layout; pass a layout of rank 2", value.kind())),
            (_, None) => Err("a thread-value table of a bare layout requires a tile; pass the tile of the layout with --tile '(16,256)'".into()),
        },
        (Value::Composed(composed), _) => offsets(composed, &composed.to_string()),
        _ => match layout_of(value) {
            Some(layout) => offsets(&plain(&layout)?, &layout.to_string()),
            None => Err(format!("{} has no table or picture; pass a layout", value.kind())),
        },
    }
}

fn layout_of(value: &Value) -> Option<Layout> {
    match value {
        Value::Layout(layout) => Some(layout.clone()),
        Value::ThreadValue(tv) => Some(tv.layout.clone()),
        Value::Slice(slice) => Some(slice.layout.clone()),
        Value::Number(number) => Layout::leaf(*number, 1).ok(),
        _ => None,
    }
}

fn plain(layout: &Layout) -> Result<Composed, String> {
    Composed::new(Swizzle::identity(), 0, layout.clone()).map_err(|error| error.to_string())
}

/// Number of rows in the grid of a layout: the size of mode 0, or 1 for a layout with a single mode.
fn rows_of(layout: &Layout) -> usize {
    match layout.rank() {
        1 => 1,
        _ => layout.mode(0).map_or(1, |mode| mode.size() as usize),
    }
}

fn check_size(title: &str, cells: u64) -> Result<(), String> {
    match cells <= MAX_CELLS {
        true => Ok(()),
        false => {
            Err(format!("{title} has {cells} cells, but a picture has at most {MAX_CELLS}; slice or divide the layout"))
        }
    }
}

/// Converts cells from column-major to row-major order.
fn by_rows(rows: usize, cells: Vec<Cell>) -> Vec<Cell> {
    let columns = cells.len() / rows;
    (0..rows).flat_map(|row| (0..columns).map(move |column| row + rows * column)).map(|k| cells[k].clone()).collect()
}

fn offsets(memory: &Composed, title: &str) -> Result<Vec<Panel>, String> {
    check_size(title, memory.layout().size())?;
    let table = memory.table(MAX_CELLS).map_err(|error| error.to_string())?;
    let cells = table.into_iter().map(|offset| Cell {
        lines: vec![offset.to_string()],
        colour: Colour::Shade(offset),
        frame: Frame::Plain,
    });
    let rows = rows_of(memory.layout());
    Ok(vec![Panel { title: title.to_string(), legend: "", rows, cells: by_rows(rows, cells.collect()) }])
}

fn thread_value(layout: &Layout, tile: &[u64]) -> Result<Vec<Panel>, String> {
    let extents: Vec<String> = tile.iter().map(u64::to_string).collect();
    let title = format!("{layout} on ({})", extents.join(","));
    if layout.rank() != 2 || layout.depth() == 0 {
        return Err(format!("{layout} is not a thread-value layout: its rank is not 2"));
    }
    let size = tile.iter().try_fold(1u64, |size, &extent| size.checked_mul(extent)).unwrap_or(u64::MAX);
    check_size(&title, size.max(layout.size()))?;
    let threads = layout.mode(0).map_err(|error| error.to_string())?.size();
    let mut cells = vec![Cell::default(); size as usize];
    for (pair, at) in layout.table(MAX_CELLS).map_err(|error| error.to_string())?.into_iter().enumerate() {
        let Some(cell) = cells.get_mut(at as usize) else {
            return Err(format!("{layout} reaches element {at}, outside the tile ({})", extents.join(",")));
        };
        let (thread, value) = (pair as u64 % threads, pair as u64 / threads);
        if cell.lines.is_empty() {
            *cell = Cell {
                lines: vec![format!("T{thread}"), format!("V{value}")],
                colour: Colour::Hue(thread),
                frame: Frame::Plain,
            };
        } else if !cell.lines[1].ends_with('+') {
            // More than one thread or value holds this element.
            cell.lines[1].push('+');
        }
    }
    let rows = if tile.len() == 1 { 1 } else { tile[0] as usize };
    Ok(vec![Panel { title, legend: "", rows, cells: by_rows(rows, cells) }])
}

#[cfg(test)]
mod tests {
    use super::{Colour, View, panels, text};
    use crate::language::{Session, Value};

    fn value(code: &str) -> Value {
        Session::default().run(code).unwrap().unwrap().1
    }

    fn show(code: &str, view: View) -> Result<String, String> {
        panels(&value(code), &view).map(|panels| text(&panels))
    }

    #[test]
    fn a_layout_is_a_table_of_offsets() {
        let expected = "(2,3):(3,1)\n     0  1  2\n  0  0  1  2\n  1  3  4  5\n";
        assert_eq!(show("(2,3):(3,1)", View::Table).unwrap(), expected);
        assert_eq!(show("3:2", View::Default).unwrap(), "3:2\n     0  1  2\n  0  0  2  4\n");
    }

    #[test]
    fn a_thread_value_layout_is_a_table_of_owners() {
        let expected = "(2,2):(2,1) on (2,2)\n        0     1\n  0  T0V0  T1V0\n  1  T0V1  T1V1\n";
        assert_eq!(show("make_layout_tv((1,2):(1,1), (2,1):(1,1))", View::Default).unwrap(), expected);
        assert_eq!(show("(2,2):(2,1)", View::ThreadValue(Some(vec![2, 2]))).unwrap(), expected);
        let shared = show("(2,2):(0,1)", View::ThreadValue(Some(vec![1, 2]))).unwrap();
        assert!(shared.contains("T0V0+  T0V1+"), "{shared}");
    }

    #[test]
    fn undrawable_value_is_reported_with_the_reason() {
        let message = |code: &str, view| show(code, view).unwrap_err();
        assert!(message("(4096,4096):(1,4096)", View::Table).contains("16777216 cells"));
        assert!(message("S<3,4,3>", View::Default).contains("a swizzle has no table or picture"));
        assert!(message("(2,2):(2,1)", View::ThreadValue(None)).contains("requires a tile"));
        assert!(message("8:1", View::ThreadValue(Some(vec![8]))).contains("its rank is not 2"));
        assert!(message("(2,2):(2,9)", View::ThreadValue(Some(vec![2, 2]))).contains("outside the tile (2,2)"));
        assert!(message("S<3,4,3>", View::ThreadValue(None)).contains("is not a thread-value layout"));
    }

    #[test]
    fn banks_are_drawn_before_and_after() {
        let drawn = panels(&value("banks(S<5,0,5> o 0 o (32,32):(32,1), 4, 32:1, 1)"), &View::Default).unwrap();
        assert_eq!(drawn.len(), 2);
        assert!(drawn[0].title.starts_with("before") && drawn[0].title.contains("degree 32"), "{}", drawn[0].title);
        assert!(drawn[1].title.contains("degree 1"), "{}", drawn[1].title);
        // Column 0: one bank before, all 32 after.
        let column = |k: usize| drawn[k].cells.iter().step_by(32).map(|cell| cell.colour).collect::<Vec<_>>();
        assert!(column(0).iter().all(|colour| *colour == Colour::Hue(0)));
        assert!(column(1).iter().enumerate().all(|(row, colour)| *colour == Colour::Hue(row as u64)));
    }
}
