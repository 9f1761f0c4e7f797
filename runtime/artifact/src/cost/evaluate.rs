//! Evaluates the integers of a profile for the units of one cube.
use super::{BlockKind, Function, Node, Profile};
use crate::derived::{Arguments, Derived};

/// The number of successive iterations of a loop in which a sector counts only once.
pub(super) const WINDOW: u64 = 8;

/// The assumed trip count of a loop whose trip count is unknown.
pub(super) const ASSUMED_TRIPS: u64 = 16;

/// Maximum number of planes of a cube that are evaluated.
const MOST_PLANES: u32 = 8;

/// The values of all nodes in the sampled units of one cube.
pub(super) struct Values<'a> {
    profile: &'a Profile,
    /// The expressions of [`Node::Launch`] for this launch.
    launch: Vec<u64>,
    /// The sampled units, plane after plane: the position in the cube. All planes have `lanes` entries.
    units: Vec<Option<[u64; 3]>>,
    lanes: usize,
    cube: [u64; 3],
    count: [u64; 3],
    /// The values, one row for each node.
    values: Vec<Option<u64>>,
}

impl<'a> Values<'a> {
    /// Evaluates the nodes for the cube in the middle of a launch. `count` is the number of executed cubes along x, y,
    /// z.
    ///
    /// # Errors
    /// An expression reads a name that the launch does not define.
    pub fn of(profile: &'a Profile, facts: &dyn Arguments, count: [u64; 3]) -> Result<Self, String> {
        let launch = profile.nodes.iter().map(|node| match node {
            Node::Launch(text) => Derived::parse(text)?.evaluate(facts),
            _ => Ok(0),
        });
        let launch = launch.collect::<Result<Vec<u64>, String>>()?;
        let dim = profile.cube_dim.map(|n| n.max(1));
        let (all, lanes) = (dim.iter().product::<u32>(), profile.plane_dim.max(1));
        let planes = all.div_ceil(lanes);
        let sampled = planes.min(MOST_PLANES);
        let unit = |number: u32| {
            let position = [number % dim[0], number / dim[0] % dim[1], number / dim[0] / dim[1]].map(u64::from);
            (number < all).then_some(position)
        };
        let plane = |n: u32| (u64::from(n) * u64::from(planes) / u64::from(sampled)) as u32;
        let units = (0..sampled).flat_map(|n| (0..lanes).map(move |lane| unit(plane(n) * lanes + lane))).collect();
        let cube = count.map(|n| n / 2);
        let mut all = Values { profile, launch, units, lanes: lanes as usize, cube, count, values: vec![] };
        all.evaluate(None);
        Ok(all)
    }

    /// The number of sampled planes.
    pub fn planes(&self) -> usize {
        self.units.len() / self.lanes
    }

    /// The sampled units of a plane.
    pub fn plane(&self, plane: usize) -> std::ops::Range<usize> {
        plane * self.lanes..(plane + 1) * self.lanes
    }

    /// Whether a sampled unit exists. The last plane of a cube can be partial.
    pub fn exists(&self, unit: usize) -> bool {
        self.units[unit].is_some()
    }

    /// The value of a node in a sampled unit.
    pub fn get(&self, node: u32, unit: usize) -> Option<u64> {
        self.values.get(node as usize * self.units.len() + unit).copied().flatten()
    }

    /// The trip count of a loop in a sampled unit.
    pub fn trips(&self, kind: BlockKind, unit: usize) -> Option<u64> {
        let BlockKind::Loop { from, to, step, bits, signed } = kind else { return None };
        let extended =
            |node| self.get(node, unit).map(|n| if signed { i128::from(sign(n, bits)) } else { i128::from(n) });
        let (from, to, step) = (extended(from)?, extended(to)?, i128::from(self.get(step, unit)?.max(1)));
        Some(
            u64::try_from((to - from).max(0).div_euclid(step) + i128::from((to - from).max(0) % step != 0))
                .unwrap_or(0),
        )
    }

    /// Evaluates all nodes. The counter of each loop has its middle value. `later` moves the counter of one loop by a
    /// number of iterations.
    pub fn evaluate(&mut self, later: Option<(u32, u64)>) {
        let width = self.units.len();
        self.values.clear();
        self.values.reserve(self.profile.nodes.len() * width);
        for (number, node) in self.profile.nodes.iter().enumerate() {
            for unit in 0..width {
                let value = self.units[unit].and_then(|at| self.value(number, node, unit, at, later));
                self.values.push(value);
            }
        }
    }

