//! Expands math functions to plain arithmetic, unless the chip has an accurate instruction. Kernels cannot call
//! a math library.
//!
//! ```mlir
//! %y = math.exp %x : f32     ->   about 20 operations of arith and math.fma
//! ```
//! The expansions are in `passes/math`, and their error bounds in semantics/tables/ulp.toml.
//!
//! Functions of f16 and bf16 are computed in f32 with shorter polynomials, because the result is rounded to 11 or 8
//! bits. The pass keeps functions that the chip computes within the published error bound. On chips that use LLVM, the
//! pass keeps fma, sqrt, abs, copysign and rounding. The pass `expand-missing` expands functions that need only a few
//! basic operations.
//!
//! On a chip that does not round a fused product correctly, an algorithm of `passes/math` uses a product and a sum where
//! its bound permits two roundings. If such a chip has f64, the pass computes all other fused products in f64
//! (`expand_math/in_double.rs`). If such a chip has no f64, the pass expands the product to about 190 integer
//! operations, and a root to about 210, also inside other functions. If an algorithm on such a chip uses the rounding
//! error of a sum, the pass computes this sum in f64 or with integers. Shading languages permit compilers to reorder
//! float sums and to flush subnormals. Integer operations are not affected. A fused product of f16 or bf16 is rounded
//! to odd in f32, and then to its type. The algorithms also run on the host, where every input is measured. Cost:
//! linear.
mod function;
mod in_double;

use crate::native::{Native, element_of, integer_function, math_function};
use cube_ir::ops::{arith, math, vector};
use cube_ir::{
    Builder, Cx, Failed, Op, PassResult, Run, Type, TypeExt, TypeLike, Val, pass,
    upstream::{FloatCmp, IntCmp},
};
use cube_ir::{Dialect, OpKind};
use cube_math::{Binary, Double, Emit, Format, Rounding, Short, Single, Tables, fused_by_integers, root_by_integers};
use cube_target::{Element, Format as Fields, MathFunction, Support};
pub use function::bound_name;
use function::{Function, expansion};
use std::{cell::Cell, collections::HashMap, marker::PhantomData};

pass! {
    name: "expand-math",
    summary: "expands math functions to plain arithmetic with known error bounds",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "math"],
    statistics: ["functions expanded"],
    run: run,
}

/// Maximum number of operations to which the functions of one kernel expand.
const MAX_OPERATIONS: u64 = 1 << 20;

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    // The number of operations per function and type, and the total so far.
    let mut sizes: HashMap<(OpKind, usize), u64> = HashMap::new();
    let mut emitted = 0;
    let native = Native::of(run.root());
    for op in run.root().walk() {
        if let Some(value) = class_of(run.before(op), op) {
            report_ignored_flags(run, op);
            run.replace(op, &[value]);
            run.count("functions expanded", 1);
            continue;
        }
        if is_approximated(op, &native) {
            run.passed(
                op,
                "fast-math",
                format_args!("{} becomes the chip's approximate instruction, as the flag afn permits", op.name()),
            );
            continue;
        }
        let Some(function) = function_of(op, &native)? else { continue };
        report_ignored_flags(run, op);
        let ty = op.operand(0).ty();
        let b = run.before(op);
        let kind = (op.kind(), ty.to_raw().ptr as usize);
        let first = !sizes.contains_key(&kind);
        let before = if first { size_around(op) } else { 0 };
        let take = |values: Written<'p>| values.checked(op, &native);
        let values = match element_of(ty) {
            Some(Element::F32) => take(apply::<Single>(b, function, &op.operands().collect::<Vec<_>>(), &native))?,
            Some(Element::F64) => take(apply::<Double>(b, function, &op.operands().collect::<Vec<_>>(), &native))?,
            Some(element) if element.computed_in() == Some(Element::F32) => {
                let wide = ty.with_element(b.cx().f32());
                let operands: Vec<_> = op.operands().map(|v| b.cast(arith::EXTF, v, wide)).collect();
                // A fused product that is rounded to nearest twice can have a wrong last bit. For other functions, the
                // error bound includes the second rounding.
                let function =
                    if matches!(function, Function::Fused(_)) { Function::Fused(Rounding::Odd) } else { function };
                let own = math_function(op.kind()).filter(|f| *f != MathFunction::Fma);
                let values = match own.is_some_and(|f| native.has_math(f, Element::F32)) {
                    true => vec![b.op(op.kind()).operands(&operands).result(wide).value()],
                    false if is_short(function) => take(apply::<Short>(b, function, &operands, &native))?,
                    false => take(apply::<Single>(b, function, &operands, &native))?,
                };
                values.into_iter().map(|v| b.cast(arith::TRUNCF, v, ty)).collect()
            }
            _ => {
                op.error(cube_ir::diagnostic!(CUBE0311.of_type { ty: ty.element() }));
                return Err(Failed);
            }
        };
        if first {
            sizes.insert(kind, size_around(op) - before);
        }
        emitted += sizes[&kind];
        if emitted > MAX_OPERATIONS {
            op.error(cube_ir::diagnostic!(CUBE0317.math { limit: MAX_OPERATIONS }));
            return Err(Failed);
        }
        run.replace(op, &values);
        run.count("functions expanded", 1);
    }
    Ok(())
}

