//! Encodes the two attributes of the dialect, layout and coordinate, as lists of numbers, which MLIR stores.
//!
//! ```text
//! attribute = 1 shape stride                              (4,8):(1,4)
//!           | 2 bits base shift offset shape stride       Sw<3,3,3> o 0 o (8,32):(32,1); 3 where `S` is written
//!           | 4 coordinate                                ((_,_),?)
//!           | 0 bytes text                                any other text, with eight bytes per number
//! nest      = 0 number | 1 (`?`) | 2 (`_`) | 3+n, then n nests
//! ```
//!
//! An invalid text is encoded by its characters, so that the verifier of the operation can report the error. Invariant:
//! printing the numbers gives the original text.
use crate::text::{self, CoordLeaf, LayoutText, Written};
use cube_algebra::{Error, Layout, MAX_DEPTH, Nest, Swizzle};
use cube_ir::{AttrExt, Attribute, Cx};

const KIND_TEXT: i64 = 0;
const KIND_PLAIN: i64 = 1;
const KIND_SWIZZLED: i64 = 2;
const KIND_SWIZZLED_SHORT: i64 = 3;
const KIND_COORD: i64 = 4;

const LEAF_NUMBER: i64 = 0;
const LEAF_OPERAND: i64 = 1;
const LEAF_ALL: i64 = 2;
const TUPLE: i64 = 3;

/// Encodes the text of the attribute `name` as numbers. A text that is not canonical is encoded by its characters.
pub(crate) fn parse(name: &str, text: &str) -> Vec<i64> {
    let numbers = match name {
        "layout.coord" => text::coord(text).ok().map(|(nest, _)| encode_coord(&nest)),
        _ => text::parse_layout(text).ok().map(|form| {
            let kind = match text {
                _ if text.starts_with("Sw") => KIND_SWIZZLED,
                _ if text.starts_with('S') => KIND_SWIZZLED_SHORT,
                _ => KIND_PLAIN,
            };
            encode_layout(kind, &form)
        }),
    };
    numbers.filter(|numbers| print(numbers) == text).unwrap_or_else(|| encode_text(text))
}

/// The text of an attribute's numbers.
pub(crate) fn print(numbers: &[i64]) -> String {
    let mut reader = Reader { numbers, operands: 0 };
    match reader.next() {
        Some(KIND_TEXT) => reader.text(),
        Some(KIND_COORD) => reader.nest(0).map(|nest| nest.to_string()),
        Some(kind) => reader.form(kind).map(|form| written(kind, &form)),
        None => None,
    }
    .unwrap_or_default()
}

fn written(kind: i64, form: &LayoutText) -> String {
    let (layout, s) = (format!("{}:{}", form.shape, form.stride), form.swizzle);
    let name = match kind {
        KIND_SWIZZLED => "Sw",
        KIND_SWIZZLED_SHORT => "S",
        _ => return layout,
    };
    format!("{name}<{},{},{}> o {} o {layout}", s.bits(), s.base(), s.shift(), form.base)
}

fn encode_text(text: &str) -> Vec<i64> {
    let pack = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte)) as i64;
    [KIND_TEXT, text.len() as i64].into_iter().chain(text.as_bytes().chunks(8).map(pack)).collect()
}

fn encode_coord(coord: &Nest<CoordLeaf>) -> Vec<i64> {
    let mut numbers = vec![KIND_COORD];
    push(coord, &mut numbers);
    numbers
}

fn encode_layout(kind: i64, form: &LayoutText) -> Vec<i64> {
    let mut numbers = vec![kind];
    if kind != KIND_PLAIN {
        let s = form.swizzle;
        numbers.extend([s.bits().into(), s.base().into(), s.shift().into(), form.base as i64]);
    }
    for nest in [&form.shape, &form.stride] {
        push(&nest.map(&mut |leaf| CoordLeaf::At(*leaf)), &mut numbers);
    }
    numbers
}

