//! The reasons for which a kernel keeps one element for each unit.
use cube_ir::Op;

/// The reason why a kernel is not coarsened.
pub(super) struct MissedRemark<'p> {
    pub at: Op<'p>,
    pub rule: &'static str,
    pub why: &'static str,
    pub way: &'static str,
}

pub(super) const fn missed<'p>(
    at: Op<'p>,
    rule: &'static str,
    why: &'static str,
    way: &'static str,
) -> MissedRemark<'p> {
    MissedRemark { at, rule, why, way }
}