// Whether shorter polynomials suffice for a function whose result is rounded to a narrow float. Remainders are exact,
// so they need all bits. Operands of `atan2` and `hypot` can exceed the divisors for which a chip's short division is
// accurate.
fn is_short(function: Function) -> bool {
    matches!(function, Function::One(_) | Function::SinCos | Function::Two(Binary::Pow))
}

// Functions with a published error bound above 0.5 ULP that `afn` can approximate.
const APPROXIMATED: &[OpKind] =
    &[math::EXP, math::EXP2, math::LOG, math::LOG2, math::SIN, math::COS, math::TAN, math::TANH, math::RSQRT];

// Whether an f32 operation has `afn` and the chip has an approximate instruction. The published bound does not apply to
// this instruction.
pub(crate) fn is_approximated(op: Op<'_>, native: &Native<'_>) -> bool {
    let flags = arith::FastMathFlags::of(op.attr("fastmath"));
    if !flags.is_some_and(|flags| flags.contains(arith::FastMathFlags::AFN)) || op.operands().len() != 1 {
        return false;
    }
    let is_single = op.operand(0).ty().element() == op.cx().f32();
    let form = || native.target().math_accuracy(math_function(op.kind())?, Element::F32);
    is_single && APPROXIMATED.contains(&op.kind()) && form().is_some()
}

// Reports that fast-math flags do not affect a function that keeps its published error bound.
fn report_ignored_flags<'p>(run: &Run<'p>, op: Op<'p>) {
    if arith::FastMathFlags::of(op.attr("fastmath")).is_some_and(|flags| flags != arith::FastMathFlags::NONE) {
        let reason = format_args!("the expansion of {} is accurate, and fast-math flags do not change it", op.name());
        run.missed(op, "fast-math", reason, "if an approximation suffices, write it with basic arithmetic");
    }
}

// The number of operations in the block around `op`, with nested operations.
fn size_around(op: Op<'_>) -> u64 {
    op.block().map_or(0, |block| block.ops().into_iter().map(|op| op.walk().len() as u64).sum())
}

/// Whether the pass replaces an operation of `math` by its expansion on the target of its module.
pub(crate) fn is_expanded(op: Op<'_>) -> bool {
    let native = Native::of(op);
    let own = op.is_of(Dialect::Math) && expansion(op.kind()).is_some() && !is_approximated(op, &native);
    own && matches!(function_of(op, &native), Ok(Some(_)))
}

// The expansion of an operation; `None` if the operation is kept, or if another pass expands it.
fn function_of<'p>(op: Op<'p>, native: &Native<'p>) -> Result<Option<Function>, Failed> {
    if op.is(arith::REMF) {
        return Ok(expansion(op.kind()));
    }
    let left = [math::ABSF, math::ABSI, math::COPYSIGN];
    let is_math = op.is_of(Dialect::Math) || op.is(vector::FMA);
    if !is_math || left.contains(&op.kind()) || integer_function(op.kind()).is_some() {
        return Ok(None);
    }
    if math_function(op.kind()).is_some() && native.has(op) {
        return Ok(None);
    }
    let function = expansion(op.kind());
    if function.is_none() {
        op.error(cube_ir::diagnostic!(CUBE0311.function));
        return Err(Failed);
    }
    Ok(function)
}

/// The result of expanding a function.
struct Written<'p> {
    values: Vec<Val<'p>>,
    /// An operation that the pass computes with integers of the float's width, because the chip's result is not
    /// correctly rounded.
    by_integers: Option<OpKind>,
    of: Element,
}

