//! Compares a kernel's launch with the limits of its chip.
use cube_dialect::KernelFacts;
use cube_ir::{Message, diagnostic};
use cube_target::{SpaceKind, Target};

/// The limits of the chip that a launch of the kernel exceeds. If the description's limits are guaranteed minimums
/// ([`cube_target::Limits::guaranteed`]), a device can still run the kernel, and the messages are warnings.
pub fn exceeded(facts: &KernelFacts<'_>, shared_bytes: u64, target: &Target) -> Vec<Message> {
    let (kernel, chip, guaranteed) = (facts.name, target.name(), target.limits.guaranteed);
    let mut messages = Vec::new();
    let units = facts.cube_dim.into_iter().map(u64::from).product::<u64>();
    let limit = target.limits.units_per_cube;
    if units > u64::from(limit) {
        messages.push(match guaranteed {
            true => diagnostic!(CUBE0321.units_guaranteed { kernel, units, chip: &chip, limit }),
            false => diagnostic!(CUBE0321.units { kernel, units, chip: &chip, limit }),
        });
    }
    let axes = ["x", "y", "z"].into_iter().zip(facts.cube_dim).zip(target.limits.cube_dim);
    if let Some(((axis, units), limit)) = axes.into_iter().find(|((_, units), limit)| units > limit)
        && messages.is_empty()
    {
        messages.push(match guaranteed {
            true => diagnostic!(CUBE0321.axis_guaranteed { kernel, units, axis, chip: &chip, limit }),
            false => diagnostic!(CUBE0321.axis { kernel, units, axis, chip: &chip, limit }),
        });
    }
    let most = target.space(SpaceKind::Shared).and_then(|space| space.bytes);
    if let Some(limit) = most.filter(|most| shared_bytes > *most) {
        messages.push(match guaranteed {
            true => diagnostic!(CUBE0321.shared_guaranteed { kernel, bytes: shared_bytes, chip: &chip, limit }),
            false => diagnostic!(CUBE0321.shared { bytes: shared_bytes, chip: &chip, limit }),
        });
    }
    messages
}
