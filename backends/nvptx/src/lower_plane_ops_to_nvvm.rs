//! NVIDIA GPUs: barriers and plane operations become barriers, shuffles and ballots of lanes.
//!
//! ```mlir
//! %r = cube.plane_reduce addf %v : f32     %0 = shfl.sync %v, lane ^ 16;  %1 = addf %v, %0;  ... ^ 8, 4, 2, 1
//! cube.sync cube                           nvvm.barrier0
//! ```
//!
//! `cube_simt::lower_plane_ops` has the invariant and the cost.
use cube_ir::ops::nvvm;
use cube_ir::{Builder, OpKind, PassResult, Run, Val, pass};
use cube_simt::{Lanes, lower_plane_ops};

pass! {
    name: "lower-plane-ops-to-nvvm",
    summary: "lowers barriers and plane operations to shuffles and votes (NVIDIA GPUs)",
    on: cube::KERNEL,
    level: Legal => Mixed,
    dialects: ["nvvm", "arith", "math", "memref", "vector"],
    statistics: ["operations lowered"],
    run: run,
}

/// Number of lanes that one `shfl.sync` or `vote.sync` reaches. The mask operand has one bit for each of these
/// lanes (PTX ISA 9.0, section 9.7.9.6).
const LANES: u32 = 32;

/// The mask of all lanes; the hardware does not wait for lanes that do not exist (PTX ISA 9.0, section 9.7.9.6,
/// shfl.sync).
const ALL_LANES: i64 = -1;

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    lower_plane_ops(run, |lanes, target| {
        (lanes == LANES).then_some(Warp { mask_bits: target.planes.mask_bits_of(lanes) })
    })
}

/// The lanes of a warp.
struct Warp {
    mask_bits: u32,
}

fn register<'p>(b: Builder<'p>, what: OpKind) -> Val<'p> {
    b.op(what).result(b.cx().int(32)).value()
}

/// The mask operand of a synchronising instruction: the active lanes, or all lanes.
fn or_all_lanes<'p>(b: Builder<'p>, active: Option<Val<'p>>) -> Val<'p> {
    active.unwrap_or_else(|| b.int(b.cx().int(32), ALL_LANES))
}

impl Lanes for Warp {
    fn count(&self) -> u32 {
        LANES
    }

    fn mask_bits(&self) -> u32 {
        self.mask_bits
    }

    fn lane<'p>(&self, b: Builder<'p>) -> Val<'p> {
        register(b, nvvm::READ_PTX_SREG_LANEID)
    }

    fn unit<'p>(&self, b: Builder<'p>) -> [Val<'p>; 3] {
        [nvvm::READ_PTX_SREG_TID_X, nvvm::READ_PTX_SREG_TID_Y, nvvm::READ_PTX_SREG_TID_Z].map(|what| register(b, what))
    }

    fn cube_barrier(&self, b: Builder<'_>) {
        b.op(nvvm::BARRIER0).build();
    }

    fn plane_barrier<'p>(&self, b: Builder<'p>, active: Option<Val<'p>>) {
        b.op(nvvm::BAR_WARP_SYNC).operands(&[or_all_lanes(b, active)]).build();
    }

    fn ballot<'p>(&self, b: Builder<'p>, active: Option<Val<'p>>, value: Val<'p>) -> Val<'p> {
        let kind = nvvm::VoteSyncKind::Ballot.attr(b.cx());
        let active = or_all_lanes(b, active);
        b.op(nvvm::VOTE_SYNC).operands(&[active, value]).attr("kind", kind).result(b.cx().int(32)).value()
    }

    fn shuffle<'p>(&self, b: Builder<'p>, active: Option<Val<'p>>, word: Val<'p>, from: Val<'p>) -> Val<'p> {
        let i32t = b.cx().int(32);
        let kind = nvvm::ShflKind::Idx.attr(b.cx());
        let operands = [or_all_lanes(b, active), word, from, b.int(i32t, i64::from(LANES) - 1)];
        b.op(nvvm::SHFL_SYNC).operands(&operands).attr("kind", kind).result(i32t).value()
    }
}
