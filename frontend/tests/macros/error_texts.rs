//! Tests that the texts of the macro's errors state a fix: `rule; imperative sentence`. A text is the last argument of a
//! reporting function, or the value of a variable `message`.
use quote::ToTokens;
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{Expr, LitStr};

/// Methods and functions whose last argument is the text of an error.
const REPORTERS: [&str; 4] = ["refuse", "error", "new", "new_spanned"];

/// The literal texts of the errors in a source file.
#[derive(Default)]
struct Texts(Vec<String>);

impl Texts {
    fn add(&mut self, argument: Option<&Expr>) {
        match argument {
            Some(Expr::Reference(inner)) => self.add(Some(&inner.expr)),
            // `"text".into()` and a block around a long text.
            Some(Expr::MethodCall(call)) if call.method == "into" => self.add(Some(&call.receiver)),
            Some(Expr::Block(block)) => match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(e, None)] => self.add(Some(e)),
                [syn::Stmt::Macro(mac)] => {
                    self.add(Some(&Expr::Macro(syn::ExprMacro { attrs: Vec::new(), mac: mac.mac.clone() })));
                }
                _ => {}
            },
            Some(Expr::Lit(literal)) => {
                self.0.extend(syn::parse2::<LitStr>(literal.to_token_stream()).map(|l| l.value()))
            }
            Some(Expr::Macro(format)) if format.mac.path.is_ident("format") => {
                let first = format.mac.tokens.clone().into_iter().next().map(ToTokens::into_token_stream);
                self.0.extend(first.and_then(|first| syn::parse2::<LitStr>(first).ok()).map(|l| l.value()));
            }
            _ => {}
        }
    }
}

impl<'a> Visit<'a> for Texts {
    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        if REPORTERS.iter().any(|name| call.method == name) {
            self.add(call.args.last());
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let Expr::Path(path) = &*call.func
            && path.path.segments.iter().any(|segment| segment.ident == "Error")
        {
            self.add(call.args.last());
        }
        visit::visit_expr_call(self, call);
    }

    // `let message = match … { … => "text", … => format!("text") }`.
    fn visit_local(&mut self, local: &'a syn::Local) {
        let is_message = matches!(&local.pat, syn::Pat::Ident(name) if name.ident == "message");
        match local.init.as_ref().map(|init| &*init.expr).filter(|_| is_message) {
            Some(Expr::Match(message)) => message.arms.iter().for_each(|arm| self.add(Some(&arm.body))),
            other => self.add(other),
        }
        visit::visit_local(self, local);
    }

    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }
}

fn texts_of(folder: &Path, texts: &mut Texts) {
    for entry in folder.read_dir().expect("the folder exists").flatten() {
        let path = entry.path();
        if path.is_dir() {
            texts_of(&path, texts);
        } else {
            let source = std::fs::read_to_string(&path).expect("the file is text");
            texts.visit_file(&syn::parse_file(&source).expect("the file is Rust"));
        }
    }
}

#[test]
fn each_error_states_a_fix() {
    let mut texts = Texts::default();
    texts_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut texts);
    assert!(texts.0.len() >= 45, "{} texts of errors were found", texts.0.len());
    let without: Vec<&String> = texts.0.iter().filter(|text| !text.contains("; ")).collect();
    assert!(without.is_empty(), "write the fix after a semicolon, as an imperative sentence: {without:#?}");
}
