//! The addresses that each unit of a cube accesses, and whether two accesses by different units can overlap.
//!
//! ```text
//! s[unit_pos]          and  s[unit_pos]            do not overlap
//! s[unit_pos]          and  s[unit_pos + units]    do not overlap
//! s[2 unit_pos + n]    and  s[2 unit_pos + n + 1]  do not overlap, if n is uniform
//! s[unit_pos]          and  s[unit_pos + 1]        overlap
//! ```
//!
//! The affine form of an index is split into two summands. The unit summand depends only on the cube dim and on the
//! position of the unit, and is evaluated for every unit. The common summand contains all other products. Two indices
//! are comparable if their common summands are equal. The common summand must be equal in all units and in all
//! iterations. Therefore each of its values is uniform and defined outside of all loops. The evaluation is modulo 2^n,
//! so indices that wrap are compared correctly. An index without a known form overlaps with every address. The cost of
//! a comparison is linear in the number of units.
use super::{affine::Affine, effects::may_share, uniformity::Uniform, uniformity::Uniformity};
use cube_dialect::topology::{Group, PartialInputs};
use cube_dialect::{Access, BufferType, TopologyKind, ops};
use cube_ir::ops::scf;
use cube_ir::{AttrExt, Op, TypeExt, Val};
use std::collections::HashMap;
use std::rc::Rc;

/// Maximum number of units of a cube for which the analysis evaluates an index. No device has larger cubes.
const MAX_UNITS: u32 = 1 << 12;

/// Maximum number of lines of one access.
const MAX_LINES: u64 = 16;

/// A factor of a common summand: a topology value, or the address of any other value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Factor {
    /// The kind of a topology value. The kind of an absolute position denotes only its first summand: the cube position
    /// times the cube dim.
    Topology(u32),
    Value(usize),
}

/// An index: a number for each unit plus a common summand, which is equal in all units.
#[derive(Debug, PartialEq, Eq)]
struct Index {
    bits: u32,
    /// The unit summand, for each unit of the cube.
    of_unit: Vec<u64>,
    /// The products of the common summand with their constant factors, sorted.
    common: Vec<(Vec<Factor>, u64)>,
}

/// Compares accesses of one kernel at level flat.
pub struct UnitAddresses<'a, 'p> {
    uniformity: &'a Uniformity<'p>,
    /// The cube dim, if it is known and the cube has at most `MAX_UNITS` units.
    dim: Option<[u32; 3]>,
    indices: HashMap<Val<'p>, Option<Rc<Index>>>,
    /// Results of comparisons, for two indices and their numbers of lines.
    compared: HashMap<(Val<'p>, u64, Val<'p>, u64), bool>,
}

impl<'a, 'p> UnitAddresses<'a, 'p> {
    /// An analysis of the kernel that `uniformity` describes.
    pub fn of(kernel: Op<'p>, uniformity: &'a Uniformity<'p>) -> Self {
        let dim = ops::Kernel::of(kernel).and_then(|kernel| kernel.cube_dim()).and_then(|dim| dim.as_i32_array());
        let dim = dim.and_then(|dim| <[i32; 3]>::try_from(dim).ok()).map(|dim| dim.map(|n| n.max(1) as u32));
        let units = |dim: &[u32; 3]| dim.iter().fold(1u32, |all, units| all.saturating_mul(*units));
        let dim = dim.filter(|dim| units(dim) <= MAX_UNITS);
        UnitAddresses { uniformity, dim, indices: HashMap::new(), compared: HashMap::new() }
    }

    /// Whether one unit can access memory with `x` that a different unit accesses with `y`. The units can be in
    /// different iterations of the loops around the accesses.
    pub fn overlap(&mut self, x: Access<'p>, y: Access<'p>) -> bool {
        if self.dim == Some([1, 1, 1]) || !may_share(x.buffer, y.buffer) {
            return false;
        }
        let (Some(of_x), Some(of_y)) = (lines(x), lines(y)) else { return true };
        if x.buffer != y.buffer {
            return true;
        }
        let key = (x.index, of_x, y.index, of_y);
        if let Some(known) = self.compared.get(&key) {
            return *known;
        }
        let overlap = match (self.index(x.index), self.index(y.index)) {
            (Some(a), Some(b)) => a.bits != b.bits || a.common != b.common || coincide(&a, of_x, &b, of_y),
            _ => true,
        };
        self.compared.insert(key, overlap);
        overlap
    }

    fn index(&mut self, value: Val<'p>) -> Option<Rc<Index>> {
        if let Some(known) = self.indices.get(&value) {
            return known.clone();
        }
        let found = self.split(value).map(Rc::new);
        self.indices.insert(value, found.clone());
        found
    }

