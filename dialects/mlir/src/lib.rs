//! MLIR for passes and backends: safe, borrowed, typed views. All `unsafe` code for MLIR is in this crate and
//! `dialects/bridge`.
//!
//! * [`Op`], [`Val`], [`Block`], [`Region`]: borrowed views. The views are `Copy`, and valid for the scope `'p` of one
//!   pass or one query.
//! * [`ops`]: the operations of every dialect in use as types, and [`OpKind`], their enumeration.
//! * [`access`]: the memory that an operation reads or writes.
//! * [`Builder`]: makes operations at an insertion point.
//! * [`Pass`], [`Run`]: the declaration of a pass (name, options, statistics, levels), and one run of a pass over an
//!   operation.
//! * [`rules`]: rewrite rules, and their application to the operations inside an operation.
//! * [`Session`]: a context with Cube's dialects. A session parses modules, runs pipelines and returns diagnostics as
//!   values.
//!
//! Erased operations are unlinked at once, but destroyed only at the end of the scope, so that no view can dangle.
pub mod access;
mod attr;
mod builder;
mod counters;
mod deep;
mod diagnostics;
mod dialect;
mod edit;
mod guard;
mod link;
mod location;
mod memref;
mod op;
pub mod ops;
mod pass;
pub mod properties;
mod ranges;
pub mod remarks;
pub mod rules;
mod scope;
mod session;
mod ty;
pub mod upstream;

pub use attr::AttrExt;
pub use builder::{Builder, OpSpec};
pub use counters::{count_edit, edits, views};
/// The known word with the smallest edit distance to an unknown word.
pub use cube_artifact::suggestion;
pub use cube_artifact::{Diagnostic, Message, Severity, SourceLocation, diagnostic};
pub use deep::on_deep_stack;
pub use diagnostics::location_of;
pub use dialect::{DialectRules, Fold, set_dialects};
pub use edit::Edit;
pub use guard::{guarded, quiet_panics};
pub use link::link_shared_object;
pub use location::name_of;
pub use melior;
pub use melior::Context;
pub use melior::ir::{Attribute, Location, Type, TypeLike, attribute::AttributeLike};
pub use memref::{DYNAMIC, DYNAMIC_INDEX, MemRef, MemorySpace};
pub use op::{Block, Op, Region, Val};
pub use ops::{Dialect, OpKind, OpName};
pub use pass::{
    Failed, Level, OptionDecl, OptionDefault, Pass, PassResult, Run, is_registered_pass, register_pass,
    register_pipeline, registered_pass, statistics_report,
};
pub use ranges::fold_ranges;
pub use scope::read_once;
pub use session::{
    LimitExceeded, Limits, OptEnd, OwnedModule, Session, SessionError, bytecode_of, check_pipeline, insert_dialects,
    is_reworded, lsp_main, opt_main, pre_scan,
};
pub use ty::{Cx, Linkage, TypeExt};
