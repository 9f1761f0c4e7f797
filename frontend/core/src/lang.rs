//! The kernel language: types, operators, control flow and functions.
pub mod arguments;
pub mod cast;
pub mod cells;
pub mod containers;
pub mod coord;
pub mod debug_names;
pub mod elements;
pub mod flow;
#[doc(hidden)]
pub mod forms;
pub mod indices;
pub mod line;
pub mod logic;
pub mod math;
pub mod minifloats;
pub mod ops;
pub mod options;
pub mod plane;
pub mod prints;
pub mod ranges;
pub mod sequence;
pub mod shapes;
pub mod sizes;
pub mod topology;
pub mod value;
mod variables;
pub mod variants;
