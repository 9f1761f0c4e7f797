//! What the macro knows of the types of numbers, by the syntax alone: parameters, elements of memory, literals with a suffix, casts.
//! Two integers or two floats of different types meet an operator: rustc says so up to four times, and we once.
use super::strip;
use crate::scope::{Context, Kind};
use crate::words::{OF_TWO, is_of_floats, keyword};
use cube_target::Number;
use proc_macro2::TokenStream;
use syn::{BinOp, Expr, UnOp};

/// Whether an expression is a number for sure.
pub fn is_number(cx: &Context, e: &Expr) -> bool {
    match e {
        Expr::Lit(lit) => matches!(lit.lit, syn::Lit::Int(_) | syn::Lit::Float(_)),
        Expr::Paren(inner) => is_number(cx, &inner.expr),
        Expr::Binary(binary) => is_number(cx, &binary.left) || is_number(cx, &binary.right),
        Expr::Cast(_) => true,
        Expr::Index(index) => !matches!(*index.index, Expr::Range(_)),
        Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
            let name = name.to_string();
            cx.numbers.contains(&name) || keyword(&name).is_some()
        }),
        _ => false,
    }
}

/// Whether a receiver is for sure a number or memory of the language.
pub fn is_of_language(cx: &Context, e: &Expr) -> bool {
    let memory = |name: &syn::Ident| cx.memories.iter().any(|memory| name == memory);
    is_number(cx, e) || matches!(e, Expr::Path(path) if path.path.get_ident().is_some_and(memory))
}

/// Whether a number of the language is an integer.
fn named_integer(ty: &str) -> bool {
    Number::from_name(ty).is_some_and(Number::is_int)
}

/// Whether it is a float that Rust has.
fn named_float(ty: &str) -> bool {
    Number::from_name(ty).is_some_and(|number| number.is_float() && number.name() == number.host().name())
}

/// Whether a name is that of a float: a type of Rust, or a type parameter.
pub fn is_float(name: &str) -> bool {
    named_float(name) || crate::known::is_bounded_by(name, &["Float"])
}

/// Whether an expression is an integer for sure.
pub fn is_integer(cx: &Context, e: &Expr) -> bool {
    type_of(cx, e).is_some_and(|ty| named_integer(&ty))
}

