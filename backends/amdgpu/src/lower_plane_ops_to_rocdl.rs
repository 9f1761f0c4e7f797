//! AMD GPUs: barriers and plane operations become barriers, permutations and ballots of the lanes of a wave.
//!
//! ```mlir
//! %r = cube.plane_reduce addf %v : f32     %0 = ds_bpermute %v, lane ^ 16;  %1 = addf %v, %0;  ... DPP for ^ 8, 4, 2, 1
//! cube.sync cube                           fence release;  rocdl.s.barrier;  fence acquire
//! ```
//!
//! The lanes of a wave run in lockstep under the mask `EXEC`, so a ballot of the constant true returns the active
//! lanes. `cube_simt::lower_plane_ops` has the invariant and the cost.
use crate::intrinsics::{call, generation, intrinsic};
use cube_ir::ops::{llvm, llvm::AtomicOrdering, rocdl};
use cube_ir::{Builder, OpKind, PassResult, Run, Type, Val, pass, upstream::IntCmp};
use cube_simt::{Lanes, lower_plane_ops};
use cube_target::Target;

pass! {
    name: "lower-plane-ops-to-rocdl",
    summary: "lowers barriers and plane operations to permutations and ballots (AMD GPUs)",
    on: cube::KERNEL,
    level: Legal => Mixed,
    dialects: ["llvm", "rocdl", "arith", "math", "memref", "vector"],
    statistics: ["operations lowered"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let wave = |lanes, target: &Target| {
        Some(Wave { lanes, mask_bits: target.planes.mask_bits_of(lanes), generation: generation(target) })
    };
    lower_plane_ops(run, wave)
}

/// The lanes of a wave.
struct Wave {
    lanes: u32,
    mask_bits: u32,
    /// 9 for GCN 5 and CDNA, 10 to 12 for RDNA 1 to 4.
    generation: u32,
}

// Control words of DPP (LLVM, `SIDefines.h`, `DppCtrl`).
const SWAP_NEIGHBOURS: i64 = 0b10_11_00_01;
const SWAP_PAIRS: i64 = 0b01_00_11_10;
const ROTATE_ROW_BY_8: i64 = 0x128;
const ROW_XMASK_4: i64 = 0x164;

fn i32t<'p>(b: Builder<'p>) -> Type<'p> {
    b.cx().int(32)
}

fn fence(b: Builder<'_>, ordering: AtomicOrdering, scope: &str) {
    llvm::Fence::make(b, ordering).attr("syncscope", b.cx().str_attr(scope)).build();
}

fn dpp<'p>(b: Builder<'p>, word: Val<'p>, control: i64) -> Val<'p> {
    let (cx, ty) = (b.cx(), word.ty());
    let old = b.op(llvm::MLIR_POISON).result(ty).value();
    let number = |value| cx.int_attr(cx.int(32), value);
    let spec = b.op(rocdl::UPDATE_DPP).operands(&[old, word]).attr("dppCtrl", number(control));
    // All rows and banks. Every lane reads a lane of the same row, so no access is out of bounds.
    let spec = spec.attr("rowMask", number(0xf)).attr("bankMask", number(0xf));
    spec.attr("boundCtrl", cx.int_attr(cx.int(1), 1)).result(ty).value()
}

/// The value of `word` in lane `from`; the lane must exist.
fn bpermute<'p>(b: Builder<'p>, word: Val<'p>, from: Val<'p>) -> Val<'p> {
    // The lane's address is in bytes.
    let address = b.shli(from, b.int(i32t(b), 2));
    b.op(rocdl::DS_BPERMUTE).operands(&[address, word]).result(i32t(b)).value()
}

impl Wave {
    /// Whether `ds_bpermute` reads only lanes in the reader's half of the wave. RDNA 1 to 3 run a wave of 64 lanes as
    /// two halves. RDNA 4 reads all lanes (RDNA 4 ISA, "DS_BPERMUTE_B32"; LLVM, `supportsWaveWideBPermute`).
    fn has_halves(&self) -> bool {
        self.lanes == 64 && matches!(self.generation, 10 | 11)
    }

    /// Reads `word` in all 64 lanes with `readlane`, and selects the value of lane `from`. RDNA 1 and 2 have no
    /// instruction that exchanges words between the halves of a wave.
    fn lane_by_lane<'p>(&self, b: Builder<'p>, word: Val<'p>, from: Val<'p>) -> Val<'p> {
        let constant = |value: u32| b.int(i32t(b), value.into());
        (0..64).fold(word, |found, lane| {
            let value = b.op(rocdl::READLANE).operands(&[word, constant(lane)]).result(i32t(b)).value();
            b.select(b.cmpi(IntCmp::Eq, from, constant(lane)), value, found)
        })
    }
}