fn push(nest: &Nest<CoordLeaf>, numbers: &mut Vec<i64>) {
    match nest {
        Nest::Leaf(CoordLeaf::At(Written::Known(n))) => numbers.extend([LEAF_NUMBER, *n as i64]),
        Nest::Leaf(CoordLeaf::At(Written::Operand(_))) => numbers.push(LEAF_OPERAND),
        Nest::Leaf(CoordLeaf::All) => numbers.push(LEAF_ALL),
        Nest::Tuple(items) => {
            numbers.push(TUPLE + items.len() as i64);
            items.iter().for_each(|item| push(item, numbers));
        }
    }
}

/// The remaining numbers of a list. The methods return `None` if the numbers do not encode an attribute.
struct Reader<'w> {
    numbers: &'w [i64],
    operands: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<i64> {
        let (first, rest) = self.numbers.split_first()?;
        self.numbers = rest;
        Some(*first)
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.next()?).ok()?;
        let bytes = self.numbers.iter().flat_map(|word| word.to_le_bytes()).take(length).collect();
        String::from_utf8(bytes).ok()
    }

    fn nest(&mut self, depth: usize) -> Option<Nest<CoordLeaf>> {
        Some(match self.next()? {
            LEAF_NUMBER => Nest::Leaf(CoordLeaf::At(Written::Known(self.next()? as u64))),
            LEAF_OPERAND => {
                self.operands += 1;
                Nest::Leaf(CoordLeaf::At(Written::Operand(self.operands - 1)))
            }
            LEAF_ALL => Nest::Leaf(CoordLeaf::All),
            tuple => {
                let count = tuple.checked_sub(TUPLE).and_then(|n| usize::try_from(n).ok())?;
                let fits = depth < MAX_DEPTH && count <= self.numbers.len();
                let items = (0..count).map(|_| self.nest(depth + 1));
                Nest::Tuple(if fits { items.collect::<Option<_>>()? } else { return None })
            }
        })
    }

    fn form(&mut self, kind: i64) -> Option<LayoutText> {
        let (mut swizzle, mut base) = (Swizzle::identity(), 0);
        if kind != KIND_PLAIN {
            swizzle = Swizzle::new(self.next()?, self.next()?, self.next()?).ok()?;
            base = self.next()? as u64;
        }
        let mut numbers = || {
            let nest = self.nest(0)?;
            Some(nest.map(&mut |leaf| if let CoordLeaf::At(at) = leaf { *at } else { Written::Known(0) }))
        };
        let (shape, stride) = (numbers()?, numbers()?);
        Some(LayoutText { swizzle, base, shape, stride, operands: self.operands })
    }
}

fn reader(attr: Option<Attribute<'_>>) -> Result<(i64, Reader<'_>), Error> {
    let mut reader =
        Reader { numbers: attr.and_then(|a| a.as_numbers()).map_or(&[], |(_, numbers)| numbers), operands: 0 };
    let kind = reader.next().ok_or_else(|| Error::operand("neither a layout nor a coordinate"))?;
    Ok((kind, reader))
}

/// The layout of an attribute.
///
/// # Errors
/// The text is not a layout; the error has the byte offset.
pub fn layout_text_of(attr: Option<Attribute<'_>>) -> Result<LayoutText, Error> {
    let (kind, mut reader) = reader(attr)?;
    match kind {
        KIND_PLAIN | KIND_SWIZZLED | KIND_SWIZZLED_SHORT => {
            reader.form(kind).ok_or_else(|| Error::operand("numbers of no layout"))
        }
        _ => text::parse_layout(&text_of(attr)),
    }
}

/// Decodes a coordinate attribute; returns the coordinate and its number of operands.
///
/// # Errors
/// The text is not a coordinate; the error has the byte offset.
pub fn coord_of(attr: Option<Attribute<'_>>) -> Result<(Nest<CoordLeaf>, usize), Error> {
    let (kind, mut reader) = reader(attr)?;
    match kind {
        KIND_COORD => {
            let nest = reader.nest(0).ok_or_else(|| Error::operand("numbers of no coordinate"))?;
            Ok((nest, reader.operands))
        }
        _ => text::coord(&text_of(attr)),
    }
}