/// The type of a number, where it is sure.
pub fn type_of(cx: &Context, e: &Expr) -> Option<String> {
    match strip(e) {
        Expr::Lit(lit) => match &lit.lit {
            syn::Lit::Int(int) if !int.suffix().is_empty() => Some(int.suffix().to_string()),
            syn::Lit::Float(float) if !float.suffix().is_empty() => Some(float.suffix().to_string()),
            _ => None,
        },
        Expr::Path(path) => {
            let name = path.path.get_ident()?;
            match cx.kind(name) {
                Some(_) => cx.number_types.get(&name.to_string()).cloned(),
                None => keyword(&name.to_string()).is_some().then(|| "u32".to_string()),
            }
        }
        Expr::Index(index) if !matches!(*index.index, Expr::Range(_)) => {
            let Expr::Path(path) = strip(&index.expr) else { return None };
            cx.element_types.get(&path.path.get_ident()?.to_string()).cloned()
        }
        Expr::Cast(cast) => match &*cast.ty {
            syn::Type::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => type_of(cx, &unary.expr),
        Expr::Binary(binary) if is_arithmetic(&binary.op) => {
            // Where they differ, it is this operator that is told.
            match (type_of(cx, &binary.left), type_of(cx, &binary.right)) {
                (Some(left), Some(right)) if left != right => None,
                (left, right) => left.or(right),
            }
        }
        Expr::MethodCall(call) if call.method == "len" || call.method == "shape" || call.method == "stride" => {
            let Expr::Path(path) = strip(&call.receiver) else { return None };
            cx.memories.contains(&path.path.get_ident()?.to_string()).then(|| "u32".to_string())
        }
        _ => None,
    }
}

fn is_arithmetic(op: &BinOp) -> bool {
    word(op).is_some_and(|(_, compares)| !compares)
}

/// How an operator is called, and whether it compares; nothing where both sides may differ.
fn word(op: &BinOp) -> Option<(&'static str, bool)> {
    Some(match op {
        BinOp::Add(_) | BinOp::AddAssign(_) => ("added", false),
        BinOp::Sub(_) | BinOp::SubAssign(_) => ("subtracted", false),
        BinOp::Mul(_) | BinOp::MulAssign(_) => ("multiplied", false),
        BinOp::Div(_) | BinOp::DivAssign(_) => ("divided", false),
        BinOp::Rem(_) | BinOp::RemAssign(_) => ("divided", false),
        BinOp::BitAnd(_) | BinOp::BitAndAssign(_) | BinOp::BitOr(_) | BinOp::BitOrAssign(_) => ("combined", false),
        BinOp::BitXor(_) | BinOp::BitXorAssign(_) => ("combined", false),
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => ("compared", true),
        _ => return None,
    })
}

/// Two numbers of different types under one operator.
pub fn of_two_types(cx: &mut Context, e: &syn::ExprBinary) -> Option<TokenStream> {
    let (verb, _) = word(&e.op)?;
    for (literal, other) in [(&e.right, &e.left), (&e.left, &e.right)] {
        if let Some(message) = literal_of_parameter(cx, literal, other) {
            return Some(cx.refuse_at(e, literal, message));
        }
    }
    let (left, right) = (type_of(cx, &e.left)?, type_of(cx, &e.right)?);
    let is_known = |ty: &str| named_integer(ty) || named_float(ty) || is_parameter(cx, ty);
    if left == right || !is_known(&left) || !is_known(&right) {
        return None;
    }
    // An integer becomes a float, and not the other way round.
    let to = if named_integer(&left) && !named_integer(&right) { &right } else { &left };
    let or = if is_parameter(cx, to) { String::new() } else { format!(" or `… as {to}`") };
    let message = format!("`{left}` and `{right}` cannot be {verb}: cast one of them, `{to}::cast_from(…)`{or}");
    Some(cx.refuse_at(e, &e.right, message))
}

fn is_parameter(cx: &Context, ty: &str) -> bool {
    cx.parameters.iter().any(|parameter| parameter == ty)
}

/// A literal without a suffix beside a value of a type parameter, whose type it does not have.
fn literal_of_parameter(cx: &Context, literal: &Expr, other: &Expr) -> Option<String> {
    literal_as(cx, literal, &type_of(cx, other)?)
}

/// A literal without a suffix where a value of a type parameter is expected.
fn literal_as(cx: &Context, literal: &Expr, ty: &str) -> Option<String> {
    let number = match strip(literal) {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => strip(&unary.expr),
        number => number,
    };
    let Expr::Lit(lit) = number else { return None };
    let of = match &lit.lit {
        _ if !is_parameter(cx, ty) => return None,
        syn::Lit::Float(float) if float.suffix().is_empty() => "new",
        syn::Lit::Int(int) if int.suffix().is_empty() => "from_int",
        _ => return None,
    };
    let text = quote::quote!(#literal).to_string().replace("- ", "-");
    Some(format!("`{text}` is not a value of the type parameter `{ty}`: write `{ty}::{of}({text})`"))
}

/// The same where a literal is given to a function of two values of that type.
pub fn literal_among<'a>(
    cx: &Context,
    ty: &str,
    function: &syn::Ident,
    mut arguments: impl Iterator<Item = &'a Expr>,
) -> Option<(&'a Expr, String)> {
    let of_two = OF_TWO.iter().any(|two| function == two.name) || function == "clamp";
    arguments.find_map(|one| Some((one, literal_as(cx, one, ty)?))).filter(|_| of_two)
}

/// The same where a literal is the value of a `let` with that type, or the result of a function.
pub fn literal_of_type(cx: &mut Context, literal: &Expr, ty: &syn::Type) -> Option<TokenStream> {
    let syn::Type::Path(path) = ty else { return None };
    let message = literal_as(cx, literal, &path.path.get_ident()?.to_string())?;
    Some(cx.refuse(literal, message))
}

/// The same where a literal is the result of a function.
pub fn literal_of_result(cx: &mut Context, output: &syn::ReturnType, block: &syn::Block) {
    if let (syn::ReturnType::Type(_, ty), Some(syn::Stmt::Expr(result, None))) = (output, block.stmts.last()) {
        literal_of_type(cx, result, ty);
    }
}

/// A function of floats on a value of a type parameter that may be an integer.
pub fn missing_bound(ty: &str, function: &syn::Ident) -> Option<String> {
    let open = is_of_floats(&function.to_string()) && crate::known::is_bounded_by(ty, &["Numeric", "CubePrimitive"]);
    let float = crate::known::is_bounded_by(ty, &["Float"]);
    (open && !float)
        .then(|| format!("`{function}` is of floats, and `{ty}` may be an integer: bound it, `{ty}: Float`"))
}

/// An iterator over memory, which kernels do not have.
pub fn list_method(cx: &Context, e: &syn::ExprMethodCall) -> Option<String> {
    let Expr::Path(path) = strip(&e.receiver) else { return None };
    let name = path.path.get_ident().filter(|name| cx.memories.iter().any(|memory| *name == memory))?;
    let iterates = ["iter", "iter_mut", "into_iter"].iter().any(|method| e.method == method) && e.args.is_empty();
    iterates
        .then(|| format!("memory has no iterator in a kernel: write a `for` loop over its length, and index `{name}`"))
}

/// The same where a literal is assigned to an element of memory or to a variable.
pub fn assigned_literal(cx: &mut Context, e: &syn::ExprAssign) -> Option<TokenStream> {
    let message = literal_of_parameter(cx, &e.right, &e.left)?;
    Some(cx.refuse_at(e, &e.right, message))
}

/// An index that is cast to `usize`, as those of Rust's arrays are.
pub fn index_of_host(cx: &mut Context, index: &syn::ExprIndex) -> Option<TokenStream> {
    if let (Expr::Path(base), Expr::Path(at)) = (strip(&index.expr), strip(&index.index))
        && let (Some(base), Some(at)) = (base.path.get_ident(), at.path.get_ident())
        && cx.sizes.iter().any(|size| at == size)
        && cx.memories.iter().any(|memory| base == memory)
    {
        let message =
            format!("an index is a `u32` in a kernel: write `{base}[{at} as u32]`, or declare `{at}` as a `u32`");
        return Some(cx.refuse_at(index, &index.index, message));
    }
    let Expr::Cast(cast) = strip(&index.index) else { return None };
    let to_usize = matches!(&*cast.ty, syn::Type::Path(path) if path.path.is_ident("usize"));
    if !to_usize || super::is_const(cx, &index.index) {
        return None;
    }
    let (base, at) = (quote::quote!(#index), &cast.expr);
    let name = base.to_string().split(' ').next().unwrap_or_default().to_string();
    let message = format!(
        "an index is a `u32` in a kernel, also one of an array of constants: write `{name}[{}]`",
        quote::quote!(#at)
    );
    Some(cx.refuse_at(index, &index.index, message))
}

/// An operator on a value of a type of the user: Rust's traits for operators are the host's.
pub fn of_own_type(cx: &mut Context, e: &syn::ExprBinary) -> Option<TokenStream> {
    let (verb, _) = word(&e.op).filter(|(_, compares)| !compares)?;
    let own = |e: &Expr| match strip(e) {
        Expr::Path(path) => {
            let name = path.path.get_ident()?;
            let known = matches!(cx.kind(name), Some(Kind::Value | Kind::Variable | Kind::Reference));
            cx.own_types.get(&name.to_string()).filter(|_| known).cloned()
        }
        _ => None,
    };
    let ty = own(&e.left).or_else(|| own(&e.right))?;
    let message = format!(
        "a `{ty}` cannot be {verb} in a kernel, where operators are those of numbers: write a method of it under `#[cube]`"
    );
    Some(cx.refuse_at(e, &e.left, message))
}

/// The negative of an unsigned integer.
pub fn negated(cx: &mut Context, e: &syn::ExprUnary) -> Option<TokenStream> {
    let ty = type_of(cx, &e.expr).filter(|ty| ty.starts_with('u') && named_integer(ty))?;
    Some(cx.refuse(e, format!("a `{ty}` has no negative: cast it first, `i{}::cast_from(…)`", &ty[1..])))
}

/// Whether an expression is a number that the kernel computes, for sure, by its syntax.
pub fn is_run_time_number(cx: &Context, e: &Expr) -> bool {
    let name = match strip(e) {
        Expr::Path(path) => path.path.get_ident(),
        Expr::Index(index) => match strip(&index.expr) {
            Expr::Path(path) => {
                return path.path.get_ident().is_some_and(|name| cx.memories.contains(&name.to_string()));
            }
            _ => None,
        },
        _ => None,
    };
    name.is_some_and(|name| match cx.kind(name) {
        Some(Kind::Value | Kind::Variable) => cx.numbers.contains(&name.to_string()),
        None => keyword(&name.to_string()).is_some(),
        _ => false,
    })
}
