//! Expands `cube.cast`, which converts between any two number types and is defined for every value, to
//! `arith` operations.
//!
//! ```mlir
//! cube.cast %x : f32 to i32       ->  x < -2^31 ? MIN : x >= 2^31 ? MAX : x is NaN ? 0 : arith.fptosi x
//! cube.cast %x saturate : i32 to i8   ->  arith.trunci (x clamped to -128 .. 127)
//! cube.cast %x : i64 to bf16      ->  i64 to f64 with what is lost kept as a sticky bit, then rounded once
//! cube.cast %x : i64 to f16       ->  i64 to f32, then to f16: an integer that f32 rounds exceeds the range of f16
//! cube.cast %x : f32 to f8E4M3FN  ->  arith on the bits, the result as an i8
//! ```
//!
//! A conversion to a narrower float has the result of a single rounding. A number with more significant bits than f32
//! is first rounded to f32 with rounding to odd, so that the second rounding is correct (Boldo and Melquiond, "When
//! double rounding is odd", 2005). The pass stores a storage type of 4, 6 or 8 bits as an i8, and the storage type tf32
//! as an f32 whose last 13 bits are zero. A conversion that the chip's description lists becomes one operation. For fp8, this
//! operation is `arith.truncf` or `arith.extf` between bit casts. Invariant: no `cube.cast` and no tf32 remains, and
//! fp8 remains only in conversions that the chip's description lists. If the chip has no f64 or a slow f64, conversions
//! of integers to bf16 and tf32 go through f32. In this case, integer operations first round the integer to odd. Cost:
//! linear.
pub mod fp8;
mod odd;
mod rounding;
mod scale;

use super::expand_casts::round_to_odd;
use crate::native::{Native, element_of};
use cube_dialect::{BufferType, Rounding, ops};
use cube_ir::ops::{arith, builtin};
use cube_ir::{
    AttrExt, Builder, Cx, Failed, Op, PassResult, Run, Type, TypeExt, Val, pass,
    upstream::{FloatCmp, IntCmp},
};
use cube_ir::{Dialect, OpKind};
use cube_target::{Element, Format, Support, Target};

pass! {
    name: "expand-conversions",
    summary: "expands cube.cast, and stores narrow floats and tf32 as their storage types",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "math", "cube"],
    statistics: ["conversions expanded"],
    run: run,
}

/// A storage type: its float format, and the element type that stores its bits.
#[derive(Clone, Copy)]
struct Storage {
    format: Format,
    holder: Element,
}

impl Storage {
    fn of(ty: Type<'_>) -> Option<Storage> {
        if !ty.is_fp() || ty.bits().is_some_and(|b| b >= 32) {
            return None;
        }
        let element = element_of(ty)?;
        Some(Storage { format: element.format()?, holder: element.holder()? })
    }

    /// Whether the type is stored as an f32 whose low bits are zero. Other storage types are stored as a byte.
    fn is_wide(self) -> bool {
        self.holder == Element::F32
    }

    /// The operation between the type and its register type during the pass. A bit cast requires equal widths.
    fn bits(self) -> OpKind {
        if self.format.width() == 8 { arith::BITCAST } else { builtin::UNREALIZED_CONVERSION_CAST }
    }

