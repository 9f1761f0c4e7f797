//! Operators of the kernel language.
use super::math::bitcast;
use super::value::{CubePrimitive, HasHost, Operand, Val};
use crate::diagnostic_traits::OperatorOn;
use crate::ir::{self, Elem, Lit, Raw, Ty, with};

/// Broadcasts a scalar to a line of `line` elements. If the value is a line of another size, the function
/// reports an error and returns `None`.
pub fn splat(raw: Raw, line: u32) -> Option<Raw> {
    let ty = match raw {
        Raw::Const(lit, ty) if ty.line == 1 => return Some(Raw::Const(lit, Ty { line, ..ty })),
        Raw::Const(_, ty) | Raw::Ssa(_, ty) | Raw::Cell(_, ty) => ty,
        Raw::Unset(_) => ir::current(raw).1,
    };
    if ty.line == line {
        return Some(raw);
    }
    if ty.line != 1 {
        ir::fail(format!(
            "lines of {} and of {line} elements in one operation; use operands of the same line size, or use a scalar",
            ty.line
        ));
        return None;
    }
    let (id, _) = ir::current(raw);
    let wide = Ty { line, ..ty };
    Some(with(|b| b.value(wide, &format!("vector.broadcast %{id} : {ty} to {wide}"))))
}

/// Broadcasts the value with the smaller line size to the line size of the other value.
pub fn same_line_size(a: Raw, b: Raw) -> (Raw, Raw) {
    let line_of = |raw| match raw {
        Raw::Const(_, ty) | Raw::Ssa(_, ty) | Raw::Cell(_, ty) => ty.line,
        Raw::Unset(_) => 1,
    };
    let line = line_of(a).max(line_of(b));
    (splat(a, line).unwrap_or(a), splat(b, line).unwrap_or(a))
}

/// The type of a value.
pub fn ty_of(raw: Raw) -> Ty {
    match raw {
        Raw::Const(_, ty) | Raw::Ssa(_, ty) | Raw::Cell(_, ty) => ty,
        Raw::Unset(_) => ir::current(raw).1,
    }
}

/// The name of a binary operation for an element type, and whether the operation supports fast-math flags.
fn arithmetic(op: &str, elem: Elem) -> Option<(&'static str, bool)> {
    let float = elem.is_float();
    let signed = elem.is_signed();
    if elem == Elem::Bool {
        return match op {
            "bitand" => Some(("arith.andi", false)),
            "bitor" => Some(("arith.ori", false)),
            "bitxor" => Some(("arith.xori", false)),
            _ => None,
        };
    }
    Some(match op {
        "add" if float => ("arith.addf", true),
        "sub" if float => ("arith.subf", true),
        "mul" if float => ("arith.mulf", true),
        "div" if float => ("arith.divf", true),
        "rem" if float => ("arith.remf", true),
        "add" => ("arith.addi", false),
        "sub" => ("arith.subi", false),
        "mul" => ("arith.muli", false),
        "div" if signed => ("cube.divsi", false),
        "div" => ("cube.divui", false),
        "rem" if signed => ("cube.remsi", false),
        "rem" => ("cube.remui", false),
        "bitand" if !float => ("arith.andi", false),
        "bitor" if !float => ("arith.ori", false),
        "bitxor" if !float => ("arith.xori", false),
        "shl" if !float => ("cube.shl", false),
        "shr" if !float && signed => ("cube.shrsi", false),
        "shr" if !float => ("cube.shrui", false),
        _ => return None,
    })
}

/// Folds an operation on constant integers or booleans. Division by 0 has the result that the kernel language
/// defines.
fn fold(op: &str, a: Lit, b: Lit, elem: Elem) -> Option<Lit> {
    let shift = |n: i128| (n as u32) & (elem.bits() - 1);
    match (a, b) {
        (Lit::Int(a), Lit::Int(b)) => {
            let v = match op {
                "add" => a + b,
                "sub" => a - b,
                "mul" => a.wrapping_mul(b),
                "div" if b == 0 => a,
                "div" => a / b,
                "rem" if b == 0 => 0,
                "rem" => a % b,
                "bitand" => a & b,
                "bitor" => a | b,
                "bitxor" => a ^ b,
                "shl" => a << shift(b),
                "shr" => a >> shift(b),
                _ => return None,
            };
            Some(Lit::wrapped(v, elem))
        }
        (Lit::Bool(a), Lit::Bool(b)) => Some(Lit::Bool(match op {
            "bitand" => a & b,
            "bitor" => a | b,
            "bitxor" => a ^ b,
            _ => return None,
        })),
        _ => None,
    }
}