impl Lanes for Wave {
    fn count(&self) -> u32 {
        self.lanes
    }

    fn mask_bits(&self) -> u32 {
        self.mask_bits
    }

    fn lane<'p>(&self, b: Builder<'p>) -> Val<'p> {
        let (all, zero) = (b.int(i32t(b), -1), b.int(i32t(b), 0));
        let low = b.op(rocdl::MBCNT_LO).operands(&[all, zero]).result(i32t(b)).value();
        match self.lanes {
            64 => b.op(rocdl::MBCNT_HI).operands(&[all, low]).result(i32t(b)).value(),
            _ => low,
        }
    }

    fn unit<'p>(&self, b: Builder<'p>) -> [Val<'p>; 3] {
        let read_register = |what: OpKind| b.op(what).result(i32t(b)).value();
        [rocdl::WORKITEM_ID_X, rocdl::WORKITEM_ID_Y, rocdl::WORKITEM_ID_Z].map(read_register)
    }

    fn cube_barrier(&self, b: Builder<'_>) {
        fence(b, AtomicOrdering::Release, "workgroup");
        b.op(rocdl::S_BARRIER).build();
        fence(b, AtomicOrdering::Acquire, "workgroup");
    }

    fn plane_barrier<'p>(&self, b: Builder<'p>, _: Option<Val<'p>>) {
        fence(b, AtomicOrdering::AcqRel, "wavefront");
        call(b, "llvm.amdgcn.wave.barrier", &[]).build();
        fence(b, AtomicOrdering::AcqRel, "wavefront");
    }

    fn ballot<'p>(&self, b: Builder<'p>, _: Option<Val<'p>>, value: Val<'p>) -> Val<'p> {
        b.op(rocdl::BALLOT).operands(&[value]).result(self.mask(b)).value()
    }

    fn shuffle<'p>(&self, b: Builder<'p>, _: Option<Val<'p>>, word: Val<'p>, from: Val<'p>) -> Val<'p> {
        // Like HIP's library, the code masks the lane number, because LLVM does not define the result for
        // lanes that do not exist.
        let from = b.andi(from, b.int(i32t(b), i64::from(self.lanes) - 1));
        match self.generation {
            10 if self.has_halves() => self.lane_by_lane(b, word, from),
            // The code uses two `ds_bpermute`, one of them on the words of the other half of the wave. All lanes
            // execute both, because an active lane can read the word of an inactive lane of the other half.
            11 if self.has_halves() => intrinsic(b, "llvm.amdgcn.wave.shuffle", &[word, from], i32t(b)),
            _ => bpermute(b, word, from),
        }
    }

    fn butterfly<'p>(&self, b: Builder<'p>, _: Option<Val<'p>>, word: Val<'p>, from: Val<'p>, bit: u32) -> Val<'p> {
        match bit {
            1 => dpp(b, word, SWAP_NEIGHBOURS),
            2 => dpp(b, word, SWAP_PAIRS),
            // GCN and CDNA do not have `ROW_XMASK`. A combination of two mirror operations would be wrong for a partial
            // plane, because the intermediate lane can be absent.
            4 if self.generation >= 10 => dpp(b, word, ROW_XMASK_4),
            8 => dpp(b, word, ROTATE_ROW_BY_8),
            16 if self.generation >= 10 => {
                let cx = b.cx();
                // Each lane reads the lane at the same position of the other row.
                let [low, high] = [0x7654_3210_u32, 0xfedc_ba98].map(|lanes| b.int(i32t(b), i64::from(lanes as i32)));
                let old = b.op(llvm::MLIR_POISON).result(i32t(b)).value();
                let spec = b.op(rocdl::PERMLANEX16).operands(&[old, word, low, high]);
                let no = cx.int_attr(cx.int(1), 0);
                spec.attr("fi", no).attr("boundControl", no).result(i32t(b)).value()
            }
            32 if self.has_halves() && self.generation == 11 => {
                intrinsic(b, "llvm.amdgcn.permlane64", &[word], i32t(b))
            }
            32 if self.has_halves() => self.lane_by_lane(b, word, from),
            _ => bpermute(b, word, from),
        }
    }

    fn fetch<'p>(&self, b: Builder<'p>, _: Option<Val<'p>>, word: Val<'p>, from: Val<'p>) -> Val<'p> {
        let lane = b.andi(from, b.int(i32t(b), i64::from(self.lanes) - 1));
        let uniform = b.op(rocdl::READFIRSTLANE).operands(&[lane]).result(i32t(b)).value();
        b.op(rocdl::READLANE).operands(&[word, uniform]).result(i32t(b)).value()
    }

    fn executing<'p>(&self, b: Builder<'p>) -> Option<Val<'p>> {
        Some(self.ballot(b, None, b.int(b.cx().int(1), 1)))
    }
}