    /// The IR type that stores the number in a register and in memory.
    fn register(self, cx: Cx<'_>) -> Type<'_> {
        if self.is_wide() { cx.f32() } else { cx.int(8) }
    }
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let all = run.root().walk();
    let native = Native::of(run.root());
    for op in &all {
        has_code(*op, native.target())?;
        if let Some(cast) = ops::Cast::of(*op) {
            let value = expanded(run.before(*op), cast, &native);
            run.replace(*op, &[value]);
            run.count("conversions expanded", 1);
        } else if let Some(value) = reinterpreted(run.before(*op), *op) {
            run.replace(*op, &[value]);
        } else {
            check(*op)?;
        }
    }
    let all = run.root().walk();
    all.iter().copied().try_for_each(store)?;
    for op in all {
        if op.is(builtin::UNREALIZED_CONVERSION_CAST) && op.operand(0).ty() == op.result(0).ty() {
            run.replace(op, &[op.operand(0)]);
        }
    }
    Ok(())
}

fn moves(op: Op<'_>) -> bool {
    [arith::CONSTANT, arith::SELECT, arith::BITCAST].contains(&op.kind())
        || op.kind() != OpKind::Unknown && !op.is_of(Dialect::Arith) && !op.is_of(Dialect::Math)
}

// Refuses computations and conversions with a narrow float type that the chip supports only in loads and stores.
fn has_code(op: Op<'_>, target: &Target) -> PassResult {
    let stored = |ty: Type<'_>| {
        let narrow = ty.is_fp() && ty.bits().is_some_and(|bits| bits < 32);
        let element = narrow.then(|| element_of(ty)).flatten().filter(|e| e.computed_in().is_some());
        element.is_some_and(|element| target.arithmetic(element) == Some(Support::Storage))
    };
    let value = op.operands().chain(op.results()).find(|v| stored(v.ty()));
    match value {
        Some(value) if !moves(op) || ops::Cast::of(op).is_some() => {
            op.error(cube_ir::diagnostic!(CUBE0314.on_chip { element: value.ty().element(), chip: &target.chip }));
            Err(Failed)
        }
        _ => Ok(()),
    }
}

// Refuses computations with a value of a storage type. Kernels can only copy and convert these values.
fn check(op: Op<'_>) -> PassResult {
    let storage = op.operands().chain(op.results()).find(|v| Storage::of(v.ty()).is_some());
    match storage {
        Some(value) if !moves(op) => {
            op.error(cube_ir::diagnostic!(CUBE0314.stored { element: value.ty().element() }));
            Err(Failed)
        }
        _ => Ok(()),
    }
}

// A bit cast between a float of fewer than 8 bits and the integer of the same width, or the extension of such an integer.
// The float is the lower part of a byte. An extension after the bit cast, and a truncation before it, become operations
// on the byte, because few chips have integers of fewer than 8 bits.
fn reinterpreted<'p>(b: Builder<'p>, op: Op<'p>) -> Option<Val<'p>> {
    if !op.is(arith::BITCAST) && !op.is(arith::EXTUI) {
        return None;
    }
    let narrow = |ty: Type<'_>| Storage::of(ty).map(|s| s.format.width()).filter(|width| *width < 8);
    let (x, to) = (op.operand(0), op.result(0).ty());
    let byte = to.with_element(b.cx().int(8));
    let part = |byte: Val<'p>, width: u32| b.andi(byte, b.int(byte.ty(), (1 << width) - 1));
    let same = |x: Val<'p>, to: Type<'p>| b.cast(builtin::UNREALIZED_CONVERSION_CAST, x, to);
    if op.is(arith::EXTUI) {
        let source = x.def_of(arith::TRUNCI)?.operand(0).def_of(builtin::UNREALIZED_CONVERSION_CAST)?;
        let whole = part(source.result(0), narrow(source.operand(0).ty())?);
        return Some(if to == byte { whole } else { b.cast(arith::EXTUI, whole, to) });
    }
    match (narrow(x.ty()), narrow(to)) {
        (Some(_), None) => Some(b.cast(arith::TRUNCI, same(x, byte), to)),
        (None, Some(width)) => {
            let wide = x.def_of(arith::TRUNCI).map(|trunci| trunci.operand(0));
            let bits = match wide {
                Some(wide) if wide.ty() == byte => part(wide, width),
                Some(wide) if wide.ty().bits().is_some_and(|bits| bits > 8) => {
                    part(b.cast(arith::TRUNCI, wide, byte), width)
                }
                _ => b.cast(arith::EXTUI, x, byte),
            };
            Some(same(bits, to))
        }
        _ => None,
    }
}

