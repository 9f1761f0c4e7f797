//! The integers of a kernel as nodes of a profile.
use cube_artifact::cost::{Function, Node};
use cube_dialect::attributes::DERIVED;
use cube_dialect::topology::{Measures, evaluate};
use cube_dialect::{Shuffle, int_predicate, meaning_of, ops};
use cube_ir::ops::{arith, cube, memref, scf};
use cube_ir::{AttrExt, Op, TypeExt, Val};
use cube_semantics::{Conversion, IntOp, IntPredicate, Meaning};
use std::cell::RefCell;
use std::collections::HashMap;

/// Maximum number of nodes. Integers beyond this number are unknown.
const MOST: usize = 4096;

/// The nodes of a kernel, and the node of each value.
pub(super) struct Nodes<'p> {
    pub nodes: Vec<Node>,
    kernel: ops::Kernel<'p>,
    dim: [u32; 3],
    lanes: u32,
    known: HashMap<Val<'p>, u32>,
    /// Node 0.
    unknown: u32,
}

impl<'p> Nodes<'p> {
    pub fn new(kernel: ops::Kernel<'p>, dim: [u32; 3], lanes: u32) -> Self {
        Nodes { nodes: vec![Node::Unknown], kernel, dim, lanes, known: HashMap::new(), unknown: 0 }
    }

    /// The node without a known value.
    pub fn unknown(&self) -> u32 {
        self.unknown
    }

    /// The node of a value; [`Node::Unknown`] for a value that no node describes.
    pub fn of(&mut self, value: Val<'p>) -> u32 {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let argument = value.block_arg().filter(|(block, _)| block.parent() == Some(self.kernel.op()));
        match argument {
            Some((_, index)) if !value.ty().is_memref() => {
                let derived = self.kernel.arg_attrs().and_then(|a| a.item(index)).and_then(|a| a.entry(DERIVED));
                let text = derived.and_then(|text| text.as_str());
                let launch = Node::Launch(text.map_or_else(|| self.kernel.arg_name(index), String::from));
                let whole = self.add(launch);
                // Other scalars do not affect addresses, and the profile has no values for them.
                let node = match value.ty().bits().filter(|_| value.ty().is_int()) {
                    Some(bits) => self.add(Node::Low { x: whole, bits: bits.min(64) as u8 }),
                    None => {
                        self.nodes[whole as usize] = Node::Unknown;
                        self.unknown
                    }
                };
                self.known.insert(value, node);
                node
            }
            _ => self.unknown,
        }
    }

    /// The name of a buffer argument; empty for another value.
    pub fn argument_name(&self, value: Val<'p>) -> String {
        value.block_arg().map_or(String::new(), |(_, index)| self.kernel.arg_name(index))
    }

    /// Records `value` as the counter of the loop with the number `block`.
    pub fn counter(&mut self, value: Val<'p>, block: u32) {
        let node = self.add(Node::Counter(block));
        self.known.insert(value, node);
    }

    /// Records nodes for the integer results of a branch, after its arms.
    pub fn joined(&mut self, op: Op<'p>, condition: u32) {
        let ends: Vec<Op<'p>> = op.regions().filter_map(|r| r.first_block()?.terminator()).collect();
        let [yes, no] = ends[..] else { return };
        for (number, result) in op.results().enumerate() {
            if width(result).is_some() && yes.is(scf::YIELD) && no.is(scf::YIELD) {
                let (yes, no) = (self.of(yes.operand(number)), self.of(no.operand(number)));
                let node = self.add(Node::Select(condition, yes, no));
                self.known.insert(result, node);
            }
        }
    }

    /// Records a node for the integer result of `op`. Ignores operations with no result or with several results.
    pub fn define(&mut self, op: Op<'p>) {
        if op.results().len() != 1 {
            return;
        }
        let result = op.result(0);
        let Some(bits) = width(result) else { return };
        let node = self.node(op, bits).unwrap_or(self.unknown);
        self.known.insert(result, node);
    }

