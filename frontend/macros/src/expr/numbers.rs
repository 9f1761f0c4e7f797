//! Number types that follow from the syntax alone: parameters, elements of memory, literals with a suffix, casts. For
//! an operator on two different number types, rustc reports up to four errors. This module reports one.
use super::strip;
use crate::scope::{Context, Name};
use crate::words::{NUMBERS, OF_ONE, OF_TWO, is_of_floats, keyword};
use cube_target::Number;
use proc_macro2::TokenStream;
use syn::{BinOp, Expr, UnOp};

/// Whether the syntax proves that an expression is a number.
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

/// Whether the syntax proves that a receiver is a number or memory of the language.
pub fn is_of_language(cx: &Context, e: &Expr) -> bool {
    let memory = |name: &syn::Ident| cx.memories.iter().any(|memory| name == memory);
    is_number(cx, e) || matches!(e, Expr::Path(path) if path.path.get_ident().is_some_and(memory))
}

/// Whether a number type of the language is an integer.
fn named_integer(ty: &str) -> bool {
    Number::from_name(ty).is_some_and(Number::is_int)
}

/// Whether a type is a float that Rust has.
fn named_float(ty: &str) -> bool {
    Number::from_name(ty).is_some_and(|number| number.is_float() && number.name() == number.host().name())
}

/// Whether a type is a float with literals.
fn has_literals(ty: &str) -> bool {
    ["f32", "f64"].contains(&ty)
}

/// Whether a type is a float without literals.
fn stored_float(ty: &str) -> bool {
    Number::from_name(ty).is_some_and(Number::is_float) && !has_literals(ty)
}

/// Whether a name is a float type of Rust, or a type parameter.
pub fn is_float(name: &str) -> bool {
    named_float(name) || crate::item_registry::is_bounded_by(name, &["Float"])
}

/// Whether the syntax proves that an expression is an integer.
pub fn is_integer(cx: &Context, e: &Expr) -> bool {
    type_of(cx, e).is_some_and(|ty| named_integer(&ty))
}