impl<'p> Written<'p> {
    // Returns the values, if the chip has the integers that their operations use.
    fn checked(self, op: Op<'p>, native: &Native<'p>) -> Result<Vec<Val<'p>>, Failed> {
        let integer = if self.of == Element::F64 { Element::I64 } else { Element::I32 };
        let has = native.target().arithmetic(integer) == Some(Support::Native);
        let Some(missing) = self.by_integers.filter(|_| !has) else { return Ok(self.values) };
        op.error(cube_ir::diagnostic!(CUBE0411.integers {
            function: missing,
            float: self.of.ir(),
            chip: native.name(),
            integer: integer.ir()
        }));
        Err(Failed)
    }
}

// isnan(x): x is unordered with itself; isinf(x): |x| == inf; isfinite(x): |x| < inf; isnormal(x): finite and |x| >=
// the smallest normal number. MLIR's lowering to LLVM supports only two of the four.
fn class_of<'p>(b: Builder<'p>, op: Op<'p>) -> Option<Val<'p>> {
    if !matches!(op.kind(), math::ISNAN | math::ISINF | math::ISFINITE | math::ISNORMAL) {
        return None;
    }
    let (x, ty) = (op.operand(0), op.operand(0).ty());
    let abs = || b.op(math::ABSF).operands(&[x]).result(ty).value();
    let compare = |predicate, limit: f64| b.cmpf(predicate, abs(), b.float(ty, limit));
    let fields = element_of(ty).and_then(Element::format);
    let smallest = fields.map_or(f32::MIN_POSITIVE.into(), Fields::smallest_normal);
    match op.kind() {
        math::ISNAN => Some(b.cmpf(FloatCmp::Uno, x, x)),
        math::ISINF => Some(compare(FloatCmp::Oeq, f64::INFINITY)),
        math::ISFINITE => Some(compare(FloatCmp::Olt, f64::INFINITY)),
        math::ISNORMAL => Some(b.andi(compare(FloatCmp::Olt, f64::INFINITY), compare(FloatCmp::Oge, smallest))),
        _ => None,
    }
}

fn apply<'p, K: Tables>(b: Builder<'p>, function: Function, operands: &[Val<'p>], native: &Native<'p>) -> Written<'p> {
    let of = if K::WIDTH == 64 { Element::F64 } else { Element::F32 };
    let e =
        IrEmit::<K>::new(b, operands[0].ty(), [MathFunction::Fma, MathFunction::Sqrt].map(|f| native.has_math(f, of)));
    let e = IrEmit {
        near_exp2: native.has_near(MathFunction::Exp2, of, 3),
        near_inverse: native.has_near(MathFunction::Recip, of, 1),
        rounds: native.has_math(MathFunction::RoundEven, of),
        division_error: native.division_error(of),
        in_double: of == Element::F32 && in_double::has(native),
        ..e
    };
    let values = match (function, operands) {
        (Function::One(f), [x]) => vec![f.emit(&e, [*x])],
        (Function::Two(f), [x, y]) => vec![f.emit(&e, [*x, *y])],
        (Function::Fused(rounding), [x, y, z]) => vec![e.fused(*x, *y, *z, rounding)],
        (Function::Root, [x]) => vec![e.sqrt(*x)],
        (Function::SinCos, [x]) => vec![cube_math::sin(&e, *x), cube_math::cos(&e, *x)],
        (Function::Clamp, [x, low, high]) => {
            // `math.clampf` is defined as max, then min. A NaN operand gives NaN.
            let raised = b.op(arith::MAXIMUMF).operands(&[*x, *low]).result(x.ty()).value();
            vec![b.op(arith::MINIMUMF).operands(&[raised, *high]).result(x.ty()).value()]
        }
        _ => unreachable!("the verifier of the dialect fixes the number of operands"),
    };
    Written { values, by_integers: e.by_integers.get(), of }
}

/// Emits IR before one operation, for scalars or for each lane of vectors.
struct IrEmit<'p, K> {
    b: Builder<'p>,
    float: Type<'p>,
    int: Type<'p>,
    /// Whether the chip rounds fused products correctly, and whether it rounds roots correctly.
    exact: [bool; 2],
    /// Whether the chip computes powers of two with an error of at most 3 ULP for normal results.
    near_exp2: bool,
    /// Whether the chip computes reciprocals with an error of at most 1 ULP for normal results.
    near_inverse: bool,
    /// Whether the chip rounds to integers.
    rounds: bool,
    /// The error of the chip's division, in ULP.
    division_error: f64,
    /// Whether the pass uses f64 for operations on f32 that the chip does not round correctly.
    in_double: bool,
    by_integers: Cell<Option<OpKind>>,
    kind: PhantomData<K>,
}

