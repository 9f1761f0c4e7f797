//! NVIDIA GPUs: barriers and plane operations become barriers, shuffles and ballots of lanes.
//!
//! ```mlir
//! %r = cube.plane_reduce addf %v : f32     %0 = shfl.sync %v, lane ^ 16;  %1 = addf %v, %0;  ... ^ 8, 4, 2, 1
//! cube.sync cube                           nvvm.barrier0
//! ```
//!
//! A reduction combines the lanes that differ in the highest bit first, so its result is the same in all lanes and in all
//! launches. A scan takes log2 of the lanes in steps. If the units of a cube are not a multiple of the lanes, its last
//! plane has absent lanes. They contribute the neutral element, and a shuffle from one of them returns the own value.
//! Values travel in words of 32 bits. Cost: five shuffles per word and reduction.
//!
//! Under divergent control flow (`active_mask.rs`), inactive lanes cannot forward values. Each lane therefore fetches the
//! values of all active lanes and combines them in the same order: 32 shuffles per word.
use super::active_mask::{ActiveMasks, ballot, or_all_lanes};
use cube_dialect::{Combine, Scan, Scope, Shuffle, Vote, ops, properties::is_meeting};
use cube_ir::ops::{arith, math, nvvm, vector};
use cube_ir::{Builder, Failed, Level, Op, OpKind, PassResult, Run, Type, TypeExt, Val, pass, upstream::IntCmp};
use cube_passes::analysis::uniformity::{CubeGeometry, Uniformity};
use cube_passes::{levels, specialize::attach_target};
use cube_to_llvm::combine::{combine, neutral, scan_start};

pass! {
    name: "lower-plane-ops-to-nvvm",
    summary: "lowers barriers and plane operations to shuffles and votes (NVIDIA GPUs)",
    on: cube::KERNEL,
    level: Legal => Legal,
    dialects: ["nvvm", "arith", "math", "memref", "vector"],
    statistics: ["operations lowered"],
    run: run,
}

/// Lanes that one `shfl.sync` or `vote.sync` reaches; their masks have as many bits (PTX ISA 9.0, section 9.7.9.6).
const LANES: u32 = 32;

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    levels::require(kernel.op(), Level::Legal)?;
    let target = attach_target::required(run)?;
    let widths = &target.planes.widths;
    if *widths != [LANES] {
        kernel.op().error(cube_ir::diagnostic!(CUBE0353.widths { lanes: LANES, widths: format!("{widths:?}") }));
        return Err(Failed);
    }
    let dim = kernel.facts().cube_dim;
    let ops: Vec<Op<'p>> = kernel.op().walk().into_iter().filter(|op| is_meeting(*op)).collect();
    let mut masks =
        ActiveMasks::new(kernel.op(), Uniformity::with_geometry(kernel.op(), CubeGeometry { dim, plane: LANES }));
    for op in ops {
        let here = masks.of(op);
        let plane = Plane { b: run.before(op), dim, active: here };
        let Some(values) = lowered(plane, op) else { return Err(Failed) };
        run.replace(op, &values);
        run.count("operations lowered", 1);
    }
    Ok(())
}

