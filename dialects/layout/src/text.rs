//! The notation of the dialect's two attributes: a layout with numbers and `?`, and a coordinate with
//! numbers, `?` and `_`.
use cube_algebra::{Cursor, Error, Layout, Nest, Swizzle};
use std::fmt;

/// A number in the text, or the number of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A number.
    Known(u64),
    /// The operand with this number.
    Operand(usize),
}

/// One component of a coordinate: `_`, or the index in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordLeaf {
    /// `_`: the coordinate assigns no index to the mode.
    All,
    /// The index in the mode.
    At(Written),
}

/// A layout in text form: shape and strides, preceded by an offset and a swizzle.
#[derive(Clone, Debug)]
pub struct LayoutText {
    /// The swizzle, or the identity.
    pub swizzle: Swizzle,
    /// The offset, added before the swizzle.
    pub base: u64,
    /// Extents.
    pub shape: Nest<Written>,
    /// Strides, with the nesting of `shape`.
    pub stride: Nest<Written>,
    /// Number of `?` in the text; each `?` is an operand.
    pub operands: usize,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Written::Known(n) => n.fmt(f),
            Written::Operand(_) => f.write_str("?"),
        }
    }
}

impl fmt::Display for CoordLeaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CoordLeaf::All => f.write_str("_"),
            CoordLeaf::At(written) => written.fmt(f),
        }
    }
}

fn written(cursor: &mut Cursor<'_>, operands: &mut usize) -> Result<Written, Error> {
    if !cursor.accept('?') {
        return cursor.number().map(Written::Known);
    }
    *operands += 1;
    Ok(Written::Operand(*operands - 1))
}

/// Reads a layout.
///
/// # Errors
/// The text is not a layout; the error has the byte offset.
pub fn parse_layout(text: &str) -> Result<LayoutText, Error> {
    let mut cursor = Cursor::new(text);
    let (mut swizzle, mut base) = (Swizzle::identity(), 0);
    if cursor.peek() == Some('S') {
        swizzle = cursor.swizzle()?;
        expect_compose(&mut cursor)?;
        base = cursor.number()?;
        expect_compose(&mut cursor)?;
    }
    let mut operands = 0;
    let shape = cursor.nest(&mut |c| written(c, &mut operands))?;
    cursor.expect(':', "between shape and stride")?;
    let stride = cursor.nest(&mut |c| written(c, &mut operands))?;
    cursor.end()?;
    Ok(LayoutText { swizzle, base, shape, stride, operands })
}

fn expect_compose(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    match cursor.name() {
        Some("o") => Ok(()),
        _ => cursor.expect('o', "between swizzle, offset and layout"),
    }
}

/// Parses a coordinate; also returns the number of its operands.
///
/// # Errors
/// The text is not a coordinate; the error has the byte offset.
pub fn coord(text: &str) -> Result<(Nest<CoordLeaf>, usize), Error> {
    let mut cursor = Cursor::new(text);
    let mut operands = 0;
    let nest = cursor.nest(&mut |c| {
        if c.accept('_') { Ok(CoordLeaf::All) } else { written(c, &mut operands).map(CoordLeaf::At) }
    })?;
    cursor.end()?;
    Ok((nest, operands))
}

/// Converts a text form to a layout. An extent or a stride that is an operand becomes 1.
///
/// # Errors
/// The error names the violated rule of layouts.
pub fn layout_of(form: &LayoutText) -> Result<Layout, Error> {
    let number = |written: &Written| match written {
        Written::Known(n) => *n,
        // An unknown leaf is replaced by 1, which is valid everywhere.
        Written::Operand(_) => 1,
    };
    Layout::new(&form.shape.map(&mut |w| number(w)), &form.stride.map(&mut |w| number(w)))
}

/// The text of a layout in an attribute.
pub fn write(swizzle: Swizzle, base: u64, layout: &Layout) -> String {
    match swizzle.bits() == 0 && base == 0 {
        true => format!("#layout.layout<{layout}>"),
        false => {
            format!("#layout.layout<Sw<{},{},{}> o {base} o {layout}>", swizzle.bits(), swizzle.base(), swizzle.shift())
        }
    }
}