impl<'p, K: Tables> IrEmit<'p, K> {
    fn new(b: Builder<'p>, float: Type<'p>, exact: [bool; 2]) -> Self {
        let cx: Cx<'p> = b.cx();
        IrEmit {
            b,
            float,
            int: float.with_element(cx.int(K::WIDTH as u32)),
            exact,
            near_exp2: false,
            near_inverse: false,
            rounds: false,
            division_error: 0.5,
            in_double: false,
            by_integers: Cell::new(None),
            kind: PhantomData,
        }
    }

    fn one(&self, kind: OpKind, a: Val<'p>) -> Val<'p> {
        self.b.op(kind).operands(&[a]).result(a.ty()).value()
    }

    fn fused(&self, a: Val<'p>, b: Val<'p>, c: Val<'p>, rounding: Rounding) -> Val<'p> {
        if self.in_double {
            return in_double::fused(self.b, [a, b, c], rounding);
        }
        self.by_integers.set(Some(math::FMA));
        fused_by_integers(self, a, b, c, rounding)
    }
}

impl<'p, K: Tables> Emit for IrEmit<'p, K> {
    type Kind = K;
    type F = Val<'p>;
    type I = Val<'p>;
    type B = Val<'p>;

    fn f(&self, v: <K as Format>::Float) -> Val<'p> {
        self.b.float(self.float, v.into())
    }
    fn i(&self, v: <K as Format>::Int) -> Val<'p> {
        self.b.int(self.int, v.into())
    }
    fn add(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.addf(a, b)
    }
    fn sub(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.subf(a, b)
    }
    fn mul(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.mulf(a, b)
    }
    fn div(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        if K::PRECISION == K::MANTISSA + 1 {
            return self.b.divf(a, b);
        }
        // The quotient needs only the precision of a short result. `div.approx` of PTX has an error of 2 ULP in f32 for
        // divisors from 2^-126 to 2^126, and gives 0 for larger divisors (PTX ISA 9.1, section 9.7.3.8).
        let approximate = arith::FastMathFlags::AFN.attr(self.b.cx());
        self.b.op(arith::DIVF).operands(&[a, b]).attr("fastmath", approximate).result(a.ty()).value()
    }
    fn division_error(&self) -> f64 {
        self.division_error
    }
    fn fma(&self, a: Val<'p>, b: Val<'p>, c: Val<'p>) -> Val<'p> {
        if !self.exact[0] {
            return self.fused(a, b, c, Rounding::Nearest);
        }
        self.b.op(math::FMA).operands(&[a, b, c]).result(a.ty()).value()
    }
    fn near_fma(&self, a: Val<'p>, b: Val<'p>, c: Val<'p>) -> Val<'p> {
        if self.exact[0] { self.fma(a, b, c) } else { self.b.addf(self.b.mulf(a, b), c) }
    }
    fn nearest_to_product(&self, a: Val<'p>, b: Val<'p>) -> Option<Val<'p>> {
        // A driver can reorder sums, so it could fold a sum and a difference with the same large number.
        (!self.exact[0] && self.rounds).then(|| self.one(math::ROUNDEVEN, self.mul(a, b)))
    }
    fn has_near_exp2(&self) -> bool {
        self.near_exp2
    }
    fn near_exp2(&self, a: Val<'p>) -> Val<'p> {
        // The flag omits the operations that code generators add for subnormal results.
        let approximate = arith::FastMathFlags::AFN.attr(self.b.cx());
        self.b.op(math::EXP2).operands(&[a]).attr("fastmath", approximate).result(a.ty()).value()
    }
    fn has_near_inverse(&self) -> bool {
        self.near_inverse
    }
    fn near_inverse(&self, a: Val<'p>) -> Val<'p> {
        // The flag permits `rcp.approx` of PTX, whose error is 1 ULP (PTX ISA 9.1, section 9.7.3.13).
        let approximate = arith::FastMathFlags::AFN.attr(self.b.cx());
        let one = self.b.float(self.float, 1.0);
        self.b.op(arith::DIVF).operands(&[one, a]).attr("fastmath", approximate).result(a.ty()).value()
    }
    fn sqrt(&self, a: Val<'p>) -> Val<'p> {
        if !self.exact[1] {
            self.by_integers.set(Some(math::SQRT));
            return root_by_integers(self, a);
        }
        self.one(math::SQRT, a)
    }
    fn strict_sum(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        match (self.exact[0], self.in_double) {
            (true, _) => self.add(a, b),
            (_, true) => in_double::rounded(self.b, arith::ADDF, a, b),
            _ => self.fma(a, self.b.float(self.float, 1.0), b),
        }
    }
    fn strict_difference(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        if self.exact[0] { self.sub(a, b) } else { self.strict_sum(a, self.neg(b)) }
    }
    fn strict_product(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        match (self.exact[0], self.in_double) {
            (true, _) => self.mul(a, b),
            (_, true) => in_double::rounded(self.b, arith::MULF, a, b),
            // The addend -0 preserves the sign of a zero product.
            _ => self.fma(a, b, self.b.float(self.float, -0.0)),
        }
    }
    fn neg(&self, a: Val<'p>) -> Val<'p> {
        self.one(arith::NEGF, a)
    }
    fn abs(&self, a: Val<'p>) -> Val<'p> {
        self.one(math::ABSF, a)
    }
    fn copysign(&self, magnitude: Val<'p>, sign: Val<'p>) -> Val<'p> {
        if K::PRECISION < K::MANTISSA + 1 {
            // LLVM moves a `copysign` after the rounding to f16, where a `copysign` needs six PTX instructions.
            let magnitude = self.abs(magnitude);
            let negative = self.ilt(self.bits(sign), self.b.int(self.int, 0));
            return self.select(negative, self.neg(magnitude), magnitude);
        }
        self.b.op(math::COPYSIGN).operands(&[magnitude, sign]).result(magnitude.ty()).value()
    }
    fn bits(&self, a: Val<'p>) -> Val<'p> {
        self.b.cast(arith::BITCAST, a, self.int)
    }
    fn of_bits(&self, a: Val<'p>) -> Val<'p> {
        self.b.cast(arith::BITCAST, a, self.float)
    }
    fn to_int(&self, a: Val<'p>) -> Val<'p> {
        self.b.cast(arith::FPTOSI, a, self.int)
    }
    fn of_int(&self, a: Val<'p>) -> Val<'p> {
        self.b.cast(arith::SITOFP, a, self.float)
    }
    fn iadd(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.addi(a, b)
    }
    fn isub(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.subi(a, b)
    }
    fn imul(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.muli(a, b)
    }
    fn umul_hi(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.op(arith::MULUI_EXTENDED).operands(&[a, b]).results(&[a.ty(), a.ty()]).build().result(1)
    }
    fn iand(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.andi(a, b)
    }
    fn ior(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.ori(a, b)
    }
    fn ixor(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.xori(a, b)
    }
    fn shl(&self, a: Val<'p>, n: Val<'p>) -> Val<'p> {
        self.b.shli(a, n)
    }
    fn shr_s(&self, a: Val<'p>, n: Val<'p>) -> Val<'p> {
        self.b.shrsi(a, n)
    }
    fn shr_u(&self, a: Val<'p>, n: Val<'p>) -> Val<'p> {
        self.b.shrui(a, n)
    }
    fn lt(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.cmpf(FloatCmp::Olt, a, b)
    }
    fn le(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.cmpf(FloatCmp::Ole, a, b)
    }
    fn eq(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.cmpf(FloatCmp::Oeq, a, b)
    }
    fn ilt(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.cmpi(IntCmp::Slt, a, b)
    }
    fn ult(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.cmpi(IntCmp::Ult, a, b)
    }
    fn ieq(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.cmpi(IntCmp::Eq, a, b)
    }
    fn and(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.andi(a, b)
    }
    fn or(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.b.ori(a, b)
    }
    fn not(&self, a: Val<'p>) -> Val<'p> {
        self.b.xori(a, self.b.int(a.ty(), -1))
    }
    fn select(&self, c: Val<'p>, yes: Val<'p>, no: Val<'p>) -> Val<'p> {
        self.b.select(c, yes, no)
    }
    fn iselect(&self, c: Val<'p>, yes: Val<'p>, no: Val<'p>) -> Val<'p> {
        self.b.select(c, yes, no)
    }
}