/// Emits a binary operation, or folds an operation on constants.
pub fn binary(op: &str, a: Raw, b: Raw, position: u32) -> Raw {
    crate::ir::at(position);
    let ty = ty_of(a);
    if let (Raw::Const(x, _), Raw::Const(y, other)) = (a, b)
        && ty.line == other.line
        && let Some(lit) = fold(op, x, y, ty.elem)
    {
        return Raw::Const(lit, ty);
    }
    let Some((name, floats)) = arithmetic(op, ty.elem) else {
        ir::fail(format!("`{}` is not defined for {}", symbol(op), ty.elem.name()));
        return a;
    };
    let (a, b) = same_line_size(a, b);
    with(|builder| {
        let (x, ty) = builder.id(a);
        let (y, _) = builder.id(b);
        let flags = if floats { builder.flags() } else { String::new() };
        builder.value(ty, &format!("{name} %{x}, %{y}{flags} : {ty}"))
    })
}

/// The attribute keyword of an operation that combines lanes or atomic values: `addf`, `addi`, `maxsi`.
pub fn suffixed(op: &str, elem: Elem) -> String {
    let suffix = match op {
        _ if elem.is_float() => "f",
        "add" | "sub" | "mul" => "i",
        _ if elem.is_signed() => "si",
        _ => "ui",
    };
    format!("{op}{suffix}")
}

fn symbol(op: &str) -> &str {
    match op {
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        "rem" => "%",
        "bitand" => "&",
        "bitor" => "|",
        "bitxor" => "^",
        "shl" => "<<",
        "shr" => ">>",
        other => other,
    }
}

macro_rules! operators {
    ($($name:ident),*) => {$(
        #[doc = concat!("The operator `", stringify!($name), "`.")]
        pub fn $name<A: Operand, B: Operand<T = A::T>>(a: A, b: B, position: u32) -> Val<A::T> {
            Val::new(binary(stringify!($name), a.val().raw, b.val().raw, position))
        }
    )*};
}

operators!(add, sub, mul, div, rem, bitand, bitor, bitxor);

macro_rules! shifts {
    ($($name:ident),*) => {$(
        #[doc = concat!("The operator `", stringify!($name), "`; the amount is taken modulo the width.")]
        pub fn $name<A: Operand, B: Operand>(a: A, b: B, position: u32) -> Val<A::T> {
            let a = a.val();
            let b = super::cast::convert(b.val().raw, a.ty().elem, position);
            Val::new(binary(stringify!($name), a.raw, b, position))
        }
    )*};
}

shifts!(shl, shr);

/// Emits a comparison, or folds a comparison of constants. `eq` and `ne` of storage types of at most 8 bits compare the
/// bits, as the host types do: a NaN equals itself, and the two zeros differ.
pub fn compare(op: &str, a: Raw, b: Raw, position: u32) -> Raw {
    crate::ir::at(position);
    let bits = |raw: Raw| match ty_of(raw).elem {
        elem if elem.is_float() && elem.bits() <= 8 && !elem.element().is_computed() => bitcast(raw, Elem::U8),
        _ => raw,
    };
    let (a, b) = if matches!(op, "eq" | "ne") { (bits(a), bits(b)) } else { (a, b) };
    let ty = ty_of(a);
    if let (Raw::Const(x, _), Raw::Const(y, other)) = (a, b)
        && ty.line == other.line
        && let Some(order) = order(x, y)
    {
        let lit = match op {
            "eq" => order.is_eq(),
            "ne" => order.is_ne(),
            "lt" => order.is_lt(),
            "le" => order.is_le(),
            "gt" => order.is_gt(),
            _ => order.is_ge(),
        };
        return Raw::Const(Lit::Bool(lit), ty.with(Elem::Bool));
    }
    let (a, b) = same_line_size(a, b);
    with(|builder| {
        let (x, ty) = builder.id(a);
        let (y, _) = builder.id(b);
        let name = if ty.elem.is_float() {
            let predicate = if op == "ne" { "une".to_string() } else { format!("o{op}") };
            let flags = builder.flags();
            format!("arith.cmpf {predicate}, %{x}, %{y}{flags} : {ty}")
        } else {
            let predicate = match (op, ty.elem.is_signed()) {
                ("eq" | "ne", _) => op.to_string(),
                (_, true) => format!("s{op}"),
                (_, false) => format!("u{op}"),
            };
            format!("arith.cmpi {predicate}, %{x}, %{y} : {ty}")
        };
        builder.value(ty.with(Elem::Bool), &name)
    })
}

