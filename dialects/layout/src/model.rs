//! Layouts whose numbers can be run-time values of the kernel, and views of buffers under such layouts.
use crate::text::{CoordLeaf, LayoutText, Written};
use cube_algebra::{Coord, Error, Layout, Nest, Swizzle, Tiler};
use cube_ir::{Message, Val};

/// A number of a layout. Values are u32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Num<'p> {
    /// A number known when the kernel is compiled.
    Known(u64),
    /// A value times a constant factor.
    Times(u64, Val<'p>),
    /// A value divided by a number, rounded up.
    CeilDiv(Val<'p>, u64),
}

impl Num<'_> {
    /// The number, if it is known at compile time.
    pub fn known(self) -> Option<u64> {
        if let Num::Known(n) = self { Some(n) } else { None }
    }
}

impl<'p> Num<'p> {
    /// The SSA value, if the number is not known at compile time.
    pub(crate) fn value(self) -> Option<Val<'p>> {
        match self {
            Num::Known(_) => None,
            Num::Times(_, value) | Num::CeilDiv(value, _) => Some(value),
        }
    }
}

/// A leaf of a layout: a mode without nested modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf<'p> {
    /// Number of indices.
    pub extent: Num<'p>,
    /// The distance between the offsets of two neighbouring indices.
    pub stride: Num<'p>,
}

/// A layout whose extents and strides can be unknown until run time.
pub type Shape<'p> = Nest<Leaf<'p>>;

/// A layout with an offset and a swizzle.
#[derive(Clone, Debug)]
pub struct Value<'p> {
    /// The swizzle, applied last.
    pub swizzle: Swizzle,
    /// The offset, added before the swizzle.
    pub base: u64,
    /// The layout.
    pub shape: Shape<'p>,
}

/// A coordinate in one mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index<'p> {
    /// A number.
    Known(u64),
    /// A `u32` value of the kernel.
    Value(Val<'p>),
}

/// A mode of a view with a fixed coordinate.
#[derive(Clone, Debug)]
pub struct Fixed<'p> {
    /// The mode.
    pub shape: Shape<'p>,
    /// The coordinate in the mode.
    pub at: Index<'p>,
}

/// One mode of the tensor behind a ragged view. An element is valid if its coordinate in this mode is below the
/// extent.
#[derive(Clone, Debug)]
pub struct Axis<'p> {
    /// Maps a coordinate in the view's remaining modes to a number. The coordinate in this mode of the tensor
    /// is the sum of this number, the numbers of the fixed modes, and `base`.
    pub shape: Shape<'p>,
    /// The modes with a coordinate, in the order of the view's modes.
    pub fixed: Vec<Shape<'p>>,
    /// The known part of the coordinate.
    pub base: u64,
    /// The tensor's extent.
    pub extent: Num<'p>,
}

/// A view: a buffer with a layout.
#[derive(Clone, Debug)]
pub struct View<'p> {
    pub buffer: Val<'p>,
    /// The swizzle of the view's offsets.
    pub swizzle: Swizzle,
    /// The known part of the offset.
    pub base: u64,
    /// The remaining modes.
    pub shape: Shape<'p>,
    /// The modes with a coordinate.
    pub fixed: Vec<Fixed<'p>>,
    /// The bounds of a ragged view.
    pub axes: Vec<Axis<'p>>,
}

/// The reason why a layout cannot be computed: an error of the algebra, or a rule of this dialect.
#[derive(Clone, Debug)]
pub enum Failure {
    /// An error of the layout algebra, with its witness (indices that prove the error).
    Algebra(Error),
    /// A rule of this dialect about numbers that are known only at launch, about swizzles, or about
    /// coordinates.
    Rule(Box<Message>),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Algebra(error)
    }
}

fn rule(message: impl Into<Message>) -> Failure {
    Failure::Rule(Box::new(message.into()))
}

/// The leaves (modes without nested modes) of a layout, from left to right.
pub fn leaves<'p>(shape: &Shape<'p>) -> Vec<Leaf<'p>> {
    let mut all = Vec::new();
    shape.each_leaf(&mut |leaf| all.push(*leaf));
    all
}

/// The run-time values among the numbers of a layout.
pub(crate) fn values_of<'p>(shape: &Shape<'p>) -> Vec<Val<'p>> {
    let all = leaves(shape);
    all.iter().flat_map(|leaf| [leaf.extent.value(), leaf.stride.value()]).flatten().collect()
}