// Whether the operation is a native conversion of the chip, or the bit cast before a native conversion. These
// operations keep their 8-bit float type.
fn is_native(op: Op<'_>) -> bool {
    let widened = || op.result(0).uses().iter().any(|(user, _)| user.is(arith::EXTF));
    op.is(arith::TRUNCF) || op.is(arith::BITCAST) && widened()
}

// Changes the types of all results and block arguments of an operation to their register types.
fn store(op: Op<'_>) -> PassResult {
    let cx = op.cx();
    if is_native(op) {
        return Ok(());
    }
    for value in op.results().chain(op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>())) {
        if let Some(storage) = Storage::of(value.ty()) {
            value.set_type(value.ty().with_element(storage.register(cx)));
        } else if let Some(buffer) = BufferType::of(value.ty())
            && let Some(storage) = Storage::of(buffer.element)
        {
            value.set_type(BufferType { element: storage.register(cx), ..buffer }.get());
        }
    }
    if op.is(arith::CONSTANT) {
        constant(op);
    }
    if let Some(kernel) = ops::Kernel::of(op).and_then(|k| k.block()) {
        let types: Vec<Type<'_>> = kernel.args().map(|a| a.ty()).collect();
        op.set_attr("function_type", cx.type_attr(cx.function(&types, &[])));
    }
    Ok(())
}

fn constant(op: Op<'_>) {
    let Some(value) = op.attr("value") else { return };
    let Some(storage) = value.value_type().and_then(Storage::of) else { return };
    let ty = op.result(0).ty();
    let bits = |number: f64| fp8::encode(storage.format, number);
    let new = match (storage.is_wide(), value.as_float(), value.as_elements()) {
        (true, Some(number), _) => Some(op.cx().float_attr(ty, number)),
        (_, Some(number), _) => Some(op.cx().int_attr(ty, bits(number))),
        (_, None, Some(elements)) => {
            let element = |number: f64| match storage.is_wide() {
                true => op.cx().float_attr(ty.element(), number),
                false => op.cx().int_attr(ty.element(), bits(number)),
            };
            let elements = elements.iter().map(|e| element(e.as_float().unwrap_or(0.0)));
            op.cx().elements_attr(ty, &elements.collect::<Vec<_>>())
        }
        _ => None,
    };
    if let Some(new) = new {
        op.set_attr("value", new);
    }
}

#[derive(Clone, Copy)]
struct CastOptions {
    from_unsigned: bool,
    to_unsigned: bool,
    saturate: bool,
    rounding: Rounding,
}

fn expanded<'p>(b: Builder<'p>, cast: ops::Cast<'p>, native: &Native<'p>) -> Val<'p> {
    let (x, to) = (cast.value(), cast.op().result(0).ty());
    let options = CastOptions {
        from_unsigned: cast.from_unsigned().is_some() || x.ty().bits() == Some(1),
        to_unsigned: cast.to_unsigned().is_some(),
        saturate: cast.saturate().is_some(),
        rounding: cast.rounding().unwrap_or(Rounding::NearestEven),
    };
    let x = match Storage::of(x.ty()) {
        Some(storage) if storage.is_wide() => {
            // The operand gets its register type at the end of the pass. Before, a cast keeps the types valid.
            let single = x.ty().with_element(b.cx().f32());
            rounding::of_tf32(b, b.cast(builtin::UNREALIZED_CONVERSION_CAST, x, single))
        }
        Some(storage) => {
            let (narrow, byte) = (x.ty(), x.ty().with_element(b.cx().int(8)));
            let single = narrow.with_element(b.cx().f32());
            let bits = b.cast(storage.bits(), x, byte);
            match native.converts(narrow, single) {
                true => b.cast(arith::EXTF, b.cast(arith::BITCAST, bits, narrow), single),
                false if storage.format.is_signed() => fp8::decode(b, storage.format, bits),
                false => scale::decode(b, bits),
            }
        }
        None => x,
    };
    let (x, options) = before_extension(x, options);
    match (x.ty().is_fp(), to.is_fp()) {
        (false, false) => int_to_int(b, x, to, options),
        (true, false) => float_to_int(b, x, to, options),
        (false, true) => int_to_float(b, x, to, options, native),
        (true, true) => float_to_float(b, x, to, options, native),
    }
}

