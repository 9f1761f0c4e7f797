//! Common parts of all lowerings of kernels: topology values as arithmetic, memrefs made of pointer and length, and
//! functions.
use cube_dialect::{
    TopologyKind, ops,
    topology::{Measures, evaluate},
};
use cube_ir::ops::{builtin, llvm};
use cube_ir::{Attribute, Builder, Cx, Linkage, MemRef, Op, Run, Type, Val};
use std::collections::BTreeSet;

/// The position of a unit, as 32-bit values along x, y, z.
#[derive(Clone, Copy)]
pub struct UnitPosition<'p> {
    /// Position in the cube.
    pub unit: [Val<'p>; 3],
    /// Position of the cube in the launch.
    pub cube: [Val<'p>; 3],
    /// Cubes of the launch.
    pub count: [Val<'p>; 3],
    /// Units of a cube.
    pub dim: [u32; 3],
    /// The linear absolute position, if it is known without a computation.
    pub absolute: Option<Val<'p>>,
    /// Lanes of a plane.
    pub lanes: u32,
}

impl<'p> UnitPosition<'p> {
    /// The topology value `kind`, computed at insertion point `b`.
    pub fn value(&self, b: Builder<'p>, kind: TopologyKind) -> Val<'p> {
        let at = InsertionPoint { position: self, b };
        match (kind, self.absolute) {
            (TopologyKind::AbsolutePos, Some(value)) => value,
            _ => at.of(evaluate(kind, &at)),
        }
    }
}

/// A number of 32 bits that is known at compile time or at run time.
#[derive(Clone, Copy)]
enum Number<'p> {
    Known(u32),
    Value(Val<'p>),
}
use Number::{Known, Value};

/// Emits the formulas of topology values as operations at an insertion point.
struct InsertionPoint<'a, 'p> {
    position: &'a UnitPosition<'p>,
    b: Builder<'p>,
}

impl<'p> InsertionPoint<'_, 'p> {
    fn of(&self, number: Number<'p>) -> Val<'p> {
        match number {
            Known(n) => self.b.int(self.b.cx().int(32), i64::from(n as i32)),
            Value(value) => value,
        }
    }

    // The result is known if both operands are known and `known` returns a result.
    fn binary(
        &self,
        (x, y): (Number<'p>, Number<'p>),
        known: impl FnOnce(u32, u32) -> Option<u32>,
        emit: impl FnOnce(Builder<'p>, Val<'p>, Val<'p>) -> Val<'p>,
    ) -> Number<'p> {
        match (x, y) {
            (Known(x), Known(y)) if let Some(result) = known(x, y) => Known(result),
            (x, y) => {
                let (x, y) = (self.of(x), self.of(y));
                Value(emit(self.b, x, y))
            }
        }
    }
}

impl<'p> Measures for InsertionPoint<'_, 'p> {
    type Value = Number<'p>;
    fn unit(&self, axis: usize) -> Number<'p> {
        if self.position.dim[axis] == 1 { Known(0) } else { Value(self.position.unit[axis]) }
    }
    fn cube(&self, axis: usize) -> Number<'p> {
        Value(self.position.cube[axis])
    }
    fn dim(&self, axis: usize) -> Number<'p> {
        Known(self.position.dim[axis])
    }
    fn count(&self, axis: usize) -> Number<'p> {
        Value(self.position.count[axis])
    }
    // Clusters have one cube.
    fn cluster(&self, _: usize) -> Number<'p> {
        Known(1)
    }
    fn plane_dim(&self) -> Number<'p> {
        Known(self.position.lanes)
    }
    fn add(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        self.binary((x, y), |x, y| Some(x.wrapping_add(y)), |b, x, y| b.addi(x, y))
    }
    fn mul(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        self.binary((x, y), |x, y| Some(x.wrapping_mul(y)), |b, x, y| b.muli(x, y))
    }
    fn div(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        self.binary((x, y), u32::checked_div, |b, x, y| b.divui(x, y))
    }
    fn rem(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        match y {
            Known(1) => Known(0),
            _ => self.binary((x, y), u32::checked_rem, |b, x, y| b.remui(x, y)),
        }
    }
}

/// The topology values that the kernel reads.
pub fn used(kernel: Op<'_>) -> BTreeSet<TopologyKind> {
    kernel.walk().into_iter().filter_map(ops::Topology::of).map(|t| t.kind()).collect()
}

