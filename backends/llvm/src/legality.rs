//! Refuses operations on which LLVM would abort the process, before LLVM receives them. The error has the operation and
//! its location.
use cube_ir::Dialect;
use cube_ir::ops::{builtin, llvm::FastmathFlags};
use cube_ir::{Failed, Op, OpKind, OwnedModule, SessionError, Type, TypeExt};

/// The LLVM intrinsics that a target can emit without a library.
#[derive(Clone, Copy, Debug)]
pub struct Intrinsics {
    /// Name of the target in messages.
    pub target: &'static str,
    /// Dialects of a module that LLVM translates. LLVM supports all operations of the listed dialects, except
    /// intrinsics.
    pub dialects: &'static [Dialect],
    /// Intrinsics that all LLVM targets support.
    pub common: &'static [OpKind],
    /// Intrinsics that this target supports in addition to `common`.
    pub allowed: &'static [OpKind],
    /// Intrinsics that this target supports only for f32.
    pub of_f32: &'static [OpKind],
    /// Intrinsics that this target supports only for f32 with the flag `afn`, by an approximation.
    pub approximate: &'static [OpKind],
}

/// Refuses the first operation that the target does not support.
///
/// # Errors
/// The operation, with its location.
pub fn check(module: &OwnedModule<'_>, intrinsics: &Intrinsics) -> Result<(), SessionError> {
    for op in module.op().walk() {
        if let Err(Failed) = look(op, intrinsics) {
            return Err(refusal(op, intrinsics));
        }
    }
    Ok(())
}

fn look(op: Op<'_>, intrinsics: &Intrinsics) -> Result<(), Failed> {
    let kind = op.kind();
    let has = match kind.intrinsic() {
        Some(_) if intrinsics.of_f32.contains(&kind) && is_f32(op.result(0).ty()) => true,
        Some(_) if intrinsics.approximate.contains(&kind) && is_f32(op.result(0).ty()) && has_afn(op) => true,
        Some(_) => intrinsics.common.contains(&kind) || intrinsics.allowed.contains(&kind),
        None => kind == builtin::MODULE || intrinsics.dialects.iter().any(|dialect| op.is_of(*dialect)),
    };
    if has { Ok(()) } else { Err(Failed) }
}

fn has_afn(op: Op<'_>) -> bool {
    let flags = FastmathFlags::of(op.attr("fastmathFlags"));
    flags.is_some_and(|flags| flags.contains(FastmathFlags::AFN))
}

fn is_f32(ty: Type<'_>) -> bool {
    ty.is_fp() && ty.element().bits() == Some(32)
}

fn refusal(op: Op<'_>, intrinsics: &Intrinsics) -> SessionError {
    let short = op.kind().intrinsic().unwrap_or(op.name());
    SessionError::at(op, cube_ir::diagnostic!(CUBE0410.no_code { short, target: intrinsics.target }))
}
