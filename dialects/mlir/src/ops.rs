//! Typed operations of every dialect in use, generated from the dialects' `.td` files by the build script.
//!
//! The module of a dialect contains a constant for each operation (`arith::ADDI`) and the dialect's enumerations. For
//! each operation, the module also contains a view with the operation's parts by name
//! (`arith::Select::of(op)?.true_value()`). The function `make` of a view starts to build an operation
//! (`arith::Select::make`).
mod codec;

use crate::{
    AttrExt,
    access::{AccessKind, Declared, first},
    op::{Op, Val},
};
#[allow(unused)]
use generated::*;
use mlir_sys::mlirOperationGetTypeID;
use std::{
    fmt,
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

/// Defines the view of an operation; for generated code.
#[doc(hidden)]
#[macro_export]
macro_rules! op_view {
    ($ty:ident, $kind:ident, $name:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $ty<'p>($crate::Op<'p>);

        impl<'p> $ty<'p> {
            /// The kind of the operation.
            pub const KIND: $crate::OpKind = $crate::OpKind::$kind;
            /// Full name.
            pub const NAME: &'static str = $name;

            /// The view of `op`; `None` if `op` is a different operation.
            #[inline]
            pub fn of(op: $crate::Op<'p>) -> Option<Self> {
                if op.is(Self::KIND) { Some($ty(op)) } else { None }
            }

            /// The operation.
            #[inline]
            pub fn op(self) -> $crate::Op<'p> {
                self.0
            }
        }
    };
}

/// One operation of a Cube dialect, for docs and tables.
#[derive(Clone, Copy, Debug)]
pub struct OpDecl {
    /// Full name.
    pub name: &'static str,
    /// A summary of one line.
    pub summary: &'static str,
    /// The description for the reference page.
    pub description: &'static str,
    /// Declarative assembly format; empty if the op has C++ syntax.
    pub assembly: &'static str,
    /// Operands: name and constraint.
    pub operands: &'static [(&'static str, &'static str)],
    /// Attributes: name and constraint.
    pub attributes: &'static [(&'static str, &'static str)],
    /// Results: name and constraint.
    pub results: &'static [(&'static str, &'static str)],
}

/// One type or attribute of a Cube dialect, for docs and tables.
#[derive(Clone, Copy, Debug)]
pub struct PartDecl {
    /// Full name with its sigil: `!cube.array`, `#cube.bounds`.
    pub name: &'static str,
    /// A summary of one line.
    pub summary: &'static str,
    /// The description for the reference page.
    pub description: &'static str,
    /// Declarative assembly format of the text after the name.
    pub assembly: &'static str,
    /// The case names of an enum; empty for other attributes.
    pub words: &'static [&'static str],
}

/// Only the generated code of this crate and of the crates of Cube's dialects uses this module.
#[doc(hidden)]
pub mod generated {
    pub use super::codec::{case_of, flag_words, flags_of, written};
    pub use super::{OpDecl, PartDecl};
    pub use crate::{Attribute, Block, Builder, Cx, Op, OpKind, OpSpec, Region, Val, op_view as view};
}

include!(concat!(env!("OUT_DIR"), "/ops.rs"));

impl Dialect {
    /// All dialects in use.
    pub fn all() -> impl Iterator<Item = Dialect> {
        FIRST.iter().map(|(_, dialect)| *dialect)
    }

    /// The dialect of this namespace.
    pub fn named(name: &str) -> Option<Dialect> {
        Dialect::all().find(|dialect| dialect.name() == name)
    }
}

impl OpKind {
    /// All operations, sorted by name.
    pub fn all() -> impl Iterator<Item = OpKind> {
        NAMES[1..].iter().map(|&(_, kind)| kind)
    }

    /// Full name, for example `arith.addi`; empty for `Unknown`.
    #[inline]
    pub const fn name(self) -> &'static str {
        NAMES[self as usize].0
    }

    /// The dialect; `None` for `Unknown`.
    pub fn dialect(self) -> Option<Dialect> {
        let after = FIRST.partition_point(|&(first, _)| first <= self as u16);
        Some(FIRST[after.checked_sub(1)?].1)
    }

    /// The LLVM function, without `llvm.`, of an intrinsic of the LLVM dialect; `None` for other operations.
    pub fn intrinsic(self) -> Option<&'static str> {
        let (dialect, mnemonic) = self.name().split_once('.')?;
        mnemonic.strip_prefix("intr.").filter(|_| dialect == Dialect::Llvm.name())
    }

    /// The operation with this full name; `Unknown` if no dialect in use has it.
    pub fn from_name(name: &str) -> OpKind {
        NAMES.binary_search_by_key(&name, |&(name, _)| name).map_or(OpKind::Unknown, |at| NAMES[at].1)
    }
}

