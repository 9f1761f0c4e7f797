//! The operations of a GPU family that the lowering of plane operations uses.
use cube_ir::{Builder, Type, Val};

/// The lanes of a plane, in terms of the operations of a family of GPUs.
///
/// `active` is a mask of the active lanes, of type [`Lanes::mask`]; `None` if all existing lanes are active.
pub trait Lanes {
    /// Lanes of a plane; a power of two of at most 64.
    fn count(&self) -> u32;
    /// Bits of a mask, from the description of the chip: a multiple of 32.
    fn mask_bits(&self) -> u32;

    /// The type of a mask: an integer with at least one bit per lane.
    fn mask<'p>(&self, b: Builder<'p>) -> Type<'p> {
        b.cx().int(self.mask_bits())
    }

    /// The number of the current lane, `i32`.
    fn lane<'p>(&self, b: Builder<'p>) -> Val<'p>;
    /// The position of the unit in its cube along x, y, z, `i32`.
    fn unit<'p>(&self, b: Builder<'p>) -> [Val<'p>; 3];
    /// A barrier of the cube, which orders shared and global memory.
    fn cube_barrier(&self, b: Builder<'_>);
    /// A barrier of the active lanes, which orders memory among them.
    fn plane_barrier<'p>(&self, b: Builder<'p>, active: Option<Val<'p>>);
    /// The mask of the active lanes whose `i1` is true.
    fn ballot<'p>(&self, b: Builder<'p>, active: Option<Val<'p>>, value: Val<'p>) -> Val<'p>;
    /// The value of `word` in lane `from`. The result is arbitrary if lane `from` is not active or does not
    /// exist.
    fn shuffle<'p>(&self, b: Builder<'p>, active: Option<Val<'p>>, word: Val<'p>, from: Val<'p>) -> Val<'p>;

    /// The value of `word` in lane `lane ^ bit`, where `bit` is a power of two. The result is arbitrary if
    /// the source lane is not active.
    fn butterfly<'p>(
        &self,
        b: Builder<'p>,
        active: Option<Val<'p>>,
        word: Val<'p>,
        from: Val<'p>,
        _bit: u32,
    ) -> Val<'p> {
        self.shuffle(b, active, word, from)
    }

    /// The value of `word` in lane `from`, where `from` is equal in all active lanes. The result is arbitrary if the
    /// source lane is not active.
    fn fetch<'p>(&self, b: Builder<'p>, active: Option<Val<'p>>, word: Val<'p>, from: Val<'p>) -> Val<'p> {
        self.shuffle(b, active, word, from)
    }

    /// The mask of the executing lanes, if the hardware provides this mask. On hardware without a mask of the
    /// executing lanes, ballots before each divergent branch compute the masks.
    fn executing<'p>(&self, _b: Builder<'p>) -> Option<Val<'p>> {
        None
    }
}