// The operand of an extension, with the sign under which it has the value of the extension. The clamp of a saturating
// conversion and a conversion to a float then use the narrower type.
fn before_extension<'p>(x: Val<'p>, options: CastOptions) -> (Val<'p>, CastOptions) {
    let extension = |kind| x.def_of(kind).filter(|op| bits(op.operand(0).ty()) > 1);
    match (extension(arith::EXTUI), extension(arith::EXTSI)) {
        (Some(extended), _) => (extended.operand(0), CastOptions { from_unsigned: true, ..options }),
        (_, Some(extended)) if !options.from_unsigned => (extended.operand(0), options),
        _ => (x, options),
    }
}

fn bits(ty: Type<'_>) -> u32 {
    ty.bits().unwrap_or(32)
}

fn int_to_int<'p>(b: Builder<'p>, x: Val<'p>, to: Type<'p>, options: CastOptions) -> Val<'p> {
    let (from_bits, to_bits) = (bits(x.ty()), bits(to));
    if to_bits == 1 {
        return b.cmpi(IntCmp::Ne, x, b.int(x.ty(), 0));
    }
    let mut x = x;
    if options.saturate {
        x = clamp(b, x, to_bits, options);
    }
    match from_bits.cmp(&to_bits) {
        std::cmp::Ordering::Equal => x,
        std::cmp::Ordering::Greater => b.cast(arith::TRUNCI, x, to),
        std::cmp::Ordering::Less if options.from_unsigned => b.cast(arith::EXTUI, x, to),
        std::cmp::Ordering::Less => b.cast(arith::EXTSI, x, to),
    }
}

// Clamps to the range of the destination type, in the source type. A bound outside the range of the source type is
// omitted.
fn clamp<'p>(b: Builder<'p>, x: Val<'p>, to_bits: u32, options: CastOptions) -> Val<'p> {
    let ty = x.ty();
    let from_bits = bits(ty);
    let top = i128::from(options.to_unsigned) + i128::from(to_bits) - 1;
    let (low, high) = (if options.to_unsigned { 0 } else { -(1i128 << (to_bits - 1)) }, (1i128 << top) - 1);
    let own_top = i128::from(options.from_unsigned) + i128::from(from_bits) - 1;
    let (own_low, own_high) =
        (if options.from_unsigned { 0 } else { -(1i128 << (from_bits - 1)) }, (1i128 << own_top) - 1);
    let (min, max) = if options.from_unsigned { (arith::MINUI, arith::MAXUI) } else { (arith::MINSI, arith::MAXSI) };
    let of = |name, x: Val<'p>, n: i128| b.op(name).operands(&[x, b.int(ty, n as i64)]).result(ty).value();
    let x = if high < own_high { of(min, x, high) } else { x };
    if low > own_low { of(max, x, low) } else { x }
}

