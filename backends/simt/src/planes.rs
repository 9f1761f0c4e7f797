//! Lowers barriers and plane operations for GPUs whose lanes exchange words, in terms of [`Lanes`].
//!
//! ```mlir
//! %r = cube.plane_reduce addf %v : f32     %0 = shuffle %v, lane ^ 16;  %1 = addf %v, %0;  ... ^ 8, 4, 2, 1
//! cube.sync cube                           the barrier of the family
//! ```
//!
//! A reduction first combines the lanes whose numbers differ in the highest bit. This order is fixed, so the result of
//! a reduction is equal in all lanes and in all launches. A scan over `n` lanes has `log2(n)` steps. If the number of
//! units of a cube is not a multiple of the plane width, the last plane has absent lanes. Absent lanes contribute the
//! neutral element, and a shuffle from an absent lane returns the reading lane's own value. Values are exchanged as
//! words of 32 bits. Cost: a reduction over `n` lanes takes `log2(n)` shuffles per word.
//!
//! Under divergent control flow, inactive lanes cannot forward values. Each lane therefore fetches the values of all
//! lanes, with one fetch per lane and word, and replaces the values of inactive lanes by the neutral element. All
//! lanes combine the values in the same order.
use crate::active_mask::ActiveMasks;
use crate::lanes::Lanes;
use cube_dialect::{Combine, Scan, Scope, Shuffle, Vote, ops, properties::is_collective};
use cube_ir::ops::{arith, math, vector};
use cube_ir::{Builder, Failed, Level, Op, PassResult, Run, Type, TypeExt, Val, upstream::IntCmp};
use cube_passes::analysis::uniformity::{CubeGeometry, Uniformity};
use cube_passes::combine::{combine, neutral, scan_start};
use cube_passes::{levels, plane_width, specialize::attach_target};
use cube_target::Target;

pub use cube_passes::plane_width::lanes_of;

/// Lowers the barriers and plane operations of a kernel; `family` creates the lanes for a plane width.
///
/// # Errors
/// The kernel is not at level legal, the module has no description of the chip, the chip lacks the plane width, or an
/// operation is unsupported.
pub fn lower_plane_ops<'p, L: Lanes>(run: &mut Run<'p>, family: impl FnOnce(u32, &Target) -> Option<L>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    levels::require(kernel.op(), Level::Legal)?;
    let target = attach_target::required(run)?;
    let count = lanes_of(kernel.op(), &target)?;
    let Some(lanes) = family(count, &target) else {
        return Err(plane_width::refuse(kernel.op(), &target, count.into()));
    };
    let dim = kernel.facts().cube_dim;
    let ops: Vec<Op<'p>> = kernel.op().walk().into_iter().filter(|op| is_collective(*op)).collect();
    let geometry = CubeGeometry { dim, plane: count };
    let mut masks = ActiveMasks::new(&lanes, kernel.op(), Uniformity::with_geometry(kernel.op(), geometry));
    for op in ops {
        let active = masks.of(op)?;
        let plane = Plane { lanes: &lanes, b: run.before(op), dim, active };
        let Some(values) = plane.lowered(op) else {
            op.error(cube_ir::diagnostic!(CUBE0331.no_lowering { targets: "GPUs" }));
            return Err(Failed);
        };
        run.replace(op, &values);
        run.count("operations lowered", 1);
    }
    Ok(())
}

/// The plane of a unit, at an insertion point.
struct Plane<'l, 'p, L> {
    lanes: &'l L,
    b: Builder<'p>,
    dim: [u32; 3],
    /// The active lanes; `None` if all existing lanes are active.
    active: Option<Val<'p>>,
}

