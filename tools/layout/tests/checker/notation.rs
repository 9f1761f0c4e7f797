//! Parses and evaluates layouts for the checker, without code of the crate `layout-algebra`.

/// A nested tuple of numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    One(u128),
    Many(Vec<Tree>),
}

impl Tree {
    pub fn parse(text: &str) -> Option<Tree> {
        let mut rest = text.as_bytes();
        let tree = Tree::read(&mut rest)?;
        rest.is_empty().then_some(tree)
    }

    fn read(rest: &mut &[u8]) -> Option<Tree> {
        if rest.first() == Some(&b'(') {
            let mut items = Vec::new();
            while matches!(rest.first(), Some(b'(' | b',')) {
                *rest = &rest[1..];
                items.push(Tree::read(rest)?);
            }
            *rest = rest.strip_prefix(b")")?;
            return Some(Tree::Many(items));
        }
        let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let number = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
        *rest = &rest[digits..];
        Some(Tree::One(number))
    }

    pub fn flat(&self) -> Vec<u128> {
        match self {
            Tree::One(n) => vec![*n],
            Tree::Many(items) => items.iter().flat_map(Tree::flat).collect(),
        }
    }

    pub fn product(&self) -> u128 {
        self.flat().iter().product()
    }

    pub fn children(&self) -> Vec<Tree> {
        match self {
            Tree::One(_) => vec![self.clone()],
            Tree::Many(items) => items.clone(),
        }
    }

    pub fn depth(&self) -> u64 {
        match self {
            Tree::One(_) => 0,
            Tree::Many(items) => 1 + items.iter().map(Tree::depth).max().unwrap_or(0),
        }
    }
}

/// A layout: a shape tree and a stride tree with the same nesting.
#[derive(Clone, Debug)]
pub struct Table {
    pub shape: Tree,
    pub stride: Tree,
    /// The extent and the stride of each leaf of the shape tree.
    leaves: Vec<(u128, u128)>,
}

impl Table {
    /// `shape:stride`, or a bare number `n` for `n:1`.
    pub fn parse(text: &str) -> Option<Table> {
        let (shape, stride) = match text.split_once(':') {
            Some((shape, stride)) => (Tree::parse(shape)?, Tree::parse(stride)?),
            None => (Tree::One(text.parse().ok()?), Tree::One(1)),
        };
        alike(&shape, &stride).then(|| Table::new(shape, stride))
    }

    fn new(shape: Tree, stride: Tree) -> Table {
        let leaves = shape.flat().into_iter().zip(stride.flat()).collect();
        Table { shape, stride, leaves }
    }

    pub fn size(&self) -> u128 {
        self.leaves.iter().map(|(extent, _)| extent).product()
    }

    pub fn cosize(&self) -> u128 {
        1 + self.shape.flat().iter().zip(self.stride.flat()).map(|(n, d)| (n - 1) * d).sum::<u128>()
    }

    /// The offset of an index; `None` if the index is not less than the size of the layout.
    pub fn at(&self, index: u128) -> Option<u128> {
        let (mut rest, mut offset) = (index, 0);
        for (extent, stride) in &self.leaves {
            offset += rest % extent * stride;
            rest /= extent;
        }
        (rest == 0).then_some(offset)
    }

    pub fn mode(&self, k: usize) -> Option<Table> {
        let (shape, stride) = (self.shape.children(), self.stride.children());
        Some(Table::new(shape.get(k)?.clone(), stride.get(k)?.clone()))
    }

    pub fn modes(&self) -> Vec<Table> {
        (0..self.shape.children().len()).filter_map(|k| self.mode(k)).collect()
    }

    pub fn mode_sizes(&self) -> Vec<u128> {
        self.modes().iter().map(Table::size).collect()
    }

    /// The text of the layout, with stride 0 for each leaf whose extent is one. The checker compares texts of
    /// layouts in this normal form.
    pub fn normal(&self) -> String {
        format!("{}:{}", show(&self.shape), show(&zeroed(&self.shape, &self.stride)))
    }