    fn add(&mut self, node: Node) -> u32 {
        if self.nodes.len() >= MOST {
            return self.unknown;
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    fn node(&mut self, op: Op<'p>, bits: u8) -> Option<u32> {
        if op.is(arith::CONSTANT) {
            let number = op.attr("value")?.as_int()? as u64 & (u64::MAX >> (64 - u32::from(bits)));
            return Some(self.add(Node::Number(number)));
        }
        if let Some(topology) = ops::Topology::of(op) {
            let measures = Positions { dim: self.dim, lanes: self.lanes, nodes: RefCell::new(self) };
            return Some(evaluate(topology.kind(), &measures));
        }
        if is_length(op) {
            let name = self.argument_name(op.operand(0));
            return (!name.is_empty()).then(|| self.add(Node::Launch(format!("len({name})"))));
        }
        match op.kind() {
            arith::SELECT => {
                let [condition, yes, no] = [0, 1, 2].map(|n| self.of(op.operand(n)));
                return Some(self.add(Node::Select(condition, yes, no)));
            }
            cube::PLANE_SHUFFLE => {
                ops::PlaneShuffle::of(op)?.shuffle().filter(|way| *way == Shuffle::Idx)?;
                let [value, lane] = [0, 1].map(|n| self.of(op.operand(n)));
                return Some(self.add(Node::Lane(value, lane)));
            }
            _ => {}
        }
        let x = op.operands().next().map(|x| self.of(x))?;
        match meaning_of(op.kind())? {
            Meaning::Int(int) => {
                let y = self.of(op.operands().nth(1)?);
                Some(self.add(Node::Binary { function: function(int)?, bits, x, y }))
            }
            Meaning::CompareInts => {
                let y = self.of(op.operand(1));
                let bits = width(op.operand(0))?;
                let (function, x, y) = match int_predicate(op)? {
                    IntPredicate::Eq => (Function::Eq, x, y),
                    IntPredicate::Ne => (Function::Ne, x, y),
                    IntPredicate::Ult => (Function::LtU, x, y),
                    IntPredicate::Ule => (Function::LeU, x, y),
                    IntPredicate::Ugt => (Function::LtU, y, x),
                    IntPredicate::Uge => (Function::LeU, y, x),
                    IntPredicate::Slt => (Function::LtS, x, y),
                    IntPredicate::Sle => (Function::LeS, x, y),
                    IntPredicate::Sgt => (Function::LtS, y, x),
                    IntPredicate::Sge => (Function::LeS, y, x),
                };
                Some(self.add(Node::Binary { function, bits, x, y }))
            }
            Meaning::Convert(conversion) => {
                let from = width(op.operand(0))?;
                let extends = matches!(conversion, Conversion::SignExtend | Conversion::IndexSigned) && from < bits;
                let x = if extends { self.add(Node::Signed { x, bits: from }) } else { x };
                let known = matches!(
                    conversion,
                    Conversion::Truncate
                        | Conversion::SignExtend
                        | Conversion::ZeroExtend
                        | Conversion::IndexSigned
                        | Conversion::IndexUnsigned
                );
                known.then(|| self.add(Node::Low { x, bits }))
            }
            _ => None,
        }
    }
}

// The width of a scalar integer in bits; `None` for other types.
fn width(value: Val<'_>) -> Option<u8> {
    if value.ty().is_index() {
        return Some(64);
    }
    let bits =
        value.ty().bits().filter(|bits| value.ty().is_int() && value.ty().is_scalar() && (1..=64).contains(bits));
    bits.map(|bits| bits as u8)
}

fn function(int: IntOp) -> Option<Function> {
    Some(match int {
        IntOp::Add => Function::Add,
        IntOp::Sub => Function::Sub,
        IntOp::Mul => Function::Mul,
        IntOp::DivU => Function::DivU,
        IntOp::DivS => Function::DivS,
        IntOp::RemU => Function::RemU,
        IntOp::RemS => Function::RemS,
        IntOp::MinU => Function::MinU,
        IntOp::MaxU => Function::MaxU,
        IntOp::MinS => Function::MinS,
        IntOp::MaxS => Function::MaxS,
        IntOp::And => Function::And,
        IntOp::Or => Function::Or,
        IntOp::Xor => Function::Xor,
        IntOp::Shl => Function::Shl,
        IntOp::ShrU => Function::ShrU,
        IntOp::ShrS => Function::ShrS,
        _ => return None,
    })
}

// The formulas of topology values as nodes.
struct Positions<'a, 'p> {
    dim: [u32; 3],
    lanes: u32,
    nodes: RefCell<&'a mut Nodes<'p>>,
}

impl Positions<'_, '_> {
    fn add(&self, node: Node) -> u32 {
        self.nodes.borrow_mut().add(node)
    }

    fn binary(&self, function: Function, x: u32, y: u32) -> u32 {
        self.add(Node::Binary { function, bits: 32, x, y })
    }
}

impl Measures for Positions<'_, '_> {
    type Value = u32;
    fn unit(&self, axis: usize) -> u32 {
        self.add(Node::Unit(axis as u8))
    }
    fn cube(&self, axis: usize) -> u32 {
        self.add(Node::Cube(axis as u8))
    }
    fn dim(&self, axis: usize) -> u32 {
        self.add(Node::Number(self.dim[axis].into()))
    }
    fn count(&self, axis: usize) -> u32 {
        self.add(Node::Count(axis as u8))
    }
    fn cluster(&self, _: usize) -> u32 {
        self.add(Node::Number(1))
    }
    fn plane_dim(&self) -> u32 {
        self.add(Node::Number(self.lanes.into()))
    }
    fn add(&self, x: u32, y: u32) -> u32 {
        self.binary(Function::Add, x, y)
    }
    fn mul(&self, x: u32, y: u32) -> u32 {
        self.binary(Function::Mul, x, y)
    }
    fn div(&self, x: u32, y: u32) -> u32 {
        self.binary(Function::DivU, x, y)
    }
    fn rem(&self, x: u32, y: u32) -> u32 {
        self.binary(Function::RemU, x, y)
    }
}

/// Whether an operation reads the length of a buffer.
pub(super) fn is_length(op: Op<'_>) -> bool {
    op.is(memref::DIM)
}