fn lowered<'p>(plane: Plane<'p>, op: Op<'p>) -> Option<Vec<Val<'p>>> {
    let b = plane.b;
    if let Some(sync) = ops::Sync::of(op) {
        match sync.scope()? {
            // A barrier of the cube orders global memory too.
            Scope::Cube | Scope::Storage => b.op(nvvm::BARRIER0).build(),
            Scope::Plane => b.op(nvvm::BAR_WARP_SYNC).operands(&[or_all_lanes(b, plane.active)]).build(),
        };
        return Some(vec![]);
    }
    let value = if let Some(reduce) = ops::PlaneReduce::of(op) {
        let (kind, value) = (reduce.kind()?, reduce.value());
        match plane.active {
            Some(active) => plane.divergent_reduce(active, kind, value),
            None => plane.reduce(kind, value),
        }
    } else if let Some(scan) = ops::PlaneScan::of(op) {
        let (kind, value, which) = (scan.kind()?, scan.value(), scan.scan()?);
        match plane.active {
            Some(active) => plane.divergent_scan(active, kind, value, which),
            None => {
                let inclusive = plane.scan(kind, value);
                match which {
                    Scan::Inclusive => inclusive,
                    Scan::Exclusive => {
                        let before = plane.shuffle(inclusive, b.subi(plane.lane(), plane.word(1)));
                        b.select(plane.is_first(), scan_start(b, kind, before.ty()), before)
                    }
                }
            }
        }
    } else if let Some(broadcast) = ops::PlaneBroadcast::of(op) {
        plane.shuffle_or_own(broadcast.value(), broadcast.lane())
    } else if let Some(shuffle) = ops::PlaneShuffle::of(op) {
        let (lane, by) = (plane.lane(), shuffle.operand());
        let from = match shuffle.shuffle()? {
            Shuffle::Idx => by,
            Shuffle::XOr => b.xori(lane, by),
            // Lanes below the first wrap round to numbers that no lane has.
            Shuffle::Up => b.subi(lane, by),
            Shuffle::Down => b.addi(lane, by),
        };
        let value = plane.shuffle_or_own(shuffle.value(), from);
        match shuffle.shuffle()? {
            // A distance beyond all lanes can wrap round to a lane that exists.
            Shuffle::Up | Shuffle::Down => {
                b.select(b.cmpi(IntCmp::Ult, by, plane.word(LANES.into())), value, shuffle.value())
            }
            Shuffle::Idx | Shuffle::XOr => value,
        }
    } else if let Some(vote) = ops::PlaneVote::of(op) {
        match vote.vote()? {
            Vote::Any => b.cmpi(IntCmp::Ne, plane.ballot(vote.value()), plane.word(0)),
            Vote::All => {
                let against = b.xori(vote.value(), b.int(b.cx().int(1), 1));
                b.cmpi(IntCmp::Eq, plane.ballot(against), plane.word(0))
            }
        }
    } else if let Some(ballot) = ops::PlaneBallot::of(op) {
        let (word, zero) = (plane.ballot(ballot.value()), plane.word(0));
        b.op(vector::FROM_ELEMENTS).operands(&[word, zero, zero, zero]).result(op.result(0).ty()).value()
    } else if ops::PlaneElect::of(op).is_some() {
        plane.is_first()
    } else {
        op.error(cube_ir::diagnostic!(CUBE0331.no_lowering { targets: "NVIDIA GPUs" }));
        return None;
    };
    Some(vec![value])
}

/// The plane of a unit, at a place in the code.
#[derive(Clone, Copy)]
struct Plane<'p> {
    b: Builder<'p>,
    dim: [u32; 3],
    /// The lanes that come here; `None` where all do that exist.
    active: Option<Val<'p>>,
}

