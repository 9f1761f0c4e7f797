//! Builders of operations.
use crate::{
    Cx,
    counters::count_edit,
    op::{Block, Op, Val, string_ref},
    ops::OpName,
};
use melior::ir::{Attribute, Location, Type, TypeLike, attribute::AttributeLike};
use mlir_sys::*;

#[derive(Clone, Copy)]
enum Point<'p> {
    Before(Op<'p>),
    End(Block<'p>),
}

/// Builds operations at an insertion point, all with one location.
#[derive(Clone, Copy)]
pub struct Builder<'p> {
    point: Point<'p>,
    at: Location<'p>,
    cx: Cx<'p>,
}

impl<'p> Builder<'p> {
    /// A builder before `op`, with the location of `op`.
    pub fn before(op: Op<'p>) -> Self {
        Builder { point: Point::Before(op), at: op.location(), cx: op.cx() }
    }

    /// A builder at the end of `block`.
    pub fn at_end(block: Block<'p>, cx: Cx<'p>, at: Location<'p>) -> Self {
        Builder { point: Point::End(block), at, cx }
    }

    /// A builder at the same insertion point with a different location.
    pub fn with_location(mut self, at: Location<'p>) -> Self {
        self.at = at;
        self
    }

    /// The context.
    pub fn cx(self) -> Cx<'p> {
        self.cx
    }

    /// The location of new operations.
    pub fn location(self) -> Location<'p> {
        self.at
    }

    /// Starts building the operation `what`.
    pub fn op<'f>(self, what: impl OpName<'f>) -> OpSpec<'p, 'f> {
        OpSpec {
            builder: self,
            name: what.text(),
            operands: vec![],
            results: vec![],
            attrs: vec![],
            bodies: vec![],
            empty: 0,
            infer: false,
        }
    }

    /// Inserts a deep copy of `op` at the insertion point. Operands that are defined outside of `op` are not copied.
    pub fn insert_copy(self, op: Op<'p>) -> Op<'p> {
        let copy = op.deep_clone();
        self.insert(copy);
        copy
    }

    fn insert(self, op: Op<'p>) {
        count_edit();
        // SAFETY: `op` is detached and owned here; the point is live.
        unsafe {
            match self.point {
                Point::Before(next) => {
                    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(next.raw), next.raw, op.raw)
                }
                Point::End(block) => mlirBlockAppendOwnedOperation(block.raw, op.raw),
            }
        }
    }
}

/// A function that fills the body of a region. The function receives a builder at the end of the body, and the block's
/// arguments.
type Body<'p, 'f> = Box<dyn FnOnce(Builder<'p>, &[Val<'p>]) + 'f>;

