//! The number of lanes of a kernel's planes.
use cube_dialect::PLANE_DIM;
use cube_ir::{AttrExt, Failed, Op};
use cube_target::{Planes, Target};

/// The number of lanes of a kernel's planes. If the chip supports several widths, the kernel's attribute selects one;
/// otherwise the chip's default applies.
///
/// # Errors
/// The kernel's width is not one of the chip's widths (CUBE0353).
pub fn lanes_of(kernel: Op<'_>, target: &Target) -> Result<u32, Failed> {
    let Planes { widths, width, .. } = &target.planes;
    let own = kernel.attr(PLANE_DIM).and_then(|requested| requested.as_int()).filter(|_| widths.len() > 1);
    let lanes = own.map_or(Some(*width), |own| u32::try_from(own).ok());
    lanes.filter(|lanes| widths.contains(lanes)).ok_or_else(|| refuse(kernel, target, own.unwrap_or_default()))
}

/// Refuses a number of lanes that the chip lacks (CUBE0353).
pub fn refuse(kernel: Op<'_>, target: &Target, lanes: i64) -> Failed {
    let (chip, widths) = (target.name(), format!("{:?}", target.planes.widths));
    kernel.error(cube_ir::diagnostic!(CUBE0353.widths { chip, widths, lanes }));
    Failed
}
