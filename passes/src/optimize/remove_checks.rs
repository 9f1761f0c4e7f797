//! Removes the bounds check of an access if an enclosing guard implies that the check succeeds.
//!
//! ```mlir
//! %n = cube.len %x                       // stays
//! %c = arith.cmpi ult, %i, %n
//! scf.if %c {
//!   %v = cube.load %x[%i] checked        // becomes: cube.load %x[%i] inbounds by guard
//! ```
//!
//! A proof shows that the index is below the length of the accessed buffer. The first kind of proof is a condition of
//! an enclosing `scf.if` or `scf.while`, or the upper bound of an enclosing `scf.for`. In the first region of an `scf.if` the
//! condition is true, and in the second region it is false. In the second region of an `scf.while` the condition is true,
//! and an argument of this region is the value that the condition forwards. The second kind of proof is the range of the index. The range must be
//! below the static size of the memory, or below a buffer length that an enclosing condition implies. Conditions and
//! loops around the access can bound the index (`analysis/launch_bounds.rs`). Every proof is
//! derived from the current index, and no proof relies on the attributes of the access. For each access that is already
//! `inbounds by guard`, the pass searches for a new proof. If the search finds no proof, the access becomes a checked
//! access. Cost: the number of accesses times the depth of nesting.
use crate::{
    analysis::{
        constants::int_of,
        launch_bounds::{Inside, LaunchBounds},
        ranges,
    },
    levels::decided_bounds,
};
use cube_dialect::attributes::{DENY_CHECKS, LAUNCH_GUARD};
use cube_dialect::{Bounds, Memory, Proof, access_of, memory_of, ops, proof_of, set_bounds, set_proof};
use cube_ir::ops::{arith, scf};
use cube_ir::remarks::Decision;
use cube_ir::upstream::IntCmp;
use cube_ir::{Failed, Op, PassResult, Run, Val, pass};

pass! {
    name: "remove-checks",
    summary: "removes bounds checks that a guard or a loop bound makes unnecessary",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["cube"],
    statistics: ["checks proven", "checks kept", "proofs dropped"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        let bounds = decided_bounds(run, op)?;
        let given = proof_of(op);
        let open = bounds == Some(Bounds::Checked) || given.is_some();
        let Some(access) = access_of(op).filter(|_| open) else { continue };
        match proof(op, access.buffer, access.index) {
            Some(proof) if given.is_some() => set_proof(op, proof),
            Some(proof) => {
                set_proof(op, proof);
                run.count("checks proven", 1);
                let by = proof.word().replace('_', " ");
                run.passed(
                    op,
                    &by,
                    match proof {
                        Proof::Length => {
                            "no value of the index reaches the length of the buffer, which a condition guarantees"
                                .into()
                        }
                        _ => format!("the index is below the length of the buffer by the {by} around it"),
                    },
                );
            }
            None if given.is_some() => {
                set_bounds(op, Bounds::Checked);
                run.count("proofs dropped", 1);
                let (rule, why, way) = why_not(op, access.buffer, access.index).remark();
                run.checked(op, Decision::CheckRestored, rule, why, way);
            }
            None => {
                run.count("checks kept", 1);
                let (rule, why, way) = why_not(op, access.buffer, access.index).remark();
                run.checked(op, Decision::CheckStays, rule, why, way);
            }
        }
    }
    Ok(())
}

/// Refuses the checked accesses of a kernel with the attribute `cube.deny_checks`. A checked access that runs only in
/// launches in which the launcher's check fails is not refused.
pub(crate) fn deny_checks<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let Some(attribute) = kernel.attr(DENY_CHECKS) else { return Ok(()) };
    if attribute != run.cx().unit_attr() {
        kernel.error(cube_ir::diagnostic!(CUBE0324.value));
        return Err(Failed);
    }
    let mut result = Ok(());
    let mut reported = Vec::new();
    for op in kernel.walk() {
        let checked = decided_bounds(run, op)? == Some(Bounds::Checked) && op.attr(LAUNCH_GUARD).is_none();
        let Some(access) = access_of(op).filter(|_| checked) else { continue };
        result = Err(Failed);
        // Other passes copy accesses, so the function reports each access of the source once.
        let location = op.location().to_string();
        if !reported.contains(&location) {
            reported.push(location);
            why_not(op, access.buffer, access.index).refuse(op);
        }
    }
    result
}