    fn split(&self, value: Val<'p>) -> Option<Index> {
        let dim = self.dim?;
        let bits = value.ty().bits()?;
        let form = Affine::of(value).filter(|form| form.nonzero().is_empty())?;
        let units = dim.iter().product::<u32>();
        let mut of_unit = vec![0u64; units as usize];
        let mut common = Vec::new();
        for product in form.products() {
            let values = product.values()?;
            if let [single] = values[..]
                && let Some(kind) = topology(single)
                && varies(kind)
            {
                for (unit, sum) in of_unit.iter_mut().enumerate() {
                    let number = in_cube(kind, unit as u32, dim)?;
                    *sum = sum.wrapping_add(product.factor.wrapping_mul(number.into()));
                }
                // An absolute position is the sum of the cube's part, which is equal in all units, and the position in
                // the cube.
                if kind.topology().group == Group::AbsolutePos {
                    common.push((vec![Factor::Topology(kind as u32)], product.factor));
                }
                continue;
            }
            let mut factors = values.iter().map(|value| self.fixed(*value)).collect::<Option<Vec<_>>>()?;
            factors.sort_unstable();
            match factors.is_empty() {
                true => of_unit.iter_mut().for_each(|sum| *sum = sum.wrapping_add(product.factor)),
                false => common.push((factors, product.factor)),
            }
        }
        let mask = u64::MAX >> (64 - bits);
        of_unit.iter_mut().for_each(|sum| *sum &= mask);
        common.sort_unstable();
        Some(Index { bits, of_unit, common })
    }

    // The factor for a value that is equal in all units and that each unit computes once.
    fn fixed(&self, value: Val<'p>) -> Option<Factor> {
        if let Some(kind) = topology(value) {
            let same = !varies(kind) && self.uniformity.level_of(value) == Uniform::Cube;
            return same.then_some(Factor::Topology(kind as u32));
        }
        let holder = match value.block_arg() {
            Some((block, _)) => block.parent(),
            None => value.def().and_then(|op| op.parent()),
        };
        let runs_once = |op: Op<'p>| matches!(op.kind(), ops::Kernel::KIND | scf::IF | scf::INDEX_SWITCH);
        let mut around = holder.into_iter().chain(holder.into_iter().flat_map(|op| op.ancestors()));
        let once = holder.is_some() && around.by_ref().take_while(|op| !op.is(ops::Kernel::KIND)).all(runs_once);
        let same = once && self.uniformity.level_of(value) == Uniform::Cube;
        same.then(|| Factor::Value(value.to_raw().ptr as usize))
    }
}

fn topology(value: Val<'_>) -> Option<TopologyKind> {
    value.def().and_then(ops::Topology::of).map(|topology| topology.kind())
}

// Whether a topology value depends on the position of the unit in its cube.
fn varies(kind: TopologyKind) -> bool {
    kind.inputs().unit
}

// A topology value of a unit in the first cube. `None` if the value depends on the size of a plane, or if the values of
// other cubes do not have the same differences between units.
fn in_cube(kind: TopologyKind, unit: u32, dim: [u32; 3]) -> Option<u32> {
    let inputs = PartialInputs::unit_of(unit, dim);
    match kind.topology() {
        part if part.group != Group::AbsolutePos => inputs.value(kind),
        part if part.axis.is_some() => PartialInputs { cube: Some([0; 3]), ..inputs }.value(kind),
        // A linear position advances along the other axes by steps that depend on the cube count.
        _ => (dim[1] == 1 && dim[2] == 1).then_some(unit),
    }
}

// The number of lines of an access.
fn lines(access: Access<'_>) -> Option<u64> {
    let line = u64::from(BufferType::of(access.buffer.ty())?.line);
    let elements = access.ty()?.line_size()?;
    (elements.is_multiple_of(line)).then_some(elements / line).filter(|lines| (1..=MAX_LINES).contains(lines))
}

// Whether the addresses of two different units are equal.
fn coincide(x: &Index, of_x: u64, y: &Index, of_y: u64) -> bool {
    let mask = u64::MAX >> (64 - x.bits);
    let each = |index: &Index, lines: u64| -> Vec<(u64, usize)> {
        let units = index.of_unit.iter().enumerate();
        units.flat_map(|(unit, first)| (0..lines).map(move |line| (first.wrapping_add(line) & mask, unit))).collect()
    };
    // For each address the first unit that accesses it, and whether another unit accesses it too.
    let mut owners: HashMap<u64, (usize, bool)> = HashMap::new();
    for (address, unit) in each(x, of_x) {
        let owner = owners.entry(address).or_insert((unit, false));
        owner.1 |= owner.0 != unit;
    }
    each(y, of_y)
        .into_iter()
        .any(|(address, unit)| owners.get(&address).is_some_and(|(owner, several)| *several || *owner != unit))
}