impl<'p> Plane<'p> {
    fn i32(self) -> Type<'p> {
        self.b.cx().int(32)
    }

    fn word(self, value: i64) -> Val<'p> {
        self.b.int(self.i32(), value)
    }

    fn register(self, what: OpKind) -> Val<'p> {
        self.b.op(what).result(self.i32()).value()
    }

    fn lane(self) -> Val<'p> {
        self.register(nvvm::READ_PTX_SREG_LANEID)
    }

    /// How many lanes the plane has, where that is not the same for all.
    fn present(self) -> Option<Val<'p>> {
        let [x, y, z] = self.dim;
        let units = x * y * z;
        if units.is_multiple_of(LANES) {
            return None;
        }
        let b = self.b;
        let tid = [nvvm::READ_PTX_SREG_TID_X, nvvm::READ_PTX_SREG_TID_Y, nvvm::READ_PTX_SREG_TID_Z];
        let [tid_x, tid_y, tid_z] = tid.map(|register| self.register(register));
        let row = b.addi(tid_y, b.muli(tid_z, self.word(y.into())));
        let unit = b.addi(tid_x, b.muli(row, self.word(x.into())));
        // The first unit of the plane is the own one without the lane; the lanes after it are as many as units are left.
        let first = b.subi(unit, self.lane());
        let left = b.subi(self.word(units.into()), first);
        Some(b.op(arith::MINUI).operands(&[left, self.word(LANES.into())]).result(self.i32()).value())
    }

    fn ballot(self, value: Val<'p>) -> Val<'p> {
        ballot(self.b, self.active, value)
    }

    /// Whether the unit is the first lane that comes.
    fn is_first(self) -> Val<'p> {
        let first = self.active.map_or_else(|| self.word(0), |all| self.b.cast(math::CTTZ, all, self.i32()));
        self.b.cmpi(IntCmp::Eq, self.lane(), first)
    }

    /// The word of lane `from`, which is taken modulo the lanes.
    fn shuffle_word(self, word: Val<'p>, from: Val<'p>) -> Val<'p> {
        let kind = self.b.cx().parse_attr("#nvvm<shfl_kind idx>").expect("nvvm is loaded");
        let operands = [or_all_lanes(self.b, self.active), word, from, self.word(i64::from(LANES) - 1)];
        self.b.op(nvvm::SHFL_SYNC).operands(&operands).attr("kind", kind).result(self.i32()).value()
    }

    /// A value of any type, word by word.
    fn shuffle(self, value: Val<'p>, from: Val<'p>) -> Val<'p> {
        let (b, ty) = (self.b, value.ty());
        if ty.lanes().is_some() {
            return b.each_lane(ty, &[value], |lane| self.shuffle(lane[0], from));
        }
        let bits = ty.bits().unwrap_or(32);
        if ty.is_fp() {
            let whole = b.cast(arith::BITCAST, value, b.cx().int(bits));
            return b.cast(arith::BITCAST, self.shuffle(whole, from), ty);
        }
        match bits {
            32 => self.shuffle_word(value, from),
            64 => {
                let half = b.int(ty, 32);
                let low = self.shuffle_word(b.cast(arith::TRUNCI, value, self.i32()), from);
                let high = b.cast(arith::TRUNCI, b.shrui(value, half), self.i32());
                let high = b.cast(arith::EXTUI, self.shuffle_word(high, from), ty);
                b.ori(b.cast(arith::EXTUI, low, ty), b.shli(high, half))
            }
            _ => {
                let word = self.shuffle_word(b.cast(arith::EXTUI, value, self.i32()), from);
                b.cast(arith::TRUNCI, word, ty)
            }
        }
    }

    /// The value of lane `from`, or the lane's own value if lane `from` is absent.
    fn shuffle_or_own(self, value: Val<'p>, from: Val<'p>) -> Val<'p> {
        let b = self.b;
        let other = self.shuffle(value, from);
        let comes = match self.active {
            Some(active) => {
                let bit = b.shrui(active, b.andi(from, self.word(i64::from(LANES) - 1)));
                let is_set = b.cast(arith::TRUNCI, bit, b.cx().int(1));
                b.andi(is_set, b.cmpi(IntCmp::Ult, from, self.word(LANES.into())))
            }
            None => b.cmpi(IntCmp::Ult, from, self.present().unwrap_or_else(|| self.word(LANES.into()))),
        };
        b.select(comes, other, value)
    }

    /// The values of all lanes, what changes nothing where one does not come.
    fn fetched(self, active: Val<'p>, kind: Combine, value: Val<'p>) -> Vec<Val<'p>> {
        let b = self.b;
        let none = neutral(b, kind, value.ty());
        let of = |lane: i64| {
            let bit = b.andi(active, self.word(i64::from((1u32 << lane) as i32)));
            let comes = b.cmpi(IntCmp::Ne, bit, self.word(0));
            b.select(comes, self.shuffle(value, self.word(lane)), none)
        };
        (0..i64::from(LANES)).map(of).collect()
    }

    /// The upper half of the lanes onto the lower half, until one is left.
    fn divergent_reduce(self, active: Val<'p>, kind: Combine, value: Val<'p>) -> Val<'p> {
        let mut all = self.fetched(active, kind, value);
        while all.len() > 1 {
            let upper = all.split_off(all.len() / 2);
            all = all.iter().zip(upper).map(|(low, high)| combine(self.b, kind, *low, high)).collect();
        }
        all[0]
    }

    fn divergent_scan(self, active: Val<'p>, kind: Combine, value: Val<'p>, which: Scan) -> Val<'p> {
        let b = self.b;
        let mut all = self.fetched(active, kind, value);
        for distance in [1, 2, 4, 8, 16] {
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

    fn reduce(self, kind: Combine, value: Val<'p>) -> Val<'p> {
        let (b, present) = (self.b, self.present());
        let mut all = value;
        for bit in [16, 8, 4, 2, 1] {
            let from = b.xori(self.lane(), self.word(bit));
            let mut other = self.shuffle(all, from);
            if let Some(lanes) = present {
                other = b.select(b.cmpi(IntCmp::Ult, from, lanes), other, neutral(b, kind, other.ty()));
            }
            all = combine(b, kind, all, other);
        }
        // Where lanes are absent, only the first has met all of them.
        if present.is_some() { self.shuffle(all, self.word(0)) } else { all }
    }

    /// The values of the lanes up to and with the own one.
    fn scan(self, kind: Combine, value: Val<'p>) -> Val<'p> {
        let b = self.b;
        let mut all = value;
        for step in [1, 2, 4, 8, 16] {
            let distance = self.word(step);
            let before = self.shuffle(all, b.subi(self.lane(), distance));
            let more = combine(b, kind, before, all);
            all = b.select(b.cmpi(IntCmp::Uge, self.lane(), distance), more, all);
        }
        all
    }
}