/// Replaces all topology reads inside `root`. `position` returns the position of the unit that runs an operation.
pub fn replace_topology<'p>(run: &mut Run<'p>, root: Op<'p>, position: impl Fn(Op<'p>) -> UnitPosition<'p>) {
    for op in root.walk() {
        if let Some(topology) = ops::Topology::of(op) {
            let value = position(op).value(run.before(op), topology.kind());
            run.replace(op, &[value]);
        }
    }
}

/// The descriptor of a memref of one dimension, as upstream's conversion of memrefs creates it. The pointers have
/// address space `space`. Fields: the allocated and the aligned pointer, the offset, the size, and the stride.
pub fn descriptor(cx: Cx<'_>, space: u32) -> Type<'_> {
    let (pointer, number) = (cx.llvm_ptr(space), cx.int(64));
    let dims = cx.llvm_array(1, number);
    cx.llvm_struct(&[pointer, pointer, number, dims, dims])
}

/// A memref of type `ty` over `pointer`, with `length` lines. The pointer must have the memref's address space.
pub fn memref<'p>(b: Builder<'p>, ty: Type<'p>, pointer: Val<'p>, length: Val<'p>) -> Val<'p> {
    let space = MemRef::of(ty).map_or(0, |memref| memref.space.llvm());
    let descriptor = descriptor(b.cx(), space);
    let i64t = b.cx().int(64);
    let constant = |n: i64| b.op(llvm::MLIR_CONSTANT).attr("value", b.cx().int_attr(i64t, n)).result(i64t).value();
    let mut value = b.op(llvm::MLIR_POISON).result(descriptor).value();
    let parts: [(Val<'p>, &[i64]); 5] =
        [(pointer, &[0]), (pointer, &[1]), (constant(0), &[2]), (length, &[3, 0]), (constant(1), &[4, 0])];
    for (part, position) in parts {
        let position = b.cx().i64_array(position);
        value = b.op(llvm::INSERTVALUE).operands(&[value, part]).attr("position", position).result(descriptor).value();
    }
    b.cast(builtin::UNREALIZED_CONVERSION_CAST, value, ty)
}

/// Whether an argument of a legal kernel is a buffer: a memref.
pub fn is_buffer(value: Val<'_>) -> bool {
    MemRef::of(value.ty()).is_some()
}

/// The suffix of the function with the kernel's body. Names of kernels contain no dot, so the function's name never
/// collides with the name of another kernel.
pub const BODY: &str = ".body";

/// The name of the function with the kernel's body.
pub fn body_of(kernel: &str) -> String {
    format!("{kernel}{BODY}")
}

/// A dictionary of unit attributes with these names.
pub fn unit_attrs<'p>(cx: Cx<'p>, names: &[&str]) -> Attribute<'p> {
    cx.dictionary_attr(&names.iter().map(|name| (*name, cx.unit_attr())).collect::<Vec<_>>())
}

/// The parts of an `llvm.func`, which [`Function::build`] creates before a kernel.
pub struct Function<'p> {
    /// The function's symbol.
    pub name: String,
    /// The type of each argument, and the names of its unit attributes.
    pub args: Vec<(Type<'p>, &'static [&'static str])>,
    /// Whether other modules see the function.
    pub linkage: Linkage,
    /// Names and values of attributes.
    pub attrs: Vec<(&'static str, Attribute<'p>)>,
}

impl<'p> Function<'p> {
    /// Creates the function before `kernel`; `body` must leave the block without a terminator.
    pub fn build<'f>(self, kernel: Op<'p>, body: impl FnOnce(Builder<'p>, &[Val<'p>]) + 'f) -> Op<'p> {
        let b = Builder::before(kernel);
        let cx = b.cx();
        let types: Vec<Type<'p>> = self.args.iter().map(|(ty, _)| *ty).collect();
        let signature = cx.llvm_void_function(&types);
        let arg_attrs: Vec<Attribute<'p>> = self.args.iter().map(|(_, names)| unit_attrs(cx, names)).collect();
        let mut spec = b
            .op(llvm::FUNC)
            .attr("sym_name", cx.str_attr(&self.name))
            .attr("function_type", cx.type_attr(signature))
            .attr("linkage", cx.linkage_attr(self.linkage))
            .attr("arg_attrs", cx.array_attr(&arg_attrs));
        for (name, value) in &self.attrs {
            spec = spec.attr(name, *value);
        }
        spec.body(&types, |b, args| {
            body(b, args);
            b.op(llvm::RETURN).build();
        })
        .build()
    }
}