/// The layout of a shape whose numbers are all known.
pub fn known(shape: &Shape<'_>) -> Option<Layout> {
    let mut all = true;
    shape.each_leaf(&mut |leaf| all &= leaf.extent.known().is_some() && leaf.stride.known().is_some());
    let extents = shape.map(&mut |leaf| leaf.extent.known().unwrap_or(1));
    let strides = shape.map(&mut |leaf| leaf.stride.known().unwrap_or(1));
    if all { Layout::new(&extents, &strides).ok() } else { None }
}

/// Converts a layout to a shape.
pub fn shape_of<'p>(layout: &Layout) -> Shape<'p> {
    layout.nest().map(&mut |mode| Leaf { extent: Num::Known(mode.extent), stride: Num::Known(mode.stride) })
}

/// The number of indices, if it is known.
pub fn size(shape: &Shape<'_>) -> Option<u64> {
    leaves(shape).iter().try_fold(1u64, |all, leaf| all.checked_mul(leaf.extent.known()?))
}

/// The coordinate of an index in each leaf (mode without nested modes), with the leaf's stride. `None` if an
/// extent is not known.
pub fn digits<'p>(shape: &Shape<'p>, index: u64) -> Option<Vec<(u64, Num<'p>)>> {
    let mut rest = index;
    leaves(shape)
        .iter()
        .map(|leaf| {
            let extent = leaf.extent.known()?.max(1);
            let digit = rest % extent;
            rest /= extent;
            Some((digit, leaf.stride))
        })
        .collect()
}

fn only_known(shape: &Shape<'_>, what: &str) -> Result<Layout, Failure> {
    known(shape).ok_or_else(|| rule(cube_ir::diagnostic!(CUBE0336.known { what })))
}

impl<'p> Value<'p> {
    /// The layout that a text describes, in which `operands` replace each `?`. Constant operands become known
    /// numbers.
    pub fn of_form(form: &LayoutText, operands: &[Index<'p>]) -> Result<Value<'p>, Failure> {
        let num = |w: &Written| match w {
            Written::Known(n) => Num::Known(*n),
            Written::Operand(i) => match operands[*i] {
                Index::Known(n) => Num::Known(n),
                Index::Value(v) => Num::Times(1, v),
            },
        };
        let (mut strides, mut at) = (Vec::new(), 0);
        form.stride.each_leaf(&mut |w| strides.push(num(w)));
        let shape = form.shape.map(&mut |w| {
            at += 1;
            Leaf { extent: num(w), stride: strides.get(at - 1).copied().unwrap_or(Num::Known(0)) }
        });
        // A known extent of 0 or an overflow is invalid for all values of the unknown leaves.
        let count = |n: Num<'p>| n.known().unwrap_or(1);
        Layout::new(&shape.map(&mut |l| count(l.extent)), &shape.map(&mut |l| count(l.stride)))?;
        Ok(Value { swizzle: form.swizzle, base: form.base, shape })
    }

    pub fn plain(layout: &Layout) -> Value<'p> {
        Value { swizzle: Swizzle::identity(), base: 0, shape: shape_of(layout) }
    }

    /// The layout with constant numbers only, for operations that require a constant layout.
    pub fn plain_layout(&self, what: &str) -> Result<Layout, Failure> {
        if self.swizzle.bits() != 0 || self.base != 0 {
            return Err(rule(cube_ir::diagnostic!(CUBE0333.swizzled { what })));
        }
        only_known(&self.shape, what)
    }
}

/// The grouping of the parts of a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divide {
    /// `((tile, rest), ...)`
    Logical,
    /// `((tile, ...), (rest, ...))`
    Zipped,
    /// `((tile, ...), rest, ...)`
    Tiled,
    /// `(tile, ..., rest, ...)`
    Flat,
}

impl Divide {
    fn of_numbers(self, layout: &Layout, tiler: &Tiler) -> Result<Layout, Error> {
        match self {
            Divide::Logical => cube_algebra::logical_divide(layout, tiler),
            Divide::Zipped => cube_algebra::zipped_divide(layout, tiler),
            Divide::Tiled => cube_algebra::tiled_divide(layout, tiler),
            Divide::Flat => cube_algebra::flat_divide(layout, tiler),
        }
    }

    fn group<T: Clone>(self, tiles: Vec<Nest<T>>, rests: Vec<Nest<T>>) -> Nest<T> {
        Nest::Tuple(match self {
            Divide::Logical => tiles.into_iter().zip(rests).map(|(t, r)| Nest::Tuple(vec![t, r])).collect(),
            Divide::Zipped => vec![Nest::Tuple(tiles), Nest::Tuple(rests)],
            Divide::Tiled => std::iter::once(Nest::Tuple(tiles)).chain(rests).collect(),
            Divide::Flat => tiles.into_iter().chain(rests).collect(),
        })
    }
}