impl<'p, L: Lanes> Plane<'_, 'p, L> {
    // The results of an operation; `None` for an unknown operation or an unknown form of an operation.
    fn lowered(&self, op: Op<'p>) -> Option<Vec<Val<'p>>> {
        let b = self.b;
        if let Some(sync) = ops::Sync::of(op) {
            match sync.scope()? {
                // A barrier of the cube orders global memory too.
                Scope::Cube | Scope::Storage => self.lanes.cube_barrier(b),
                Scope::Plane => self.lanes.plane_barrier(b, self.active),
            }
            return Some(vec![]);
        }
        let value = if let Some(reduce) = ops::PlaneReduce::of(op) {
            let (kind, value) = (reduce.kind()?, reduce.value());
            match self.active {
                Some(active) => self.divergent_reduce(active, kind, value),
                None => self.reduce(kind, value),
            }
        } else if let Some(scan) = ops::PlaneScan::of(op) {
            self.scanned(scan.kind()?, scan.value(), scan.scan()?)
        } else if let Some(broadcast) = ops::PlaneBroadcast::of(op) {
            let (value, from) = (broadcast.value(), broadcast.lane());
            let other = self.moved(value, &|b, word| self.lanes.fetch(b, self.active, word, from));
            self.other_or_own(value, other, from)
        } else if let Some(shuffle) = ops::PlaneShuffle::of(op) {
            self.shuffled(shuffle.shuffle()?, shuffle.value(), shuffle.operand())
        } else if let Some(vote) = ops::PlaneVote::of(op) {
            match vote.vote()? {
                Vote::Any => b.cmpi(IntCmp::Ne, self.ballot(vote.value()), self.bits(0)),
                Vote::All => {
                    let against = b.xori(vote.value(), b.int(b.cx().int(1), 1));
                    b.cmpi(IntCmp::Eq, self.ballot(against), self.bits(0))
                }
            }
        } else if let Some(ballot) = ops::PlaneBallot::of(op) {
            self.words(self.ballot(ballot.value()), op.result(0).ty())
        } else if ops::PlaneElect::of(op).is_some() {
            self.is_first()
        } else {
            return None;
        };
        Some(vec![value])
    }

    fn count(&self) -> i64 {
        i64::from(self.lanes.count())
    }

    /// The distances between the lanes that a scan combines, in ascending order: 1, 2, 4 and so on.
    fn distances(&self) -> impl DoubleEndedIterator<Item = u32> + use<L> {
        let steps = self.lanes.count().trailing_zeros();
        (0..steps).map(|step| 1 << step)
    }

    fn i32(&self) -> Type<'p> {
        self.b.cx().int(32)
    }

    fn word(&self, value: i64) -> Val<'p> {
        self.b.int(self.i32(), value)
    }

    fn bits(&self, value: i64) -> Val<'p> {
        self.b.int(self.lanes.mask(self.b), value)
    }

    fn lane(&self) -> Val<'p> {
        self.lanes.lane(self.b)
    }

    fn ballot(&self, value: Val<'p>) -> Val<'p> {
        self.lanes.ballot(self.b, self.active, value)
    }

    /// A mask as the words of a ballot, the lowest lanes first.
    fn words(&self, mask: Val<'p>, ty: Type<'p>) -> Val<'p> {
        let b = self.b;
        let part = |first: u32| if first == 0 { mask } else { b.shrui(mask, b.int(mask.ty(), first.into())) };
        let bits = self.lanes.mask_bits();
        let parts: Vec<Val<'p>> = (0..bits / 32).map(|word| part(32 * word)).collect();
        let zero = self.word(0);
        let word = |part: &Val<'p>| if bits == 32 { *part } else { b.cast(arith::TRUNCI, *part, self.i32()) };
        let words = [0, 1, 2, 3].map(|at| parts.get(at).map_or(zero, word));
        b.op(vector::FROM_ELEMENTS).operands(&words).result(ty).value()
    }

    /// The number of lanes of the current plane, if the planes of a cube can have different numbers of lanes.
    fn present(&self) -> Option<Val<'p>> {
        let [x, y, z] = self.dim;
        let units = x * y * z;
        if units.is_multiple_of(self.lanes.count()) {
            return None;
        }
        let b = self.b;
        let [unit_x, unit_y, unit_z] = self.lanes.unit(b);
        let row = b.addi(unit_y, b.muli(unit_z, self.word(y.into())));
        let unit = b.addi(unit_x, b.muli(row, self.word(x.into())));
        // The first unit of the plane is the unit's own position minus its lane. The plane has as many lanes as units
        // remain.
        let first = b.subi(unit, self.lane());
        let left = b.subi(self.word(units.into()), first);
        Some(b.op(arith::MINUI).operands(&[left, self.word(self.count())]).result(self.i32()).value())
    }

    /// Whether the unit is the first active lane.
    fn is_first(&self) -> Val<'p> {
        let first = match self.active {
            None => self.word(0),
            Some(all) => {
                let first = self.b.cast(math::CTTZ, all, all.ty());
                if all.ty() == self.i32() { first } else { self.b.cast(arith::TRUNCI, first, self.i32()) }
            }
        };
        self.b.cmpi(IntCmp::Eq, self.lane(), first)
    }

    /// Exchanges a value of any type; `word` exchanges one word.
    fn moved(&self, value: Val<'p>, word: &dyn Fn(Builder<'p>, Val<'p>) -> Val<'p>) -> Val<'p> {
        let (b, ty) = (self.b, value.ty());
        if ty.lanes().is_some() {
            return b.each_lane(ty, &[value], |lane| self.moved(lane[0], word));
        }
        let bits = ty.bits().unwrap_or(32);
        if ty.is_fp() {
            let whole = b.cast(arith::BITCAST, value, b.cx().int(bits));
            return b.cast(arith::BITCAST, self.moved(whole, word), ty);
        }
        match bits {
            32 => word(b, value),
            64 => {
                let half = b.int(ty, 32);
                let low = word(b, b.cast(arith::TRUNCI, value, self.i32()));
                let high = b.cast(arith::TRUNCI, b.shrui(value, half), self.i32());
                let high = b.cast(arith::EXTUI, word(b, high), ty);
                b.ori(b.cast(arith::EXTUI, low, ty), b.shli(high, half))
            }
            _ => {
                let moved = word(b, b.cast(arith::EXTUI, value, self.i32()));
                b.cast(arith::TRUNCI, moved, ty)
            }
        }
    }

    fn shuffle(&self, value: Val<'p>, from: Val<'p>) -> Val<'p> {
        self.moved(value, &|b, word| self.lanes.shuffle(b, self.active, word, from))
    }

    fn shuffled(&self, kind: Shuffle, value: Val<'p>, by: Val<'p>) -> Val<'p> {
        let (b, lane) = (self.b, self.lane());
        let from = match kind {
            Shuffle::Idx => by,
            Shuffle::XOr => b.xori(lane, by),
            // For lanes below lane 0, the number wraps around and exceeds every lane number.
            Shuffle::Up => b.subi(lane, by),
            Shuffle::Down => b.addi(lane, by),
        };
        let other = self.other_or_own(value, self.shuffle(value, from), from);
        match kind {
            // A distance beyond all lanes can wrap around to the number of an existing lane.
            Shuffle::Up | Shuffle::Down => b.select(b.cmpi(IntCmp::Ult, by, self.word(self.count())), other, value),
            Shuffle::Idx | Shuffle::XOr => other,
        }
    }

    /// `other`, the value of lane `from`, or the lane's own value if lane `from` is absent.
    fn other_or_own(&self, value: Val<'p>, other: Val<'p>, from: Val<'p>) -> Val<'p> {
        let b = self.b;
        let count = self.count();
        let is_active = match self.active {
            Some(active) => {
                let at = b.andi(from, self.word(count - 1));
                let at = if active.ty() == self.i32() { at } else { b.cast(arith::EXTUI, at, active.ty()) };
                let is_set = b.cast(arith::TRUNCI, b.shrui(active, at), b.cx().int(1));
                b.andi(is_set, b.cmpi(IntCmp::Ult, from, self.word(count)))
            }
            None => b.cmpi(IntCmp::Ult, from, self.present().unwrap_or_else(|| self.word(count))),
        };
        b.select(is_active, other, value)
    }

    /// The values of all lanes, with the neutral element for inactive lanes.
    fn fetched(&self, active: Val<'p>, kind: Combine, value: Val<'p>) -> Vec<Val<'p>> {
        let b = self.b;
        let none = neutral(b, kind, value.ty());
        let masked_value = |lane: i64| {
            // A constant is a signed number of the mask's width.
            let unused = 64 - self.lanes.mask_bits();
            let bit = 1i64.wrapping_shl(lane as u32) << unused >> unused;
            let bit = b.andi(active, self.bits(bit));
            let is_active = b.cmpi(IntCmp::Ne, bit, self.bits(0));
            let from = self.word(lane);
            b.select(is_active, self.moved(value, &|b, word| self.lanes.fetch(b, self.active, word, from)), none)
        };
        (0..self.count()).map(masked_value).collect()
    }

    /// Combines the upper half of the lanes with the lower half, until one lane remains.
    fn divergent_reduce(&self, active: Val<'p>, kind: Combine, value: Val<'p>) -> Val<'p> {
        let mut all = self.fetched(active, kind, value);
        while all.len() > 1 {
            let upper = all.split_off(all.len() / 2);
            all = all.iter().zip(upper).map(|(low, high)| combine(self.b, kind, *low, high)).collect();
        }
        all[0]
    }

    fn scanned(&self, kind: Combine, value: Val<'p>, which: Scan) -> Val<'p> {
        let b = self.b;
        if let Some(active) = self.active {
            return self.divergent_scan(active, kind, value, which);
        }
        let inclusive = self.scan(kind, value);
        match which {
            Scan::Inclusive => inclusive,
            Scan::Exclusive => {
                let before = self.shuffle(inclusive, b.subi(self.lane(), self.word(1)));
                b.select(self.is_first(), scan_start(b, kind, before.ty()), before)
            }
        }
    }

    fn divergent_scan(&self, active: Val<'p>, kind: Combine, value: Val<'p>, which: Scan) -> Val<'p> {
        let b = self.b;
        let mut all = self.fetched(active, kind, value);
        for distance in self.distances().map(|distance| distance as usize) {
            for lane in (distance..all.len()).rev() {
                all[lane] = combine(b, kind, all[lane - distance], all[lane]);
            }
        }
        let own = |lane: usize, other: Val<'p>, value: Val<'p>| {
            b.select(b.cmpi(IntCmp::Eq, self.lane(), self.word(lane as i64)), value, other)
        };
        match which {
            Scan::Inclusive => (1..all.len()).fold(all[0], |other, lane| own(lane, other, all[lane])),
            Scan::Exclusive => {
                let before = (1..all.len()).fold(all[0], |other, lane| own(lane, other, all[lane - 1]));
                b.select(self.is_first(), scan_start(b, kind, before.ty()), before)
            }
        }
    }

    fn reduce(&self, kind: Combine, value: Val<'p>) -> Val<'p> {
        let (b, present) = (self.b, self.present());
        let mut all = value;
        for bit in self.distances().rev() {
            let from = b.xori(self.lane(), self.word(bit.into()));
            let mut other = self.moved(all, &|b, word| self.lanes.butterfly(b, self.active, word, from, bit));
            if let Some(lanes) = present {
                other = b.select(b.cmpi(IntCmp::Ult, from, lanes), other, neutral(b, kind, other.ty()));
            }
            all = combine(b, kind, all, other);
        }
        if present.is_none() {
            return all;
        }
        // With absent lanes, only the first lane has combined all lanes.
        let first = self.word(0);
        self.moved(all, &|b, word| self.lanes.fetch(b, self.active, word, first))
    }

    /// The combined values of the lanes up to the current lane, inclusive.
    fn scan(&self, kind: Combine, value: Val<'p>) -> Val<'p> {
        let b = self.b;
        let mut all = value;
        for step in self.distances() {
            let distance = self.word(step.into());
            let before = self.shuffle(all, b.subi(self.lane(), distance));
            let more = combine(b, kind, before, all);
            all = b.select(b.cmpi(IntCmp::Uge, self.lane(), distance), more, all);
        }
        all
    }
}