    fn value(&self, number: usize, node: &Node, unit: usize, at: [u64; 3], later: Option<(u32, u64)>) -> Option<u64> {
        let of = |node: u32| self.get(node, unit);
        match *node {
            Node::Unknown => None,
            Node::Number(n) => Some(n),
            Node::Launch(_) => self.launch.get(number).copied(),
            Node::Unit(axis) => at.get(usize::from(axis)).copied(),
            Node::Cube(axis) => self.cube.get(usize::from(axis)).copied(),
            Node::Count(axis) => self.count.get(usize::from(axis)).copied(),
            Node::Counter(block) => {
                let kind = self.profile.blocks.get(block as usize)?.kind;
                let BlockKind::Loop { from, step, bits, .. } = kind else { return None };
                let trips = self.trips(kind, unit).unwrap_or(ASSUMED_TRIPS);
                // The evaluated iterations must not exceed the last iteration of the loop.
                let window = later.map_or(0, |_| WINDOW);
                let middle = (trips / 2).min(trips.saturating_sub(window));
                let moved = later.filter(|(own, _)| *own == block).map_or(0, |(_, by)| by.min(trips.saturating_sub(1)));
                Some(low(of(from)?.wrapping_add(of(step)?.wrapping_mul(middle + moved)), bits))
            }
            Node::Lane(value, lane) => {
                let first = unit - unit % self.lanes;
                let lane = usize::try_from(of(lane)?).ok().filter(|lane| *lane < self.lanes)?;
                self.get(value, first + lane)
            }
            Node::Binary { function, bits, x, y } => function.apply(of(x), of(y), bits),
            Node::Low { x, bits } => of(x).map(|n| low(n, bits)),
            Node::Signed { x, bits } => of(x).map(|n| sign(n, bits) as u64),
            Node::Select(condition, yes, no) => of(if of(condition)? != 0 { yes } else { no }),
        }
    }
}

fn low(n: u64, bits: u8) -> u64 {
    n & (u64::MAX >> (64 - u32::from(bits.clamp(1, 64))))
}

fn sign(n: u64, bits: u8) -> i64 {
    let shift = 64 - u32::from(bits.clamp(1, 64));
    (n << shift) as i64 >> shift
}

impl Function {
    /// Computes a function of two numbers of `bits` bits. The result is `None` for an unknown operand, for a division
    /// by 0, and for a shift by the width or more. A product or a bitwise AND whose first operand is 0 is 0, even if
    /// the second operand is unknown.
    pub(super) fn apply(self, x: Option<u64>, y: Option<u64>, bits: u8) -> Option<u64> {
        if matches!(self, Function::And | Function::Mul) && (x == Some(0) || y == Some(0)) {
            return Some(0);
        }
        if self == Function::Or && bits == 1 && (x == Some(1) || y == Some(1)) {
            return Some(1);
        }
        let (x, y) = (low(x?, bits), low(y?, bits));
        let (a, b) = (sign(x, bits), sign(y, bits));
        let amount = u32::try_from(y).ok().filter(|n| *n < u32::from(bits));
        let result = match self {
            Function::Add => x.wrapping_add(y),
            Function::Sub => x.wrapping_sub(y),
            Function::Mul => x.wrapping_mul(y),
            Function::DivU => x.checked_div(y)?,
            Function::RemU => x.checked_rem(y)?,
            Function::MinU => x.min(y),
            Function::MaxU => x.max(y),
            Function::MinS => a.min(b) as u64,
            Function::MaxS => a.max(b) as u64,
            Function::And => x & y,
            Function::Or => x | y,
            Function::Xor => x ^ y,
            Function::Shl => x << amount?,
            Function::ShrU => x >> amount?,
            Function::ShrS => (a >> amount?) as u64,
            Function::DivS => a.checked_div(b)? as u64,
            Function::RemS => a.checked_rem(b)? as u64,
            Function::Eq => return Some(u64::from(x == y)),
            Function::Ne => return Some(u64::from(x != y)),
            Function::LtU => return Some(u64::from(x < y)),
            Function::LeU => return Some(u64::from(x <= y)),
            Function::LtS => return Some(u64::from(a < b)),
            Function::LeS => return Some(u64::from(a <= b)),
        };
        Some(low(result, bits))
    }
}
