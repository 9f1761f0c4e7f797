//! Values and the loops that they are made in.
use cube_ir::{Op, Val};

/// Whether a value is made outside a loop.
pub fn is_outside<'p>(value: Val<'p>, looped: Op<'p>) -> bool {
    let holder = match value.block_arg() {
        Some((block, _)) => block.parent(),
        None => value.def().and_then(|d| d.parent()),
    };
    holder.is_some_and(|op| op != looped && !op.ancestors().any(|a| a == looped))
}
