//! The `layout` dialect in Rust: typed views generated from `td/`, verifiers, folders, and the layouts and buffer views
//! that its values represent ([`Layouts`]), computed by `cube-algebra`.
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

pub use encoding::{coord_attr, coord_of, layout_attr, layout_text_of, text_of};
pub use evaluate::{Layouts, Refusal, ViewAccess, access_of, is_layout, line_of_view, view_of};
pub use model::{Axis, Fixed, Index, Leaf, Num, Shape, Value, View, digits, known, leaves, shape_of, size};

/// Verifiers and folders, for [`cube_ir::set_dialects`].
pub const RULES: cube_ir::DialectRules = cube_ir::DialectRules {
    dialect: cube_ir::Dialect::Layout,
    verify: verify::verify,
    fold: fold::fold,
    bounds: |_| None,
    verify_attribute: |_, _| Ok(()),
    parse_numbers: encoding::parse,
    print_numbers: |_, numbers| encoding::print(numbers),
    moved: |_| {},
    rewired: |_| {},
};

/// Registers the rules of this dialect and of the cube dialect with the bridge. A program must call this function
/// before it parses the first module; further calls have no effect.
pub fn init() {
    cube_ir::set_dialects(&[&cube_dialect::RULES, &RULES]);
}
