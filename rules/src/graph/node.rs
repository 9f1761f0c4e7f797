//! Nodes of the e-graph: an operation with types, lanes and flags.
use crate::{Flags, Op};
use cube_semantics::{COMPUTED, Number};
use egg::{Id, Language};

/// A type, encoded as a number so that types have an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ty(u16);

// Float types have numbers above the widths of integers.
const FLOATS: u16 = 256;

impl From<Number> for Ty {
    fn from(number: Number) -> Ty {
        match number {
            Number::Int(bits) => Ty(bits as u16),
            // All storage types share the number after the last computed float. Operations do not compute with storage
            // types.
            Number::Float(_) => Ty(FLOATS + number.format().unwrap_or(COMPUTED.len()) as u16),
        }
    }
}

impl Ty {
    /// The type.
    pub fn number(self) -> Number {
        match self.0.checked_sub(FLOATS) {
            None => Number::Int(self.0.into()),
            Some(format) => Number::Float(COMPUTED[usize::from(format).min(COMPUTED.len() - 1)]),
        }
    }
}

/// The kind of an e-graph node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// An opaque value, identified by its leaf number.
    Leaf(u32),
    /// A constant, given by a bit pattern that is equal in all elements.
    Constant(u64),
    /// An operation with its fast-math flags.
    Apply(Op, Flags),
}

/// All parts of a node except the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Head {
    pub kind: NodeKind,
    /// The type of the operands.
    pub from: Ty,
    /// The type of the result.
    pub to: Ty,
    /// The number of elements of the vector; 0 for a scalar.
    pub lanes: u32,
}

/// An e-graph node with at most three operands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// All parts of the node except the operands.
    pub head: Head,
    count: u8,
    args: [Id; 3],
}

impl Node {
    fn of(head: Head, args: &[Id]) -> Node {
        let mut all = [Id::from(0); 3];
        let count = args.len().min(3);
        all[..count].copy_from_slice(&args[..count]);
        Node { head, count: count as u8, args: all }
    }

    pub fn leaf(number: u32, ty: Number, lanes: u32) -> Node {
        Node::of(Head { kind: NodeKind::Leaf(number), from: ty.into(), to: ty.into(), lanes }, &[])
    }

    pub fn constant(bits: u64, ty: Number, lanes: u32) -> Node {
        Node::of(Head { kind: NodeKind::Constant(bits), from: ty.into(), to: ty.into(), lanes }, &[])
    }

    /// An operation.
    pub fn apply(op: Op, [from, to]: [Number; 2], lanes: u32, flags: Flags, args: &[Id]) -> Node {
        Node::of(Head { kind: NodeKind::Apply(op, flags), from: from.into(), to: to.into(), lanes }, args)
    }
}

impl Language for Node {
    type Discriminant = Head;

    fn discriminant(&self) -> Head {
        self.head
    }

    fn matches(&self, other: &Node) -> bool {
        self.head == other.head && self.count == other.count
    }

    fn children(&self) -> &[Id] {
        &self.args[..usize::from(self.count)]
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.args[..usize::from(self.count)]
    }
}
