//! An exact version of CuTe's layout algebra: every operation returns a correct layout, or a refusal with a
//! proof.
//!
//! A layout such as `(4,(2,8)):(1,(4,32))` is a function from indices to offsets. CuTe defines arithmetic on layouts:
//! composition, complement, division and product. However, CuTe does not report every divisibility condition that
//! fails. In this crate, composition is decided exactly (`compose`), and each refusal has a [`Witness`]. The witness
//! has the mode, the violated condition, the nearest tile that works, and an index. The witness also has the
//! correct offset at this index, and the offset of the nearest layout. All arithmetic is 64-bit and checked at
//! construction, so no operation can overflow or panic.
//!
//! ```
//! use cube_algebra::{Layout, Tiler, compose, zipped_divide};
//!
//! let a: Layout = "(6,2):(8,2)".parse().unwrap();
//! let b: Layout = "(4,3):(3,1)".parse().unwrap();
//! assert_eq!(compose(&a, &b).unwrap().to_string(), "((2,2),3):((24,2),8)");
//!
//! let tensor: Layout = "(2048,2048):(2048,1)".parse().unwrap();
//! let tiles = zipped_divide(&tensor, &"<1;4>".parse::<Tiler>().unwrap()).unwrap();
//! assert_eq!(tiles.to_string(), "((1,4),(2048,512)):((0,1),(2048,4))");
//!
//! let error = compose(&"(4,3):(1,10)".parse().unwrap(), &"6:1".parse().unwrap()).unwrap_err();
//! assert_eq!(error.witness.unwrap().tile.unwrap().to_string(), "4:1");
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod access;
mod carry;
mod coalesce;
mod collide;
mod complement;
mod compose;
mod composed;
mod coord;
mod divide;
mod error;
mod inverse;
mod layout;
mod nest;
mod parse;
mod product;
mod swizzle;
pub mod synthesis;
mod tiler;
mod tv;

pub use coalesce::{coalesce, coalesce_by_mode, filter, filter_zeros};
pub use collide::{collision, injective};
pub use complement::{complement, tiling_complement};
pub use compose::{compose, compose_tiler};
pub use composed::{Composed, layout_of_table};
pub use coord::{Coord, Slice, crd2idx, idx2crd, path_text, slice};
pub use divide::{flat_divide, logical_divide, round_up, tiled_divide, zipped_divide};
pub use error::{Error, ErrorKind, Point, Result, Witness};
pub use inverse::{left_inverse, right_inverse};
pub use layout::{LIMIT, Layout, Mode};
pub use nest::{MAX_DEPTH, Nest};
pub use parse::Cursor;
pub use product::{blocked_product, logical_product, raked_product, tiled_product, zipped_product};
pub use swizzle::{Swizzle, SwizzlePair, compose_swizzles};
pub use tiler::Tiler;
pub use tv::{ThreadValue, make_layout_tv};