/// The text in an attribute of the dialect, for messages; empty for other attributes.
pub fn text_of(attr: Option<Attribute<'_>>) -> String {
    attr.and_then(|a| a.as_numbers()).map_or_else(String::new, |(_, numbers)| print(numbers))
}

/// `#layout.layout` for a layout of numbers, followed by an offset and a swizzle.
pub fn layout_attr<'p>(cx: Cx<'p>, swizzle: Swizzle, base: u64, layout: &Layout) -> Attribute<'p> {
    let shape = layout.nest().map(&mut |mode| Written::Known(mode.extent));
    let stride = layout.nest().map(&mut |mode| Written::Known(mode.stride));
    let kind = if swizzle.bits() == 0 && base == 0 { KIND_PLAIN } else { KIND_SWIZZLED };
    cx.numbers_attr(false, &encode_layout(kind, &LayoutText { swizzle, base, shape, stride, operands: 0 }))
}

/// `#layout.coord` of a coordinate; its operands are counted from the left.
pub fn coord_attr<'p>(cx: Cx<'p>, coord: &Nest<CoordLeaf>) -> Attribute<'p> {
    cx.numbers_attr(true, &encode_coord(coord))
}

#[cfg(test)]
mod tests {
    use super::{KIND_TEXT, parse, print};

    const LAYOUTS: &[&str] = &[
        "4:1",
        "(4):(1)",
        "(4,(2,8)):(1,(4,32))",
        "(?,(?,1)):(?,(0,1))",
        "Sw<3,4,3> o 0 o (8,32):(32,1)",
        "S<2,0,-3> o 17 o (8,32):(32,1)",
        "Sw<0,4,3> o 0 o 1:0",
        "18446744073709551615:0",
        "(4,0):(1,4)",
        "(4,8):(1,(2,4))",
    ];

    #[test]
    fn layouts_are_encoded_as_numbers_and_round_trip() {
        for text in LAYOUTS {
            let numbers = parse("layout.layout", text);
            assert_ne!(numbers[0], KIND_TEXT, "{text}");
            assert_eq!(print(&numbers), *text);
        }
        for text in ["_", "?", "7", "((_,_),?)", "(3)", "(?,(0,_))"] {
            let numbers = parse("layout.coord", text);
            assert_ne!(numbers[0], KIND_TEXT, "{text}");
            assert_eq!(print(&numbers), text);
        }
    }

    #[test]
    fn other_text_is_encoded_unchanged() {
        for text in ["", "(4,8):(1,-4)", "4", "(", "()", "abcdefgh", "abcdefghi", "Sw<9,1,1> o 0 o 4:1", "(_):(1)"] {
            let numbers = parse("layout.layout", text);
            assert_eq!((numbers[0], print(&numbers).as_str()), (KIND_TEXT, text));
        }
    }

    #[test]
    fn different_text_has_different_numbers() {
        let numbers: std::collections::HashSet<_> = LAYOUTS.iter().map(|text| parse("layout.layout", text)).collect();
        assert_eq!(numbers.len(), LAYOUTS.len());
        assert_ne!(parse("layout.layout", "S<1,2,3> o 0 o 4:1"), parse("layout.layout", "Sw<1,2,3> o 0 o 4:1"));
    }

    #[test]
    fn invalid_encoding_prints_empty_text() {
        for text in LAYOUTS {
            let numbers = parse("layout.layout", text);
            for length in 0..numbers.len() {
                assert_eq!(print(&numbers[..length]), "");
            }
        }
        for numbers in [&[9][..], &[-1], &[1, 3, 3], &[1, i64::MAX], &[4, 3 + (1 << 40)], &[0, -1], &[0, i64::MAX, 1]] {
            print(numbers);
        }
        let deep: Vec<i64> = [4].into_iter().chain(std::iter::repeat_n(4, 100_000)).collect();
        assert_eq!(print(&deep), "");
    }
}
