//! Refuses operations on which LLVM would abort the process, before LLVM sees them, with the operation and its
//! location.
use cube_ir::Dialect;
use cube_ir::ops::builtin;
use cube_ir::{Failed, Op, OwnedModule, SessionError, Type, TypeExt};

/// The `llvm.intr.*` that a target lowers without a library call.
#[derive(Clone, Copy, Debug)]
pub struct Intrinsics {
    /// Name of the target in messages.
    pub target: &'static str,
    /// Names without `llvm.intr.`.
    pub allowed: &'static [&'static str],
    /// Further intrinsics of the target, for f32 only.
    pub of_f32: &'static [&'static str],
    /// Further intrinsics of the target, for f32 with the flag `afn`: the target approximates them.
    pub approximate: &'static [&'static str],
}

/// Intrinsics that every target lowers to a few instructions.
pub const COMMON: &[&str] = &[
    "fabs",
    "copysign",
    "fma",
    "fmuladd",
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "nearbyint",
    "roundeven",
    "round",
    "minnum",
    "maxnum",
    "minimum",
    "maximum",
    "smax",
    "smin",
    "umax",
    "umin",
    "abs",
    "ctpop",
    "ctlz",
    "cttz",
    "bitreverse",
    "bswap",
    "fshl",
    "fshr",
    "sadd.sat",
    "uadd.sat",
    "ssub.sat",
    "usub.sat",
    "sadd.with.overflow",
    "uadd.with.overflow",
    "ssub.with.overflow",
    "usub.with.overflow",
    "smul.with.overflow",
    "umul.with.overflow",
    "fptosi.sat",
    "fptoui.sat",
    "vector.reduce.add",
    "vector.reduce.mul",
    "vector.reduce.and",
    "vector.reduce.or",
    "vector.reduce.xor",
    "vector.reduce.fadd",
    "vector.reduce.fmul",
    "vector.reduce.fmax",
    "vector.reduce.fmin",
    "vector.reduce.fmaximum",
    "vector.reduce.fminimum",
    "vector.reduce.smax",
    "vector.reduce.smin",
    "vector.reduce.umax",
    "vector.reduce.umin",
    "is.fpclass",
];

/// Refuses the first operation that the target does not support.
///
/// # Errors
/// The operation, located.
pub fn check(module: &OwnedModule<'_>, intrinsics: &Intrinsics) -> Result<(), SessionError> {
    for op in module.op().walk() {
        if let Err(Failed) = look(op, intrinsics) {
            return Err(refusal(op, intrinsics));
        }
    }
    Ok(())
}

fn look(op: Op<'_>, intrinsics: &Intrinsics) -> Result<(), Failed> {
    let name = op.name();
    match name.strip_prefix("llvm.intr.") {
        Some(short) if intrinsics.of_f32.contains(&short) && is_f32(op.result(0).ty()) => Ok(()),
        Some(short) if intrinsics.approximate.contains(&short) && is_f32(op.result(0).ty()) && has_afn(op) => Ok(()),
        Some(short) if !intrinsics.allowed.contains(&short) && !COMMON.contains(&short) => Err(Failed),
        None if !matches!(op.kind().dialect(), Some(Dialect::Llvm | Dialect::Nvvm | Dialect::Rocdl))
            && op.kind() != builtin::MODULE =>
        {
            Err(Failed)
        }
        _ => Ok(()),
    }
}

fn has_afn(op: Op<'_>) -> bool {
    let flags = op.attr("fastmathFlags").map(|flags| flags.to_string()).unwrap_or_default();
    flags.split(['<', '>', ',', ' ']).any(|flag| matches!(flag, "afn" | "fast"))
}

fn is_f32(ty: Type<'_>) -> bool {
    ty.is_fp() && ty.element().bits() == Some(32)
}

fn refusal(op: Op<'_>, intrinsics: &Intrinsics) -> SessionError {
    let short = op.name().trim_start_matches("llvm.intr.");
    SessionError::at(op, cube_ir::diagnostic!(CUBE0410.no_code { short, target: intrinsics.target }))
}