/// The type of a number; `None` if the syntax does not prove it.
pub fn type_of(cx: &Context, e: &Expr) -> Option<String> {
    match strip(e) {
        Expr::Lit(lit) => match &lit.lit {
            syn::Lit::Int(int) if !int.suffix().is_empty() => Some(int.suffix().to_string()),
            syn::Lit::Float(float) if !float.suffix().is_empty() => Some(float.suffix().to_string()),
            syn::Lit::Bool(_) => Some("bool".into()),
            syn::Lit::Char(_) => Some("char".into()),
            _ => None,
        },
        Expr::Path(path) => {
            let name = path.path.get_ident()?;
            match cx.kind(name) {
                Some(_) if cx.sizes.iter().any(|size| name == size) => Some("usize".into()),
                Some(_) => cx.number_types.get(&name.to_string()).cloned(),
                None if keyword(&name.to_string()).is_some() => Some("u32".into()),
                // A constant parameter.
                None => cx.number_types.get(&name.to_string()).filter(|_| is_parameter(cx, &name.to_string())).cloned(),
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
            // Where the types differ, the error belongs to this operator.
            match (type_of(cx, &binary.left), type_of(cx, &binary.right)) {
                (Some(left), Some(right)) if left != right => None,
                (left, right) => left.or(right),
            }
        }
        Expr::MethodCall(call) if call.method == "len" || call.method == "shape" || call.method == "stride" => {
            let Expr::Path(path) = strip(&call.receiver) else { return None };
            cx.memories.contains(&path.path.get_ident()?.to_string()).then(|| "u32".to_string())
        }
        Expr::MethodCall(call) if is_of_one_type(&call.method) => {
            type_of(cx, &call.receiver).filter(|ty| is_number_type(cx, ty))
        }
        Expr::Call(call) => type_of_call(cx, call),
        Expr::Field(field) => {
            let Expr::Path(path) = strip(&field.base) else { return None };
            let name = path.path.get_ident()?;
            let owner = match name == "self" {
                true => cx.self_name.as_ref(),
                false => cx.own_types.get(&name.to_string()),
            };
            let member = &field.member;
            crate::item_registry::plain_types::field(owner?, &quote::quote!(#member).to_string())
        }
        _ => None,
    }
}

/// Whether a name is a number type of the language, or a type parameter with a number bound.
fn is_number_type(cx: &Context, ty: &str) -> bool {
    let bounds = ["Float", "Int", "Numeric", "CubePrimitive"];
    NUMBERS.contains(&ty) || is_parameter(cx, ty) && crate::item_registry::is_bounded_by(ty, &bounds)
}

/// Whether a method returns a number of its receiver's type.
fn is_of_one_type(method: &syn::Ident) -> bool {
    OF_ONE.iter().chain(OF_TWO).any(|function| method == function.name && function.gives == "same") || method == "clamp"
}

/// The result type of a call: of a number type's constructor, or of a function that the registry contains.
fn type_of_call(cx: &Context, call: &syn::ExprCall) -> Option<String> {
    let Expr::Path(syn::ExprPath { path, qself: None, .. }) = &*call.func else { return None };
    if let [owner, function] = path.segments.iter().collect::<Vec<_>>().as_slice() {
        let makes = ["new", "from_int", "cast_from"].iter().any(|name| function.ident == name);
        let ty = owner.ident.to_string();
        return (makes && owner.arguments.is_none() && is_number_type(cx, &ty)).then_some(ty);
    }
    types_of_call(cx, call)?.1
}

/// The parameter types and the result type of one call of a registered function.
fn types_of_call(cx: &Context, call: &syn::ExprCall) -> Option<(Vec<Option<String>>, Option<String>)> {
    let Expr::Path(syn::ExprPath { path, qself: None, .. }) = &*call.func else { return None };
    let segment = path.segments.first().filter(|name| path.segments.len() == 1 && cx.kind(&name.ident).is_none())?;
    let types = crate::item_registry::plain_types::of(&segment.ident)?;
    let given = match &segment.arguments {
        syn::PathArguments::AngleBracketed(given) => given.args.iter().collect(),
        _ => Vec::new(),
    };
    Some(types.of_call(given.into_iter(), call.args.iter().map(|argument| type_of(cx, argument))))
}

fn is_arithmetic(op: &BinOp) -> bool {
    word(op).is_some_and(|(_, compares)| !compares)
}

/// The participle of an operator for messages, and whether it compares; `None` if the operands can differ in type.
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

/// The error for an operator on two different number types.
pub fn of_two_types(cx: &mut Context, e: &syn::ExprBinary) -> Option<TokenStream> {
    let (verb, _) = word(&e.op)?;
    for (literal, other) in [(&e.right, &e.left), (&e.left, &e.right)] {
        let Some(ty) = type_of(cx, other) else { continue };
        if let Some(message) = literal_as(cx, literal, &ty).or_else(|| literal_of_number(literal, &ty)) {
            return Some(cx.refuse_at(e, literal, message));
        }
        if let Some(message) = begun_as_float(cx, literal, other, &ty) {
            return Some(cx.refuse_at(e, other, message));
        }
        begun_as_literal(cx, literal, &ty);
    }
    let (left, right) = (type_of(cx, &e.left)?, type_of(cx, &e.right)?);
    let is_known = |ty: &str| {
        named_integer(ty) || named_float(ty) || ["usize", "bool", "char"].contains(&ty) || is_parameter(cx, ty)
    };
    if left == right || !is_known(&left) || !is_known(&right) {
        return None;
    }
    // An integer becomes a float, not a float an integer.
    if left == "char" || right == "char" {
        let other = if left == "char" { &e.left } else { &e.right };
        return Some(cx.refuse_at(e, other, "a `char` is not a number: kernels have only numbers and `bool`"));
    }
    // The cast is to the type with the greater position: to a number, and from an integer to a float.
    let last = ["usize", "bool"];
    let of_left = last.contains(&right.as_str())
        || !last.contains(&left.as_str()) && (!named_integer(&left) || named_integer(&right));
    let to = if of_left { &left } else { &right };
    let of_bool = left == "bool" || right == "bool";
    let or = if is_parameter(cx, to) || of_bool && !named_integer(to) {
        String::new()
    } else {
        format!(" or `… as {to}`")
    };
    let message = format!("`{left}` and `{right}` cannot be {verb}: cast one of them, `{to}::cast_from(…)`{or}");
    Some(cx.refuse_at(e, &e.right, message))
}

fn is_parameter(cx: &Context, ty: &str) -> bool {
    cx.parameters.iter().any(|parameter| parameter == ty)
}

/// The error for a literal without a suffix beside a value of a type parameter.
fn literal_of_parameter(cx: &Context, literal: &Expr, other: &Expr) -> Option<String> {
    literal_as(cx, literal, &type_of(cx, other)?)
}

/// A literal, also behind a minus sign.
fn literal(e: &Expr) -> Option<&syn::Lit> {
    match strip(e) {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => literal(&unary.expr),
        Expr::Lit(lit) => Some(&lit.lit),
        _ => None,
    }
}

/// The literal as written.
fn text_of(literal: &Expr) -> String {
    quote::quote!(#literal).to_string().replace("- ", "-")
}

/// The error for a literal without a suffix beside a number of another family. rustc would list the impls of other
/// crates.
fn literal_of_number(e: &Expr, ty: &str) -> Option<String> {
    let text = text_of(e);
    match literal(e)? {
        syn::Lit::Int(int) if int.suffix().is_empty() && has_literals(ty) => {
            let float =
                if int.token().to_string().starts_with("0x") { format!("{text} as {ty}") } else { format!("{text}.0") };
            Some(format!("`{text}` is an integer, and the other operand is a `{ty}`: write `{float}`"))
        }
        syn::Lit::Float(float) if float.suffix().is_empty() && named_integer(ty) => Some(format!(
            "`{text}` is a float, and the other operand is a `{ty}`: write an integer, or cast the other operand, `f32::cast_from(…)`"
        )),
        syn::Lit::Int(int) if int.suffix().is_empty() && stored_float(ty) => {
            Some(format!("`{text}` is not a value of `{ty}`: write `{ty}::from_int({text})`"))
        }
        syn::Lit::Float(float) if float.suffix().is_empty() && stored_float(ty) => {
            Some(format!("`{text}` is not a value of `{ty}`: write `{ty}::new({text})`"))
        }
        _ => None,
    }
}

/// The error for an integer beside a variable that a float literal without a suffix initialised: the integer needs a
/// cast.
fn begun_as_float(cx: &Context, e: &Expr, other: &Expr, ty: &str) -> Option<String> {
    let Expr::Path(path) = strip(e) else { return None };
    let name = path.path.get_ident()?;
    let syn::Lit::Float(_) = literal(cx.literals.get(&name.to_string()).filter(|_| named_integer(ty))?)? else {
        return None;
    };
    let value = text_of(other);
    Some(format!("`{name}` is a float, and `{value}` is a `{ty}`: cast it, `f32::cast_from({value})`"))
}

/// Reports, once and at its literal, a variable whose initial literal without a suffix has the wrong family for this
/// use.
fn begun_as_literal(cx: &mut Context, e: &Expr, ty: &str) {
    let Expr::Path(path) = strip(e) else { return };
    let Some(name) = path.path.get_ident().map(ToString::to_string) else { return };
    let Some(first) = cx.literals.get(&name).cloned() else { return };
    let Some(message) = literal_as(cx, &first, ty).or_else(|| literal_of_number(&first, ty)) else { return };
    cx.literals.remove(&name);
    cx.number_types.insert(name, ty.to_string());
    cx.refuse(
        &first,
        message.replace("the other operand is", "its use expects").replace("the other operand", "the other value"),
    );
}

/// The error for a literal without a suffix as a value of a type parameter.
fn literal_as(cx: &Context, e: &Expr, ty: &str) -> Option<String> {
    let of = match literal(e)? {
        _ if !is_parameter(cx, ty) => return None,
        syn::Lit::Float(float) if float.suffix().is_empty() => "new",
        syn::Lit::Int(int) if int.suffix().is_empty() => "from_int",
        _ => return None,
    };
    let text = text_of(e);
    Some(format!("`{text}` is not a value of the type parameter `{ty}`: write `{ty}::{of}({text})`"))
}

/// The error for such a literal as an argument of a function of two values of that type.
pub fn literal_among<'a>(
    cx: &mut Context,
    ty: &str,
    function: &syn::Ident,
    mut arguments: impl Iterator<Item = &'a Expr>,
) -> Option<(&'a Expr, String)> {
    let of_two = OF_TWO.iter().any(|two| function == two.name) || function == "clamp";
    arguments.find_map(|one| {
        if of_two {
            begun_as_literal(cx, one, ty);
        }
        Some((one, literal_as(cx, one, ty)?)).filter(|_| of_two)
    })
}

/// The error for such a literal as an argument of a registered function.
pub fn literal_given<'a>(cx: &mut Context, call: &'a syn::ExprCall) -> Option<(&'a Expr, String)> {
    let (takes, _) = types_of_call(cx, call)?;
    call.args.iter().zip(takes).find_map(|(argument, ty)| {
        let ty = ty.filter(|ty| is_parameter(cx, ty))?;
        begun_as_literal(cx, argument, &ty);
        Some((argument, literal_as(cx, argument, &ty)?))
    })
}

/// The error for a `let` that declares a `usize` and is initialised by a `u32`.
pub fn let_of_size(cx: &mut Context, whole: &syn::Pat, ty: Option<&syn::Type>, init: &Expr) -> Option<TokenStream> {
    let syn::Pat::Type(typed) = whole else { return None };
    let (name, value) = (&typed.pat, quote::quote!(#init));
    type_of(cx, init).filter(|given| ty.is_some() && given == "u32")?;
    let message =
        format!("`{value}` is a `u32`, the type of indices in a kernel: declare `{}` as one", quote::quote!(#name));
    Some(cx.refuse_at(whole, init, message))
}

/// The error for a literal that initialises a `let` of that type, or is the result of a function.
pub fn literal_of_type(cx: &mut Context, literal: &Expr, ty: &syn::Type) -> Option<TokenStream> {
    let syn::Type::Path(path) = ty else { return None };
    let ty = path.path.get_ident()?.to_string();
    begun_as_literal(cx, literal, &ty);
    let message = literal_as(cx, literal, &ty)?;
    Some(cx.refuse(literal, message))
}

/// The error for a literal that is the result of a function.
pub fn literal_of_result(cx: &mut Context, output: &syn::ReturnType, block: &syn::Block) {
    if let (syn::ReturnType::Type(_, ty), Some(syn::Stmt::Expr(result, None))) = (output, block.stmts.last()) {
        literal_of_type(cx, result, ty);
    }
}

/// The error for a float function on a value of a type parameter that can be an integer.
pub fn missing_bound(ty: &str, function: &syn::Ident) -> Option<String> {
    let open =
        is_of_floats(&function.to_string()) && crate::item_registry::is_bounded_by(ty, &["Numeric", "CubePrimitive"]);
    let float = crate::item_registry::is_bounded_by(ty, &["Float"]);
    (open && !float)
        .then(|| format!("`{function}` requires a float, and `{ty}` can be an integer: add the bound `{ty}: Float`"))
}

/// The error for a literal that is assigned to an element of memory or to a variable.
pub fn assigned_literal(cx: &mut Context, e: &syn::ExprAssign) -> Option<TokenStream> {
    for (begun, other) in [(&e.right, &e.left), (&e.left, &e.right)] {
        if let Some(ty) = type_of(cx, other) {
            begun_as_literal(cx, begun, &ty);
        }
    }
    let message = literal_of_parameter(cx, &e.right, &e.left)?;
    Some(cx.refuse_at(e, &e.right, message))
}

/// The error for a `usize` index, as in Rust's arrays.
pub fn index_of_host(cx: &mut Context, index: &syn::ExprIndex) -> Option<TokenStream> {
    let (base, at) = (strip(&index.expr), strip(&index.index));
    let memory = match base {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    };
    let memory = memory.is_some_and(|name| cx.memories.contains(&name) || cx.lists.contains_key(&name));
    let cast = matches!(at, Expr::Cast(_));
    if type_of(cx, at)? != "usize" || super::is_const(cx, at) && (cast || !memory) {
        return None;
    }
    let (list, text) =
        (quote::quote!(#base), quote::quote!(#at).to_string().replace(" (", "(").replace("( ", "(").replace(" )", ")"));
    let message = match at {
        Expr::Cast(cast) => {
            let inner = &cast.expr;
            format!(
                "an index is a `u32` in a kernel, also one of an array of constants: write `{list}[{}]`",
                quote::quote!(#inner)
            )
        }
        Expr::Path(_) => {
            format!("an index is a `u32` in a kernel: write `{list}[{text} as u32]`, or declare `{text}` as a `u32`")
        }
        Expr::Call(_) => {
            format!(
                "an index is a `u32` in a kernel: write `{list}[{text} as u32]`, or let the function return a `u32`"
            )
        }
        _ => format!("an index is a `u32` in a kernel: remove `as usize`, or write `{list}[({text}) as u32]`"),
    };
    Some(cx.refuse_at(index, &index.index, message))
}

/// The error for an operator on a value of a user type: Rust's operator traits work on the host only.
pub fn of_own_type(cx: &mut Context, e: &syn::ExprBinary) -> Option<TokenStream> {
    let (verb, _) = word(&e.op).filter(|(_, compares)| !compares)?;
    let own = |e: &Expr| match strip(e) {
        Expr::Path(path) => {
            let name = path.path.get_ident()?;
            let known = matches!(cx.kind(name), Some(Name::Value | Name::Variable | Name::Reference));
            cx.own_types.get(&name.to_string()).filter(|_| known).cloned()
        }
        _ => None,
    };
    let ty = own(&e.left).or_else(|| own(&e.right))?;
    let message = format!(
        "a `{ty}` cannot be {verb} in a kernel, where operators work on numbers only: write a method of it under `#[cube]`"
    );
    Some(cx.refuse_at(e, &e.left, message))
}

/// The error for the negation of an unsigned integer.
pub fn negated(cx: &mut Context, e: &syn::ExprUnary) -> Option<TokenStream> {
    let ty = type_of(cx, &e.expr).filter(|ty| ty.starts_with('u') && named_integer(ty))?;
    Some(cx.refuse(e, format!("a `{ty}` has no negative: cast it first, `i{}::cast_from(…)`", &ty[1..])))
}

/// Whether the syntax proves that an expression is a run-time number.
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
        Some(Name::Value | Name::Variable) => cx.numbers.contains(&name.to_string()),
        None => keyword(&name.to_string()).is_some(),
        _ => false,
    })
}