/// An operation under construction.
pub struct OpSpec<'p, 'f> {
    builder: Builder<'p>,
    name: &'f str,
    operands: Vec<Val<'p>>,
    results: Vec<Type<'p>>,
    attrs: Vec<(String, Attribute<'p>)>,
    bodies: Vec<(Vec<Type<'p>>, Body<'p, 'f>)>,
    empty: usize,
    infer: bool,
}

impl<'p, 'f> OpSpec<'p, 'f> {
    /// Adds operands.
    pub fn operands(mut self, values: &[Val<'p>]) -> Self {
        self.operands.extend_from_slice(values);
        self
    }

    /// Sets the attribute that stores the number of operands in each group, for operations with several variadic
    /// groups.
    pub fn operand_groups(self, sizes: &[usize]) -> Self {
        let sizes: Vec<i32> = sizes.iter().map(|&size| size as i32).collect();
        let sizes = self.builder.cx.i32_array(&sizes);
        self.attr("operandSegmentSizes", sizes)
    }

    /// Adds a result.
    pub fn result(mut self, ty: Type<'p>) -> Self {
        self.results.push(ty);
        self
    }

    /// Adds results.
    pub fn results(mut self, types: &[Type<'p>]) -> Self {
        self.results.extend_from_slice(types);
        self
    }

    /// Lets the operation infer its result types.
    pub fn infer(mut self) -> Self {
        self.infer = true;
        self
    }

    /// Adds an attribute.
    pub fn attr(mut self, name: &str, value: Attribute<'p>) -> Self {
        self.attrs.push((name.to_string(), value));
        self
    }

    /// Adds a region with one block, whose arguments have the types `args`. `body` fills the block after the operation
    /// is built.
    pub fn body(mut self, args: &[Type<'p>], body: impl FnOnce(Builder<'p>, &[Val<'p>]) + 'f) -> Self {
        self.bodies.push((args.to_vec(), Box::new(body)));
        self
    }

    /// Adds a region without a block, after the regions with a block.
    pub fn empty_region(mut self) -> Self {
        self.empty += 1;
        self
    }

    /// Builds the operation.
    pub fn build(self) -> Op<'p> {
        let b = self.builder;
        let raw_results: Vec<MlirType> = self.results.iter().map(|t| t.to_raw()).collect();
        let raw_operands: Vec<MlirValue> = self.operands.iter().map(|v| v.raw).collect();
        // SAFETY: every handle is live; the new operation owns the regions; a failed inference returns null, which is
        // checked.
        let op = unsafe {
            let raw_attrs: Vec<MlirNamedAttribute> = self
                .attrs
                .iter()
                .map(|(name, value)| {
                    mlirNamedAttributeGet(mlirIdentifierGet(b.cx.raw(), string_ref(name)), value.to_raw())
                })
                .collect();
            let regions: Vec<MlirRegion> = (0..self.bodies.len() + self.empty).map(|_| mlirRegionCreate()).collect();
            let mut state = mlirOperationStateGet(string_ref(self.name), b.at.to_raw());
            mlirOperationStateAddOperands(&mut state, raw_operands.len() as isize, raw_operands.as_ptr());
            mlirOperationStateAddAttributes(&mut state, raw_attrs.len() as isize, raw_attrs.as_ptr());
            mlirOperationStateAddOwnedRegions(&mut state, regions.len() as isize, regions.as_ptr());
            if self.infer {
                mlirOperationStateEnableResultTypeInference(&mut state);
            } else {
                mlirOperationStateAddResults(&mut state, raw_results.len() as isize, raw_results.as_ptr());
            }
            let raw = mlirOperationCreate(&mut state);
            assert!(!raw.ptr.is_null(), "cannot make {}: its result types cannot be inferred", self.name);
            Op::from_raw(raw)
        };
        b.insert(op);
        for ((types, body), region) in self.bodies.into_iter().zip(op.regions().collect::<Vec<_>>()) {
            let raw_types: Vec<MlirType> = types.iter().map(|t| t.to_raw()).collect();
            let locations: Vec<MlirLocation> = types.iter().map(|_| b.at.to_raw()).collect();
            // SAFETY: types and locations have one length; the block is owned by the region at once.
            let block = unsafe {
                let block = mlirBlockCreate(raw_types.len() as isize, raw_types.as_ptr(), locations.as_ptr());
                mlirRegionAppendOwnedBlock(region.to_raw(), block);
                Block::from_raw(block)
            };
            let args: Vec<Val<'p>> = block.args().collect();
            body(Builder::at_end(block, b.cx, b.at), &args);
        }
        op
    }

    /// Builds the operation, passes it to a function and destroys it. The function must not keep the operation or its
    /// results, and must not leave uses of the results.
    pub fn look<R>(self, look: impl FnOnce(Op<'p>) -> R) -> R {
        let op = self.build();
        let answer = look(op);
        assert!(op.is_unused(), "{} is in use after a look at it", op.name());
        // SAFETY: unused, and destroyed once.
        unsafe { mlirOperationDestroy(op.to_raw()) };
        answer
    }

    /// Builds the operation and returns its only result.
    pub fn value(self) -> Val<'p> {
        self.build().result(0)
    }
}
