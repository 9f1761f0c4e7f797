//! Checks `const` items in kernel bodies whose values the macro can compute from the source. rustc would report an
//! overflow in a constant of a kernel body twice: once in the user's body, and once in the expansion, with a
//! different name.
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, Item, Lit, Stmt, Type, UnOp, parse_quote};

/// Reports constants whose computation fails, and replaces their values by 1 for the rest of the compilation.
pub fn check(item: &mut Item) -> Vec<syn::Error> {
    let mut check = Check::default();
    check.visit_item_mut(item);
    check.errors
}

#[derive(Default)]
struct Check {
    /// The constants that have been found so far, each with its type and value.
    known: HashMap<String, (String, i128)>,
    errors: Vec<syn::Error>,
    /// Number of enclosing function bodies. A constant outside of all bodies occurs only once in the output, so rustc
    /// reports its errors only once.
    depth: usize,
}

impl VisitMut for Check {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let outer = self.known.clone();
        // An item is visible in its whole block, also before its declaration. The macro does not find names that `use`
        // or other macros declare.
        for statement in &block.stmts {
            match statement {
                Stmt::Item(Item::Const(item)) => drop(self.known.remove(&item.ident.to_string())),
                Stmt::Item(Item::Use(_) | Item::Macro(_)) | Stmt::Macro(_) => self.known.clear(),
                _ => {}
            }
        }
        self.depth += 1;
        visit_mut::visit_block_mut(self, block);
        self.depth -= 1;
        self.known = outer;
    }

    fn visit_item_const_mut(&mut self, item: &mut syn::ItemConst) {
        let Type::Path(ty) = &*item.ty else { return };
        let Some(ty) = ty.path.get_ident().map(ToString::to_string).filter(|_| self.depth > 0) else { return };
        let Some(range) = range(&ty) else { return };
        // If a condition of `cfg` is false, rustc removes the constant.
        if item.attrs.iter().any(|attr| attr.path().is_ident("cfg")) {
            return;
        }
        match (Evaluation { ty: &ty, range, known: &self.known }).of(&item.expr) {
            Ok(Some(value)) => {
                self.known.insert(item.ident.to_string(), (ty, value));
            }
            Ok(None) => {
                self.known.remove(&item.ident.to_string());
            }
            Err(error) => {
                self.errors.push(error);
                *item.expr = parse_quote!(1);
            }
        }
    }
}

/// The range of an integer type.
fn range(ty: &str) -> Option<(i128, i128)> {
    let bits: u32 = match ty.get(1..)? {
        "size" => 64,
        bits => bits.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits))?,
    };
    match ty.get(..1)? {
        "u" => Some((0, (1 << bits) - 1)),
        "i" => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        _ => None,
    }
}

struct Evaluation<'a> {
    ty: &'a str,
    range: (i128, i128),
    known: &'a HashMap<String, (String, i128)>,
}

impl Evaluation<'_> {
    /// The value of an expression; `None` if the macro cannot compute the value from the source.
    fn of(&self, e: &Expr) -> syn::Result<Option<i128>> {
        let value = match e {
            Expr::Paren(inner) => return self.of(&inner.expr),
            Expr::Lit(lit) => match &lit.lit {
                Lit::Int(int) if int.suffix().is_empty() || int.suffix() == self.ty => int.base10_parse().ok(),
                _ => None,
            },
            Expr::Path(path) if path.qself.is_none() => self.named(&path.path),
            Expr::Unary(unary) => match (&unary.op, self.of(&unary.expr)?) {
                (UnOp::Neg(_), Some(value)) => Some(-value),
                (UnOp::Not(_), Some(value)) => Some(if self.range.0 < 0 { !value } else { self.range.1 - value }),
                _ => None,
            },
            Expr::Binary(binary) => match (self.of(&binary.left)?, self.of(&binary.right)?) {
                (Some(left), Some(right)) => self.binary(binary, left, right)?,
                _ => None,
            },
            _ => None,
        };
        let inside = |value: &i128| (self.range.0..=self.range.1).contains(value);
        // rustc itself reports a literal that exceeds the range of its type, also after a minus sign.
        match value.filter(|value| !inside(value)) {
            Some(value) if matches!(e, Expr::Binary(_)) => Err(syn::Error::new(
                e.span(),
                format!("this constant would be {value}, which is outside of `{}`; use a wider type", self.ty),
            )),
            _ => Ok(value),
        }
    }

    fn named(&self, path: &syn::Path) -> Option<i128> {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [ty, "MAX"] if ty == self.ty => Some(self.range.1),
            [ty, "MIN"] if ty == self.ty => Some(self.range.0),
            [name] => self.known.get(name).filter(|(ty, _)| ty == self.ty).map(|(_, value)| *value),
            _ => None,
        }
    }

    fn binary(&self, e: &syn::ExprBinary, left: i128, right: i128) -> syn::Result<Option<i128>> {
        let bits = 128 - (self.range.1 - self.range.0).leading_zeros();
        let shift = u32::try_from(right).ok().filter(|by| *by < bits);
        let wrong = |message: String| Err(syn::Error::new(e.right.span(), message));
        Ok(match &e.op {
            BinOp::Add(_) => left.checked_add(right),
            BinOp::Sub(_) => left.checked_sub(right),
            BinOp::Mul(_) => left.checked_mul(right),
            BinOp::Div(_) | BinOp::Rem(_) if right == 0 => {
                return wrong("this constant divides by zero; use another divisor".into());
            }
            BinOp::Div(_) => Some(left / right),
            BinOp::Rem(_) => Some(left % right),
            BinOp::BitAnd(_) => Some(left & right),
            BinOp::BitOr(_) => Some(left | right),
            BinOp::BitXor(_) => Some(left ^ right),
            BinOp::Shl(_) | BinOp::Shr(_) if shift.is_none() => {
                let ty = self.ty;
                return wrong(format!(
                    "this constant shifts by {right}, and a `{ty}` has {bits} bits; shift by fewer bits"
                ));
            }
            BinOp::Shr(_) => shift.map(|by| left >> by),
            // The bits shifted out are lost.
            BinOp::Shl(_) => shift.map(|by| {
                let kept = (left << by) & ((1 << bits) - 1);
                if kept > self.range.1 { kept - (1 << bits) } else { kept }
            }),
            _ => None,
        })
    }
}