impl fmt::Debug for OpKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == OpKind::Unknown { "unknown" } else { self.name() })
    }
}

impl fmt::Display for OpKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Kinds by the type id of registered operations. The low 48 bits of an entry are the id, the high 16 bits the kind.
///
/// A type id is the address of an operation's type information. The address stays the same while the process runs,
/// so entries never become stale. If an id does not fit into the table, each query looks up the operation by
/// name.
static KINDS: [AtomicU64; 1 << 13] = [const { AtomicU64::new(0) }; 1 << 13];
/// Maximum number of probes of the hash table for one id.
const PROBES: usize = 16;
const ID: u64 = (1 << 48) - 1;

impl<'p> Op<'p> {
    /// The kind of the operation; `Unknown` for operations outside the dialects in use.
    #[inline]
    pub fn kind(self) -> OpKind {
        // SAFETY: a live operation. The id is null if the operation's name is not registered.
        let id = unsafe { mlirOperationGetTypeID(self.raw) }.ptr as u64;
        let start = slot(id);
        let entry = KINDS[start].load(Ordering::Relaxed);
        if id != 0 && entry & ID == id { NAMES[(entry >> 48) as usize].1 } else { self.kind_slowly(id, start) }
    }

    #[cold]
    fn kind_slowly(self, id: u64, start: usize) -> OpKind {
        if id == 0 || id & !ID != 0 {
            return OpKind::from_name(self.name());
        }
        let slots = (0..PROBES).map(|step| &KINDS[(start + step) % KINDS.len()]);
        let mut kind = None;
        for slot in slots {
            let found = slot.load(Ordering::Relaxed);
            if found & ID == id {
                return NAMES[(found >> 48) as usize].1;
            }
            if found == 0 {
                let kind = *kind.get_or_insert_with(|| OpKind::from_name(self.name()));
                let entry = id | (kind as u64) << 48;
                match slot.compare_exchange(0, entry, Ordering::Relaxed, Ordering::Relaxed) {
                    Err(other) if other & ID != id => continue,
                    _ => return kind,
                }
            }
        }
        kind.unwrap_or_else(|| OpKind::from_name(self.name()))
    }

    /// Whether the operation belongs to `dialect`; false for unknown operations.
    pub fn is_of(self, dialect: Dialect) -> bool {
        self.kind().dialect() == Some(dialect)
    }

    /// The operands with numbers in `range`; numbers past the last operand are omitted.
    pub fn operands_in(self, range: Range<usize>) -> impl Iterator<Item = Val<'p>> {
        self.operands().take(range.end).skip(range.start)
    }

    /// The positions of the operands in group `index` of an operation that stores the sizes of its groups.
    pub fn operand_group(self, index: usize) -> Range<usize> {
        self.group("operandSegmentSizes", index)
    }

    /// The positions of the results in group `index` of an operation that stores the sizes of its groups.
    pub fn result_group(self, index: usize) -> Range<usize> {
        self.group("resultSegmentSizes", index)
    }

    fn group(self, sizes: &str, index: usize) -> Range<usize> {
        let sizes = self.attr(sizes).and_then(|sizes| sizes.as_i32_array()).unwrap_or_default();
        let start = sizes.iter().take(index).map(|&size| size as usize).sum();
        start..start + sizes.get(index).map_or(0, |&size| size as usize)
    }

    /// Whether the operation has this kind.
    #[inline]
    pub fn is(self, kind: OpKind) -> bool {
        self.kind() == kind
    }

    /// Whether the full name of the operation is `name`. Use this function for operations of dialects without generated
    /// types, and for names that the compiler receives as text.
    pub fn is_named(self, name: &str) -> bool {
        self.name() == name
    }
}

#[inline]
fn slot(id: u64) -> usize {
    // Fibonacci hashing: the high bits of the product depend on all bits of the id.
    (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize
}

/// The name of a new operation. Passes and backends use an [`OpKind`]; code that receives names as text uses a `&str`.
pub trait OpName<'n>: Copy {
    /// The full name.
    fn text(self) -> &'n str;
}

impl OpName<'static> for OpKind {
    #[inline]
    fn text(self) -> &'static str {
        self.name()
    }
}

impl<'n> OpName<'n> for &'n str {
    fn text(self) -> &'n str {
        self
    }
}

#[cfg(test)]
mod tests;
