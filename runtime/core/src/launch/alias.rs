//! The rules for arguments that have bytes in common.
//!
//! Two arguments can overlap if the kernel writes neither of them. If the kernel writes one of two overlapping
//! arguments, the two arguments must consist of the same bytes, and one of the two must be marked
//! [`Arg::in_place`]. Without this rule, a cube could read values that concurrent cubes write in an undefined order.
use super::Arg;
use crate::error::RuntimeError;
use cube_artifact::{Param, ParamKind};

pub(super) fn check(params: &[Param], args: &[Arg]) -> Result<(), RuntimeError> {
    let is_buffer = |arg: &Arg| matches!(arg, Arg::Buffer { .. });
    for (i, (param, arg)) in params.iter().zip(args).enumerate().filter(|(_, (_, arg))| is_buffer(arg)) {
        for (other, other_arg) in params.iter().zip(args).take(i) {
            if !(is_written(param) || is_written(other)) {
                continue;
            }
            if let Some(what) = conflict(arg, other_arg) {
                let written = if is_written(param) { &param.name } else { &other.name };
                let message =
                    format!("it shares bytes with argument '{}' and the kernel writes '{written}'; {what}", other.name);
                return Err(RuntimeError::user(message).at_argument(&param.name));
            }
        }
    }
    Ok(())
}

/// Whether each buffer has a separate allocation. If the result is true, [`check`] finds no conflict.
#[inline]
pub(super) fn are_separate(args: &[Arg]) -> bool {
    args.iter().enumerate().all(|(i, arg)| {
        let Arg::Buffer { buffer, .. } = arg else { return true };
        let is_same = |other: &Arg| matches!(other, Arg::Buffer { buffer: other, .. } if buffer.same_allocation(other));
        !args[..i].iter().any(is_same)
    })
}

/// Whether the kernel writes the buffer of a parameter.
pub(super) fn is_written(param: &Param) -> bool {
    matches!(param.kind, ParamKind::Buffer { access, .. } if access.writes())
}

/// The proposed fix if two arguments cannot be passed together.
fn conflict(one: &Arg, other: &Arg) -> Option<&'static str> {
    let (Arg::Buffer { buffer: a, in_place: p, .. }, Arg::Buffer { buffer: b, in_place: q, .. }) = (one, other) else {
        return None;
    };
    if !a.overlaps(b) {
        return None;
    }
    if !a.same_bytes(b) {
        return Some("bind parts that do not overlap, or bind a copy");
    }
    if *p || *q { None } else { Some("bind a copy, or mark one of the two arguments as in place") }
}