// The reason why an access keeps its check.
#[derive(Clone, Copy)]
enum MissedReason {
    NoGuard,
    OtherLimit,
    OtherComparison,
    SignedLoop,
}

impl MissedReason {
    // Rule, reason and fix of the remark.
    fn remark(self) -> (&'static str, &'static str, &'static str) {
        match self {
            MissedReason::NoGuard => (
                "no-guard",
                "nothing around the access compares this index with the length of its buffer",
                "put the access into an scf.if with the condition arith.cmpi ult, %index, %length",
            ),
            MissedReason::OtherLimit => (
                "other-limit",
                "the guard compares the index with a value other than the length of this buffer",
                "compare with cube.len of the buffer that is accessed",
            ),
            MissedReason::OtherComparison => (
                "other-comparison",
                "the guard compares the index with the length, but does not imply index ult length in this branch",
                "compare with arith.cmpi ult, %index, %length",
            ),
            MissedReason::SignedLoop => (
                "signed-loop",
                "the loop up to the length of the buffer is signed, and a length above 2^31 is negative",
                "write the loop as scf.for unsigned",
            ),
        }
    }

    fn refuse(self, access: Op<'_>) {
        access.error(match self {
            MissedReason::NoGuard => cube_ir::diagnostic!(CUBE0324.no_guard),
            MissedReason::OtherLimit => cube_ir::diagnostic!(CUBE0324.other_limit),
            MissedReason::OtherComparison => cube_ir::diagnostic!(CUBE0324.other_comparison),
            MissedReason::SignedLoop => cube_ir::diagnostic!(CUBE0324.signed_loop),
        });
    }
}

fn why_not<'p>(access: Op<'p>, buffer: Val<'p>, index: Val<'p>) -> MissedReason {
    for outer in access.ancestors() {
        let induction = outer.body().filter(|b| outer.is(scf::FOR) && b.args().len() > 0).map(|b| b.arg(0));
        if induction == Some(index) && is_length(outer.operand(1), buffer) {
            return MissedReason::SignedLoop;
        }
        let compared = outer.operands().next().filter(|_| outer.is(scf::IF)).and_then(|c| c.def_of(arith::CMPI));
        let Some(compared) = compared.filter(|c| c.operands().any(|v| v == index)) else { continue };
        let with_length = compared.operands().any(|v| is_length(v, buffer));
        return if with_length { MissedReason::OtherComparison } else { MissedReason::OtherLimit };
    }
    MissedReason::NoGuard
}

fn proof<'p>(access: Op<'p>, buffer: Val<'p>, index: Val<'p>) -> Option<Proof> {
    if ranges::below_size(buffer, index) {
        return Some(Proof::Range);
    }
    // All values of the index are below this limit. For an unknown index, no buffer is long enough.
    let below = ranges::largest(index) as i64 + 1;
    let mut inner = access;
    for outer in access.ancestors() {
        let branch = in_region(inner, outer, 0);
        if outer.is(scf::IF) && below_length(outer.operand(0), branch, buffer, index) {
            return Some(Proof::Guard);
        }
        if outer.is(scf::IF) && branch && is_as_long(outer.operand(0), buffer, below) {
            return Some(Proof::Length);
        }
        if outer.is(scf::WHILE) && in_region(inner, outer, 1) && while_bounded(outer, buffer, index) == Some(true) {
            return Some(Proof::Guard);
        }
        if outer.is(scf::FOR) && loop_bounded(outer, buffer, index) {
            return Some(Proof::LoopBound);
        }
        inner = outer;
    }
    let static_memory = matches!(memory_of(buffer), Memory::Shared | Memory::Local(_));
    let kernel = access.ancestors().find_map(ops::Kernel::of).filter(|_| static_memory)?;
    let inside = LaunchBounds::at(kernel, access).inside(&access_of(access)?);
    (inside == Some(Inside::Always)).then_some(Proof::Range)
}

fn in_region<'p>(inner: Op<'p>, outer: Op<'p>, region: usize) -> bool {
    let block = outer.regions().nth(region).and_then(|r| r.first_block());
    block.is_some() && inner.block() == block
}

