//! The functions that the results of layout operations must compute. Each function is evaluated by its
//! definition, one index at a time.

use super::notation::Table;
use serde_json::Value;

/// A function that defines the expected result of a row. The value of the function is `None` outside of the
/// domain of the function.
pub struct Function {
    pub size: u128,
    at: Box<dyn Fn(u128) -> Option<u128>>,
}

impl Function {
    pub fn at(&self, index: u128) -> Option<u128> {
        (self.at)(index)
    }
}

fn table(row: &Value, field: &str) -> Table {
    Table::parse(row[field].as_str().unwrap()).unwrap()
}

/// `outer(inner(i))`.
pub fn composition(outer: Table, inner: Table) -> Function {
    Function { size: inner.size(), at: Box::new(move |i| outer.at(inner.at(i)?)) }
}

/// The logical divide of `A` by one layout `T`: `A ∘ (T, T*)`, where `T*` is the complement of `T`.
fn divided(a: Table, tiler: Table) -> Option<Function> {
    let rest = tiler.complement(a.size())?;
    let (tile, size) = (tiler.size(), tiler.size() * rest.size());
    Some(Function { size, at: Box::new(move |i| a.at(tiler.at(i % tile)? + rest.at(i / tile)?)) })
}

/// The tilers in the text `<t0;t1>`, where `_` is `None`. The result is `None` for the text of a plain
/// layout.
pub fn tilers(text: &str) -> Option<Vec<Option<Table>>> {
    let inside = text.strip_prefix('<')?.strip_suffix('>')?;
    Some(inside.split(';').map(Table::parse).collect())
}

/// The expected result of the logical divide in a row, or of one mode of this divide.
pub fn divide(row: &Value, mode: Option<usize>) -> Option<Function> {
    let (a, text) = (table(row, "A"), row["tiler"].as_str().unwrap());
    let Some(tilers) = tilers(text) else {
        return divided(a, Table::parse(text)?);
    };
    let of_mode = |k: usize| match tilers.get(k) {
        Some(Some(tiler)) => divided(a.mode(k)?, tiler.clone()),
        _ => {
            let mode = a.mode(k)?;
            Some(Function { size: mode.size(), at: Box::new(move |i| mode.at(i)) })
        }
    };
    match mode {
        Some(k) => of_mode(k),
        None => {
            let modes: Vec<Function> = (0..a.modes().len()).map(of_mode).collect::<Option<_>>()?;
            Some(side_by_side(modes))
        }
    }
}

/// The expected result of a zipped divide: first the index within the tile for every mode, then the number of the
/// tile for every mode. The tiled and the flat divide compute the same function.
pub fn zipped(row: &Value) -> Option<Function> {
    let Some(tilers) = tilers(row["tiler"].as_str().unwrap()) else {
        return divide(row, None);
    };
    let a = table(row, "A");
    let mut modes = Vec::new();
    for k in 0..a.modes().len() {
        let mode = divide(row, Some(k))?;
        let tile = tilers.get(k).map_or(Some(1), |tiler| Some(tiler.as_ref()?.size()))?;
        modes.push((tile, mode));
    }
    let size = modes.iter().map(|(_, mode)| mode.size).product();
    let at = move |index: u128| {
        let mut rest = index;
        let mut digit = |extent: u128| {
            let digit = rest % extent;
            rest /= extent;
            digit
        };
        let tiles: Vec<u128> = modes.iter().map(|(tile, _)| digit(*tile)).collect();
        let mut sum = 0;
        for ((tile, mode), inside) in modes.iter().zip(tiles) {
            sum += mode.at(inside + tile * digit(mode.size / tile))?;
        }
        Some(sum)
    };
    Some(Function { size, at: Box::new(at) })
}

fn side_by_side(modes: Vec<Function>) -> Function {
    let size = modes.iter().map(|mode| mode.size).product();
    let at = move |index: u128| {
        let mut rest = index;
        let mut sum = 0;
        for mode in &modes {
            sum += mode.at(rest % mode.size)?;
            rest /= mode.size;
        }
        (rest == 0).then_some(sum)
    };
    Function { size, at: Box::new(at) }
}

/// The logical product `(A, A* ∘ B)`, where `A*` is the complement of `A`.
pub fn product(row: &Value) -> Option<Function> {
    let (a, b) = (table(row, "A"), table(row, "B"));
    let places = a.complement(a.size() * b.cosize())?;
    let (block, size) = (a.size(), a.size() * b.size());
    Some(Function { size, at: Box::new(move |i| Some(a.at(i % block)? + places.at(b.at(i / block)?)?)) })
}