fn order(a: Lit, b: Lit) -> Option<std::cmp::Ordering> {
    match (a, b) {
        (Lit::Int(a), Lit::Int(b)) => Some(a.cmp(&b)),
        (Lit::Bool(a), Lit::Bool(b)) => Some(a.cmp(&b)),
        (Lit::Float(a), Lit::Float(b)) => a.partial_cmp(&b),
        _ => None,
    }
}

macro_rules! comparisons {
    ($($name:ident),*) => {$(
        #[doc = concat!("The comparison `", stringify!($name), "`.")]
        pub fn $name<A: Operand, B: Operand<T = A::T>>(a: A, b: B, position: u32) -> Val<bool> {
            Val::new(compare(stringify!($name), a.val().raw, b.val().raw, position))
        }
    )*};
}

comparisons!(lt, le, gt, ge, eq, ne);

/// The operands of an operator, if the macro does not know whether they are numbers. The second operand of a unary
/// operator is `()`.
pub struct Operands<A, B>(pub A, pub B);

macro_rules! operands {
    ($trait:ident { $($name:ident($($at:tt)*) -> $out:ty;)* } for [$($params:tt)*] $b:ty) => {
        /// Operators of numbers.
        pub trait $trait: Sized {
            /// The number type of the left operand.
            type T: CubePrimitive;
            $(#[doc = concat!("The operator `", stringify!($name), "`.")]
            fn $name(self, position: u32) -> Val<$out>;)*
        }
        impl<A: Operand, $($params)*> $trait for Operands<A, $b> {
            type T = A::T;
            $(fn $name(self, position: u32) -> Val<$out> {
                $name($(self.$at,)* position)
            })*
        }
    };
}

operands! {
    OperandsOfOneType {
        add(0 1) -> Self::T; sub(0 1) -> Self::T; mul(0 1) -> Self::T; div(0 1) -> Self::T; rem(0 1) -> Self::T;
        bitand(0 1) -> Self::T; bitor(0 1) -> Self::T; bitxor(0 1) -> Self::T;
        lt(0 1) -> bool; le(0 1) -> bool; gt(0 1) -> bool; ge(0 1) -> bool;
    } for [B: Operand<T = A::T>] B
}
operands! { OperandsOfShift { shl(0 1) -> Self::T; shr(0 1) -> Self::T; } for [B: Operand] B }
operands! { OneOperand { neg(0) -> Self::T; not(0) -> Self::T; } for [] () }

macro_rules! other_operands {
    ($($name:ident)*) => {
        /// The operators of operands that are not numbers. Method lookup finds these methods last, because they take
        /// `&mut self`.
        pub trait OtherOperands {
            /// The type of the left operand on the host.
            type Host;
            $(#[doc = concat!("The operator `", stringify!($name), "`. The result type makes rustc report an error.")]
            fn $name(&mut self, _: u32) -> OperatorOn<Self::Host> {
                unreachable!()
            })*
        }
    };
}

other_operands!(add sub mul div rem bitand bitor bitxor shl shr lt le gt ge neg not);

impl<A: HasHost, B> OtherOperands for Operands<A, B> {
    type Host = A::Host;
}

/// The operands of `==` or `!=`: two kernel numbers, or two host values.
pub struct Compared<A, B>(pub A, pub B);

/// Comparison of kernel numbers.
pub trait ComparedValues {
    /// `==`.
    fn cube_eq(&self, position: u32) -> Val<bool>;
    /// `!=`.
    fn cube_ne(&self, position: u32) -> Val<bool>;
}