    /// The list of all offsets; `None` if the layout has more than `most` offsets.
    pub fn list(&self, most: u128) -> Option<Vec<u128>> {
        (self.size() <= most).then(|| (0..self.size()).filter_map(|i| self.at(i)).collect())
    }

    /// The complement as in CuTe, which rounds down if a stride does not divide the next stride; `None` if
    /// the layout has no complement.
    pub fn complement(&self, cotarget: u128) -> Option<Table> {
        let mut modes: Vec<(u128, u128)> = self.stride.flat().into_iter().zip(self.shape.flat()).collect();
        modes.retain(|&(stride, extent)| stride > 0 && extent > 1);
        modes.sort();
        let (mut filled, mut shape, mut stride) = (1, Vec::new(), Vec::new());
        for (d, n) in modes {
            if d < filled {
                return None;
            }
            shape.push(Tree::One(d / filled));
            stride.push(Tree::One(filled));
            filled = d * n;
        }
        shape.push(Tree::One(cotarget.div_ceil(filled)));
        stride.push(Tree::One(filled));
        Some(Table::new(Tree::Many(shape), Tree::Many(stride)))
    }

    /// Whether each stride, in ascending order, is a multiple of the extent that the modes with smaller
    /// strides cover.
    pub fn divides(&self) -> bool {
        let mut modes: Vec<(u128, u128)> = self.stride.flat().into_iter().zip(self.shape.flat()).collect();
        modes.retain(|&(stride, extent)| stride > 0 && extent > 1);
        modes.sort();
        let mut filled = 1;
        modes.into_iter().all(|(d, n)| {
            let whole = d % filled == 0;
            filled = d * n;
            whole
        })
    }
}

fn alike(a: &Tree, b: &Tree) -> bool {
    match (a, b) {
        (Tree::One(_), Tree::One(_)) => true,
        (Tree::Many(a), Tree::Many(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        _ => false,
    }
}

fn zeroed(shape: &Tree, stride: &Tree) -> Tree {
    match (shape, stride) {
        (Tree::One(1), _) => Tree::One(0),
        (Tree::Many(a), Tree::Many(b)) => Tree::Many(a.iter().zip(b).map(|(a, b)| zeroed(a, b)).collect()),
        _ => stride.clone(),
    }
}

pub fn show(tree: &Tree) -> String {
    match tree {
        Tree::One(n) => n.to_string(),
        Tree::Many(items) => format!("({})", items.iter().map(show).collect::<Vec<_>>().join(",")),
    }
}

/// Whether every coordinate of `coarse` is a coordinate of `fine`. Compatible shapes require that each leaf
/// of `coarse` corresponds to a mode of `fine` with the same size.
pub fn compatible(coarse: &Tree, fine: &Tree) -> bool {
    match (coarse, fine) {
        (Tree::One(n), fine) => *n == fine.product(),
        (Tree::Many(a), Tree::Many(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| compatible(a, b)),
        (Tree::Many(_), Tree::One(_)) => false,
    }
}

/// A swizzle, computed by its definition on the bits of an offset.
#[derive(Clone, Copy, Debug)]
pub struct Xor {
    bits: u32,
    base: u32,
    shift: i32,
}

impl Xor {
    pub fn parse(text: &str) -> Option<Xor> {
        let inside = text.strip_prefix("S<")?.strip_suffix('>')?;
        let numbers: Vec<i32> = inside.split(',').map(|n| n.parse().ok()).collect::<Option<_>>()?;
        match numbers[..] {
            [bits, base, shift] => Some(Xor { bits: bits as u32, base: base as u32, shift }),
            _ => None,
        }
    }

    pub fn at(&self, offset: u128) -> u128 {
        let low = self.base;
        let high = self.base + self.shift.unsigned_abs();
        let (from, to) = if self.shift >= 0 { (high, low) } else { (low, high) };
        (0..self.bits).fold(offset, |value, bit| value ^ (offset >> (from + bit) & 1) << (to + bit))
    }
}
