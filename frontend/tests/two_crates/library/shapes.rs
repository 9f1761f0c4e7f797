//! Types of kernels, and types of the host.
use cubecl::prelude::*;

/// Settings that are known at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    pub rows: u32,
    pub columns: u32,
}

#[derive(CubeType, CubeLaunch, Clone, Copy)]
pub struct Scale<F: Float> {
    pub factor: F,
    pub offset: F,
}

#[cube]
impl<F: Float> Scale<F> {
    pub fn of(self, x: F) -> F {
        x * self.factor + self.offset
    }
}

/// An enum whose variant can depend on a value of the kernel.
#[derive(CubeType, Clone, Copy)]
pub enum Step {
    Add(f32),
    Scaled { by: f32 },
    Keep,
}

/// A type of the host, which kernels cannot use.
#[derive(Clone, Copy)]
pub struct OfHost {
    pub x: f32,
}