fn float_to_int<'p>(b: Builder<'p>, x: Val<'p>, to: Type<'p>, options: CastOptions) -> Val<'p> {
    let to_bits = bits(to);
    if to_bits == 1 {
        return b.cmpf(FloatCmp::Une, x, b.zero(x.ty()));
    }
    // The bounds are powers of two. f32 represents these bounds for every width, and f16 does not.
    let x = if bits(x.ty()) < 32 { b.cast(arith::EXTF, x, x.ty().with_element(b.cx().f32())) } else { x };
    let ty = x.ty();
    let width = to_bits.min(64) as i32;
    let (low, high) = match options.to_unsigned {
        true => (0.0, 2f64.powi(width)),
        false => (-(2f64.powi(width - 1)), 2f64.powi(width - 1)),
    };
    let (min, max) = match options.to_unsigned {
        true => (0, -1),
        false => (i64::MIN >> (64 - width), i64::MAX >> (64 - width)),
    };
    // A value between `low - 1` and `low` truncates to `low`, which is also the result for all smaller values. A
    // comparison with `low` is therefore enough.
    let below = b.cmpf(FloatCmp::Ole, x, b.float(ty, low));
    let above = b.cmpf(FloatCmp::Oge, x, b.float(ty, high));
    let nan = b.cmpf(FloatCmp::Uno, x, x);
    let outside = b.ori(b.ori(below, above), nan);
    let safe = b.select(outside, b.zero(ty), x);
    let name = if options.to_unsigned { arith::FPTOUI } else { arith::FPTOSI };
    let value = b.cast(name, safe, to);
    let value = b.select(below, b.int(to, min), value);
    b.select(above, b.int(to, max), value)
}

fn int_to_float<'p>(b: Builder<'p>, x: Val<'p>, to: Type<'p>, options: CastOptions, native: &Native<'p>) -> Val<'p> {
    let name = if options.from_unsigned { arith::UITOFP } else { arith::SITOFP };
    let plain = Storage::of(to).is_none() && bits(to) >= 32;
    if plain {
        return b.cast(name, x, to);
    }
    if options.rounding == Rounding::NearestEven && native.converts(x.ty(), to) {
        let value = b.cast(name, x, to);
        return if options.saturate { rounding::finite(b, value, to) } else { value };
    }
    let wide = match bits(x.ty()) {
        // The smallest positive integer that f32 cannot represent is 2^24 + 1. Integers of at most 24 bits are exact.
        // If the largest number of the destination type is below 2^24, larger integers overflow with and without the
        // rounding.
        most if most <= 24 || rounding::max_of(to) < 16_777_216.0 => b.cast(name, x, x.ty().with_element(b.cx().f32())),
        most if odd::is_faster(native, most) => odd::single(b, x, options.from_unsigned),
        _ => odd::double(b, x, options.from_unsigned),
    };
    float_to_float(b, wide, to, options, native)
}

fn float_to_float<'p>(b: Builder<'p>, x: Val<'p>, to: Type<'p>, options: CastOptions, native: &Native<'p>) -> Val<'p> {
    let single = x.ty().with_element(b.cx().f32());
    if let Some(storage) = Storage::of(to) {
        let x = match bits(x.ty()) {
            64 => round_to_odd(b, x),
            ..32 => b.cast(arith::EXTF, x, single),
            _ => x,
        };
        let value = match storage.is_wide() {
            true => rounding::tf32(b, x, options.rounding, options.saturate),
            false if options.rounding == Rounding::NearestEven && native.converts(single, to) => {
                let x = if options.saturate { rounding::finite(b, x, to) } else { x };
                b.cast(arith::BITCAST, b.cast(arith::TRUNCF, x, to), to.with_element(b.cx().int(8)))
            }
            false if storage.format.is_signed() => {
                fp8::from_f32(b, storage.format, x, options.rounding, options.saturate)
            }
            false => scale::from_f32(b, x, options.rounding, options.saturate),
        };
        return b.cast(storage.bits(), value, to);
    }
    let (from_bits, to_bits) = (bits(x.ty()), bits(to));
    let finite = |x: Val<'p>| if options.saturate { rounding::finite(b, x, to) } else { x };
    if x.ty() == to {
        return finite(x);
    }
    if from_bits < to_bits {
        return finite(b.cast(arith::EXTF, x, to));
    }
    // f16 and bf16 have the same width. A conversion between them goes through f32, which represents all values of both
    // types.
    let wide = if from_bits == to_bits { b.cast(arith::EXTF, x, single) } else { x };
    let has_integer = native.target().arithmetic(Element::I16).is_some();
    rounding::truncf(b, finite(wide), to, options.rounding, has_integer)
}