/// A tiler: one layout of the index, or one layout for each mode.
pub fn tiler(tile: &Layout, modes: bool) -> Tiler {
    match modes {
        true => Tiler::ByMode(tile.modes().into_iter().map(Tiler::Layout).collect()),
        false => Tiler::Layout(tile.clone()),
    }
}

/// Divides a layout. With `ragged` the extents are rounded up before the division. A layout with unknown
/// numbers supports only a ragged division, mode by mode, by tiles `n:1`.
pub fn divide<'p>(
    shape: &Shape<'p>,
    tile: &Layout,
    modes: bool,
    ragged: bool,
    form: Divide,
) -> Result<Shape<'p>, Failure> {
    if let Some(layout) = known(shape) {
        let tiler = tiler(tile, modes);
        let rounded = if ragged { cube_algebra::round_up(&layout, &tiler)? } else { layout };
        return Ok(shape_of(&form.of_numbers(&rounded, &tiler)?));
    }
    if !modes || !ragged || tile.rank() != shape.rank() || matches!(shape, Nest::Leaf(_)) {
        return Err(only_known(shape, "this division")
            .err()
            .unwrap_or_else(|| rule(cube_ir::diagnostic!(CUBE0336.known { what: "this division" }))));
    }
    let parts = shape.children().iter().zip(tile.modes()).map(|(mode, tile)| divide_leaf(mode, &tile));
    let parts: Vec<(Leaf<'p>, Leaf<'p>)> = parts.collect::<Result<_, _>>()?;
    let (tiles, rests): (Vec<_>, Vec<_>) = parts.iter().map(|(t, r)| (Nest::Leaf(*t), Nest::Leaf(*r))).unzip();
    Ok(form.group(tiles, rests))
}

fn divide_leaf<'p>(mode: &Shape<'p>, tile: &Layout) -> Result<(Leaf<'p>, Leaf<'p>), Failure> {
    let flat = cube_algebra::coalesce(tile);
    let step = flat.stride();
    let tile_size = flat.size();
    let bare = matches!(step, Nest::Leaf(1)) || tile_size == 1;
    let (Nest::Leaf(leaf), true) = (mode, bare) else {
        return Err(rule(cube_ir::diagnostic!(CUBE0336.divisor { tile })));
    };
    let rest = match leaf.extent {
        Num::Known(n) => Num::Known(n.div_ceil(tile_size)),
        Num::Times(1, v) => Num::CeilDiv(v, tile_size),
        _ => return Err(rule(cube_ir::diagnostic!(CUBE0336.twice))),
    };
    let stride = match leaf.stride {
        Num::Known(s) => {
            Num::Known(s.checked_mul(tile_size).ok_or_else(|| rule(cube_ir::diagnostic!(CUBE0333.stride)))?)
        }
        Num::Times(c, v) => Num::Times(c.saturating_mul(tile_size), v),
        other => other,
    };
    Ok((Leaf { extent: Num::Known(tile_size), stride: leaf.stride }, Leaf { extent: rest, stride }))
}

/// The composition: `inner` selects indices of `outer`. A stride can be unknown if the extents are known: see
/// [`generic`].
pub fn compose<'p>(outer: &Shape<'p>, inner: &Layout) -> Result<Shape<'p>, Failure> {
    match known(outer) {
        Some(layout) => Ok(shape_of(&cube_algebra::compose(&layout, inner)?)),
        None => generic(outer, inner),
    }
}

