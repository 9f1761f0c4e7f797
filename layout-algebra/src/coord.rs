//! Coordinates: conversion from a coordinate to an offset and from an index to a coordinate, and slicing.

use crate::Layout;
use crate::error::{Error, Result};
use crate::layout::Mode;
use crate::nest::Nest;
use std::fmt;

/// A coordinate in a layout: numbers, nested no deeper than the layout's shape. `None`, printed `_`, keeps a mode.
///
/// A single number can index a complete nested mode, as the colexicographic index of this mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Coord(pub Nest<Option<u64>>);

impl Coord {
    /// The coordinate that consists of a single number.
    pub fn index(index: u64) -> Coord {
        Coord(Nest::Leaf(Some(index)))
    }
}

impl fmt::Display for Coord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, &|value: &Option<u64>, f: &mut fmt::Formatter<'_>| match value {
            Some(value) => value.fmt(f),
            None => f.write_str("_"),
        })
    }
}

/// A layout and its start offset: the result of slicing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// The modes kept.
    pub layout: Layout,
    /// The offset of the fixed modes.
    pub offset: u64,
}

/// The offset of a coordinate (`crd2idx` in CuTe).
///
/// # Errors
/// The coordinate contains `_` or exceeds the shape, or its profile differs from the layout's profile.
pub fn crd2idx(coord: &Coord, layout: &Layout) -> Result<u64> {
    coord.0.depth()?;
    let sliced = walk(&coord.0, layout.nest(), &mut Vec::new())?;
    match sliced.kept.is_empty() {
        true => Ok(sliced.offset),
        false => Err(Error::operand(format!("coordinate {coord} contains `_`; slice the layout instead"))),
    }
}

/// The natural coordinate of an index (`idx2crd` in CuTe). The coordinate has the profile of `shape`, and its
/// leftmost number varies fastest.
///
/// # Errors
/// The index is not below the shape's size.
pub fn idx2crd(index: u64, shape: &Nest<u64>) -> Result<Coord> {
    shape.depth()?;
    let mut rest = index;
    let coord = shape.map(&mut |&extent| {
        let digit = rest % extent.max(1);
        rest /= extent.max(1);
        Some(digit)
    });
    match rest {
        0 => Ok(Coord(coord)),
        _ => Err(Error::operand(format!("index {index} is outside the shape {shape}"))),
    }
}

/// Fixes the modes for which the coordinate has a number, and keeps the modes with `_` (`slice_and_offset` in CuTe). If
/// no mode is kept, the layout is `1:0`.
///
/// # Errors
/// The coordinate exceeds the shape, or its profile differs from the layout's profile.
pub fn slice(coord: &Coord, layout: &Layout) -> Result<Slice> {
    coord.0.depth()?;
    if let Nest::Leaf(None) = coord.0 {
        return Ok(Slice { layout: layout.clone(), offset: 0 });
    }
    let Walk { kept, offset } = walk(&coord.0, layout.nest(), &mut Vec::new())?;
    let layout = if kept.is_empty() { Layout::unit() } else { Layout::trusted(Nest::Tuple(kept)) };
    Ok(Slice { layout, offset })
}

#[derive(Default)]
struct Walk {
    kept: Vec<Nest<Mode>>,
    offset: u64,
}

fn walk(coord: &Nest<Option<u64>>, nest: &Nest<Mode>, path: &mut Vec<usize>) -> Result<Walk> {
    match (coord, nest) {
        (Nest::Leaf(None), _) => Ok(Walk { kept: vec![nest.clone()], offset: 0 }),
        (Nest::Leaf(Some(index)), _) => {
            let layout = Layout::trusted(nest.clone());
            let offset = layout.offset(*index).ok_or_else(|| {
                Error::operand(format!(
                    "coordinate {index}{} is outside the extent {}; coordinates start at 0",
                    at_path(path),
                    layout.size()
                ))
            })?;
            Ok(Walk { kept: Vec::new(), offset })
        }
        (Nest::Tuple(coords), Nest::Tuple(modes)) if coords.len() == modes.len() => {
            let mut all = Walk::default();
            for (k, (coord, mode)) in coords.iter().zip(modes).enumerate() {
                path.push(k);
                let Walk { kept, offset } = walk(coord, mode, path)?;
                path.pop();
                all.kept.extend(kept);
                all.offset += offset;
            }
            Ok(all)
        }
        (Nest::Tuple(coords), _) => Err(Error::operand(format!(
            "a coordinate of rank {}{} for a mode of rank {}",
            coords.len(),
            at_path(path),
            nest.rank()
        ))),
    }
}

fn at_path(path: &[usize]) -> String {
    match path {
        [] => String::new(),
        _ => format!(" at {}", path_text(path)),
    }
}

/// A path of child numbers as text, outermost first: `0.1`.
pub fn path_text(path: &[usize]) -> String {
    path.iter().map(usize::to_string).collect::<Vec<_>>().join(".")
}
