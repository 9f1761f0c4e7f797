//! The `layout` dialect in Rust: typed views generated from `td/`, verifiers, folders, and what its values are: layouts and
//! views of buffers ([`Layouts`]), computed with `cube-algebra` and nothing else.
mod encoding;
mod evaluate;
mod fold;
mod model;
pub mod text;
mod verify;

/// Views of the operations, generated from `td/LayoutOps.td`.
#[allow(missing_docs, clippy::all)]
pub mod ops {
    use cube_ir::ops::generated::*;
    pub use cube_ir::ops::layout::*;
    include!(env!("CUBE_OPS"));
}

pub use encoding::{coord_attr, coord_of, form_of, layout_attr, text_of};
pub use evaluate::{Access, Layouts, Refusal, access_of, is_layout, line_of_view, view_of};
pub use model::{Axis, Fixed, Index, Leaf, Num, Shape, Value, View, digits, known, leaves, shape_of, size};

/// Verifiers and folders, for [`cube_ir::set_dialects`].
pub const RULES: cube_ir::DialectRules = cube_ir::DialectRules {
    dialect: cube_ir::Dialect::Layout,
    verify: verify::verify,
    fold: fold::fold,
    verify_attribute: |_, _| Ok(()),
    parse_words: encoding::parse,
    print_words: |_, words| encoding::print(words),
    moved: |_| {},
};

/// Joins this dialect's and the cube dialect's rules to the bridge. Call it once before anything is parsed; more calls do no
/// harm.
pub fn init() {
    cube_ir::set_dialects(&[&cube_dialect::RULES, &RULES]);
}