// Whether the index is below the buffer's length, as unsigned numbers, if `condition` has the value `truth`.
fn below_length<'p>(condition: Val<'p>, truth: bool, buffer: Val<'p>, index: Val<'p>) -> bool {
    let Some(def) = condition.def() else { return false };
    match def.kind() {
        arith::ANDI if truth => return def.operands().any(|c| below_length(c, true, buffer, index)),
        arith::ORI if !truth => return def.operands().any(|c| below_length(c, false, buffer, index)),
        arith::XORI => {
            let negated = def
                .operands()
                .any(|c| int_of(c).is_some_and(|n| n & 1 == 1))
                .then(|| def.operands().find(|c| int_of(*c).is_none()));
            return negated.flatten().is_some_and(|c| below_length(c, !truth, buffer, index));
        }
        arith::CMPI => {}
        _ => return false,
    }
    let (less, length) = match (arith::Cmpi::of(def).and_then(|compare| compare.predicate()), truth) {
        (Some(IntCmp::Ult), true) | (Some(IntCmp::Uge), false) => (def.operand(0), def.operand(1)),
        (Some(IntCmp::Ugt), true) | (Some(IntCmp::Ule), false) => (def.operand(1), def.operand(0)),
        _ => return false,
    };
    covers(less, index) && is_within(length, buffer)
}

// Whether every upper bound of `less` also bounds `index`: the index is `less`, or a choice between `less` and 0.
fn covers<'p>(less: Val<'p>, index: Val<'p>) -> bool {
    let chosen = |op: Op<'p>| (1..3).all(|n| op.operand(n) == less || int_of(op.operand(n)) == Some(0));
    less == index || index.def_of(arith::SELECT).is_some_and(chosen)
}

// Whether a true `condition` implies that the buffer has at least `below` lines, as unsigned numbers.
fn is_as_long<'p>(condition: Val<'p>, buffer: Val<'p>, below: i64) -> bool {
    let Some(def) = condition.def() else { return false };
    if def.is(arith::ANDI) {
        return def.operands().any(|c| is_as_long(c, buffer, below));
    }
    let (length, least, more) = match arith::Cmpi::of(def).and_then(|compare| compare.predicate()) {
        Some(IntCmp::Uge) if def.is(arith::CMPI) => (def.operand(0), def.operand(1), 0),
        Some(IntCmp::Ule) if def.is(arith::CMPI) => (def.operand(1), def.operand(0), 0),
        Some(IntCmp::Ugt) if def.is(arith::CMPI) => (def.operand(0), def.operand(1), 1),
        Some(IntCmp::Ult) if def.is(arith::CMPI) => (def.operand(1), def.operand(0), 1),
        _ => return false,
    };
    let least = int_of(least).map(|n| i64::from(n as u32) + more);
    is_length(length, buffer) && least.is_some_and(|least| least >= below)
}

fn is_length<'p>(value: Val<'p>, buffer: Val<'p>) -> bool {
    let Some(def) = value.def() else { return false };
    let memory = def.is(ops::BufferLen::KIND) || def.is(ops::Len::KIND) && ops::Kernel::len_is_buffer_len(buffer);
    memory && def.operand(0) == buffer
}

// Whether an unsigned number is at most the length of the buffer: the length, or a minimum of the length and another number.
fn is_within<'p>(value: Val<'p>, buffer: Val<'p>) -> bool {
    let minimum = value.def_of(arith::MINUI);
    is_length(value, buffer) || minimum.is_some_and(|op| op.operands().any(|least| is_within(least, buffer)))
}

// Whether the condition of an `scf.while` implies that the index is below the length in the loop's second region. `None`
// for a loop without a condition.
fn while_bounded<'p>(outer: Op<'p>, buffer: Val<'p>, index: Val<'p>) -> Option<bool> {
    let [before, after] = outer.regions().map(|region| region.first_block()).collect::<Option<Vec<_>>>()?[..] else {
        return None;
    };
    let condition = before.terminator()?;
    let argument = after.args().position(|argument| argument == index);
    let forwarded = argument.map_or(Some(index), |at| condition.operands().nth(at + 1))?;
    Some(below_length(condition.operand(0), true, buffer, forwarded))
}

// `scf.for unsigned %i = .. to len`: the induction value is below the length. A signed loop is not a proof, because it
// interprets a length of 2^31 or more as negative.
fn loop_bounded<'p>(outer: Op<'p>, buffer: Val<'p>, index: Val<'p>) -> bool {
    let induction = outer.body().map(|b| b.arg(0));
    induction == Some(index) && outer.attr("unsignedCmp").is_some() && is_within(outer.operand(1), buffer)
}