/// Composes a layout with unknown strides. Each unknown stride becomes a unique weight that is larger than any sum
/// of the other strides. A result for the weights holds for all values of the strides, because each offset has a
/// unique decomposition into weights.
fn generic<'p>(outer: &Shape<'p>, inner: &Layout) -> Result<Shape<'p>, Failure> {
    let refuse = || {
        only_known(outer, "this composition")
            .err()
            .unwrap_or_else(|| rule(cube_ir::diagnostic!(CUBE0336.known { what: "this composition" })))
    };
    let all = leaves(outer);
    let mut symbols: Vec<Val<'p>> = Vec::new();
    let mut plain = 0u64;
    let mut widest = 0u64;
    for leaf in &all {
        let extent = leaf.extent.known().ok_or_else(refuse)?;
        match leaf.stride {
            Num::Known(s) => plain = plain.checked_add((extent - 1).saturating_mul(s)).ok_or_else(refuse)?,
            Num::Times(c, v) => {
                widest = widest.checked_add((extent - 1).saturating_mul(c)).ok_or_else(refuse)?;
                if !symbols.contains(&v) {
                    symbols.push(v);
                }
            }
            Num::CeilDiv(..) => return Err(refuse()),
        }
    }
    let base = plain.max(widest).checked_add(1).map(u64::next_power_of_two).ok_or_else(refuse)?;
    let weight = |k: usize| base.checked_pow(k as u32 + 1).filter(|w| *w < 1 << 60);
    let mut failed = false;
    let number = outer.map(&mut |leaf| match leaf.stride {
        Num::Times(c, v) => {
            let symbol = symbols.iter().position(|s| *s == v).unwrap_or(0);
            weight(symbol).and_then(|w| w.checked_mul(c)).unwrap_or_else(|| {
                failed = true;
                0
            })
        }
        other => other.known().unwrap_or(0),
    });
    if failed {
        return Err(refuse());
    }
    let layout = Layout::new(&outer.map(&mut |leaf| leaf.extent.known().unwrap_or(1)), &number)?;
    let result = cube_algebra::compose(&layout, inner)?;
    // Each stride must be a known number or a multiple of one unknown stride. The sum of the coefficients of one weight
    // must be smaller than the next weight.
    let mut sums = vec![0u64; symbols.len() + 1];
    let mut mixed = false;
    let shape = result.nest().map(&mut |mode| {
        let mut rest = mode.stride;
        let mut parts = Vec::new();
        for (digit, sum) in sums.iter_mut().enumerate() {
            let part = rest % base;
            rest /= base;
            *sum = sum.saturating_add((mode.extent - 1).saturating_mul(part));
            if part != 0 {
                parts.push((digit, part));
            }
        }
        mixed |= rest != 0 || parts.len() > 1;
        let stride = match parts.first() {
            None => Num::Known(0),
            Some((0, s)) => Num::Known(*s),
            Some((digit, c)) => Num::Times(*c, symbols[*digit - 1]),
        };
        Leaf { extent: Num::Known(mode.extent), stride }
    });
    if mixed || sums.iter().any(|sum| *sum >= base) { Err(refuse()) } else { Ok(shape) }
}

/// The modes of a layout to which a coordinate assigns no index, and the modes with an index, from left to
/// right.
pub struct Split<'p> {
    /// The remaining modes; empty if all modes have a coordinate.
    pub kept: Vec<Shape<'p>>,
    /// The modes with a coordinate.
    pub fixed: Vec<(Shape<'p>, Index<'p>)>,
}

/// Splits a layout by a coordinate whose operands are `operands`.
pub fn split<'p>(coord: &Nest<CoordLeaf>, shape: &Shape<'p>, operands: &[Index<'p>]) -> Result<Split<'p>, Failure> {
    let mut all = Split { kept: Vec::new(), fixed: Vec::new() };
    walk(coord, shape, operands, &mut Vec::new(), &mut all)?;
    Ok(all)
}

fn walk<'p>(
    coord: &Nest<CoordLeaf>,
    shape: &Shape<'p>,
    operands: &[Index<'p>],
    path: &mut Vec<usize>,
    all: &mut Split<'p>,
) -> Result<(), Failure> {
    let in_mode = |path: &[usize]| {
        if path.is_empty() { String::new() } else { format!(" in mode {}", cube_algebra::path_text(path)) }
    };
    match (coord, shape) {
        (Nest::Leaf(CoordLeaf::All), _) => all.kept.push(shape.clone()),
        (Nest::Leaf(CoordLeaf::At(written)), _) => {
            let index = match written {
                Written::Known(n) => Index::Known(*n),
                Written::Operand(i) => operands[*i],
            };
            if let (Written::Known(n), Some(extent)) = (written, size(shape))
                && *n >= extent
            {
                let at = in_mode(path);
                return Err(rule(cube_ir::diagnostic!(CUBE0333.outside { coordinate: *n, at, extent })));
            }
            all.fixed.push((shape.clone(), index));
        }
        (Nest::Tuple(coords), Nest::Tuple(modes)) if coords.len() == modes.len() => {
            for (k, (coord, mode)) in coords.iter().zip(modes).enumerate() {
                path.push(k);
                walk(coord, mode, operands, path, all)?;
                path.pop();
            }
        }
        (Nest::Tuple(coords), _) => {
            let at = in_mode(path);
            return Err(rule(cube_ir::diagnostic!(CUBE0333.rank { rank: coords.len(), at, of: shape.rank() })));
        }
    }
    Ok(())
}

/// The offset of an index in a layout. `None` if a number of the layout is unknown, or if the index is
/// outside the layout.
pub fn offset(shape: &Shape<'_>, index: u64) -> Option<u64> {
    known(shape).and_then(|l| cube_algebra::crd2idx(&Coord::index(index), &l).ok())
}
