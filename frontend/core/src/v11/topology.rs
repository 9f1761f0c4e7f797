//! Positions of type `usize`. In a kernel, the expansion converts the position of the topology to `usize`.

/// The position of the unit in the launch.
pub static ABSOLUTE_POS: usize = 0;
/// The position of the cube in the launch.
pub static CUBE_POS: usize = 0;
/// The number of cubes of the launch.
pub static CUBE_COUNT: usize = 1;