macro_rules! compared {
    ($($a:ty, $b:ty);*) => {$(
        impl<T: CubePrimitive> ComparedValues for Compared<$a, $b> {
            fn cube_eq(&self, position: u32) -> Val<bool> {
                let (a, b): (Val<T>, Val<T>) = (super::arguments::arg(self.0), super::arguments::arg(self.1));
                eq(a, b, position)
            }
            fn cube_ne(&self, position: u32) -> Val<bool> {
                let (a, b): (Val<T>, Val<T>) = (super::arguments::arg(self.0), super::arguments::arg(self.1));
                ne(a, b, position)
            }
        }
    )*};
}

compared!(Val<T>, Val<T>; Val<T>, T; T, Val<T>);

/// Comparison of host values.
pub trait ComparedHost {
    /// `==`.
    fn cube_eq(&self, position: u32) -> bool;
    /// `!=`.
    fn cube_ne(&self, position: u32) -> bool;
}

impl<A: PartialEq<B>, B> ComparedHost for &Compared<A, B> {
    fn cube_eq(&self, _: u32) -> bool {
        self.0 == self.1
    }
    fn cube_ne(&self, _: u32) -> bool {
        self.0 != self.1
    }
}

/// Converts a kernel boolean or host boolean to the condition of a branch.
pub fn condition<C: Operand<T = bool>>(value: C) -> Val<bool> {
    value.val()
}

/// Returns the value of a boolean that must be a compile-time constant.
pub fn known_flag<C: Operand<T = bool>>(value: C, position: u32) -> bool {
    crate::ir::at(position);
    value.val().known().unwrap_or_else(|| {
        ir::fail("the condition of `#[unroll]` must be known at compile time; use a `#[comptime]` value");
        false
    })
}

/// Converts a host boolean to a kernel value.
pub fn flag(value: bool) -> Val<bool> {
    Val::lit(value)
}

/// `&&` without short-circuit evaluation, for operands without side effects.
pub fn and<A: Operand<T = bool>, B: Operand<T = bool>>(a: A, b: B, position: u32) -> Val<bool> {
    let (a, b) = (a.val(), b.val());
    match (a.known(), b.known()) {
        (Some(true), _) => b,
        (Some(false), _) => a,
        (_, Some(true)) => a,
        _ => Val::new(binary("bitand", a.raw, b.raw, position)),
    }
}

/// `||` without short-circuit evaluation, for operands without side effects.
pub fn or<A: Operand<T = bool>, B: Operand<T = bool>>(a: A, b: B, position: u32) -> Val<bool> {
    let (a, b) = (a.val(), b.val());
    match (a.known(), b.known()) {
        (Some(false), _) => b,
        (Some(true), _) => a,
        (_, Some(false)) => a,
        _ => Val::new(binary("bitor", a.raw, b.raw, position)),
    }
}

/// Negation; integers wrap.
pub fn neg<A: Operand>(a: A, position: u32) -> Val<A::T> {
    let a = a.val();
    crate::ir::at(position);
    let ty = a.ty();
    match a.constant() {
        Some(Lit::Float(v)) => return Val::new(Raw::Const(Lit::Float(-v), ty)),
        Some(Lit::Int(v)) => return Val::new(Raw::Const(Lit::wrapped(-v, ty.elem), ty)),
        _ => {}
    }
    if !ty.elem.is_float() {
        let zero = Raw::Const(Lit::zero(ty.elem), ty);
        return Val::new(binary("sub", zero, a.raw, position));
    }
    Val::new(with(|b| {
        let (x, ty) = b.id(a.raw);
        let flags = b.flags();
        b.value(ty, &format!("arith.negf %{x}{flags} : {ty}"))
    }))
}

/// The complement of a boolean, or of the bits of an integer.
pub fn not<A: Operand>(a: A, position: u32) -> Val<A::T> {
    let a = a.val();
    let ty = a.ty();
    if let Some(Lit::Bool(v)) = a.constant() {
        return Val::new(Raw::Const(Lit::Bool(!v), ty));
    }
    let ones = if ty.elem == Elem::Bool { Lit::Bool(true) } else { Lit::wrapped(-1, ty.elem) };
    Val::new(binary("bitxor", a.raw, Raw::Const(ones, ty), position))
}
