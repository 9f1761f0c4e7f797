//! Expands mutated kernels. The test checks that no token stream makes the macro panic, and that each
//! expansion is valid syntax.
//!
//! `CUBE_FUZZ_COUNT` sets the number of kernels and `CUBE_FUZZ_SEED` the first seed.
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Item, Pat, Stmt, Type};

/// A pseudo-random number generator (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % count.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// The kernels of the tests, the library and the examples, and syntax nodes that mutations insert.
#[derive(Default)]
struct Corpus {
    items: Vec<(TokenStream, Item)>,
    exprs: Vec<Expr>,
    pats: Vec<Pat>,
    types: Vec<Type>,
    stmts: Vec<Stmt>,
    idents: Vec<Ident>,
}

impl Corpus {
    fn read(&mut self, folder: &Path) {
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.read(&path);
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && let Ok(file) = syn::parse_file(&std::fs::read_to_string(&path).unwrap())
            {
                self.visit_file(&file);
            }
        }
    }
}

fn is_cube(attr: &syn::Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "cube")
}

impl<'a> Visit<'a> for Corpus {
    fn visit_item(&mut self, item: &'a Item) {
        let attrs = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        let derives = attrs.iter().any(|attr| attr.to_token_stream().to_string().contains("Cube"));
        if let Some(attr) = attrs.iter().find(|attr| is_cube(attr)) {
            let words = match &attr.meta {
                syn::Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            self.items.push((words, item.clone()));
        } else if derives {
            self.items.push((TokenStream::new(), item.clone()));
        }
        visit::visit_item(self, item);
    }

    fn visit_expr(&mut self, e: &'a Expr) {
        if self.exprs.len() < 20_000 {
            self.exprs.push(e.clone());
        }
        visit::visit_expr(self, e);
    }

    fn visit_pat(&mut self, pat: &'a Pat) {
        self.pats.push(pat.clone());
        visit::visit_pat(self, pat);
    }

    fn visit_type(&mut self, ty: &'a Type) {
        self.types.push(ty.clone());
        visit::visit_type(self, ty);
    }

    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.stmts.push(stmt.clone());
        visit::visit_stmt(self, stmt);
    }

    fn visit_ident(&mut self, name: &'a Ident) {
        self.idents.push(name.clone());
    }
}

/// Visitor that replaces one node of a syntax tree. The visitor counts nodes in the order of its traversal.
struct Replace<'a> {
    corpus: &'a Corpus,
    random: &'a mut Random,
    /// The number of nodes that the visitor skips before it replaces a node.
    left: usize,
}

impl Replace<'_> {
    fn now(&mut self) -> bool {
        let now = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        now
    }
}

impl VisitMut for Replace<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if self.now() {
            let other = self.random.of(&self.corpus.exprs).clone();
            let (a, op) = (e.clone(), other.clone());
            // If the tokens are not an expression, for example `if S { … } { … }`, `other` replaces the node.
            let tokens = match self.random.below(8) {
                0 => quote!(&mut (#a)),
                1 => quote!({ #a }),
                2 => quote!(if #op { #a } else { #a }),
                3 => quote!(match #op { _ => #a }),
                4 => quote!((#a, #op)),
                5 => quote!(comptime!(#a)),
                _ => quote!(#op),
            };
            *e = syn::parse2(tokens).unwrap_or(other);
            return;
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        if self.now() {
            *pat = self.random.of(&self.corpus.pats).clone();
            return;
        }
        visit_mut::visit_pat_mut(self, pat);
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        if self.now() {
            *ty = self.random.of(&self.corpus.types).clone();
            return;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        if self.now() {
            let at = self.random.below(block.stmts.len() + 1);
            match self.random.below(3) {
                0 if at < block.stmts.len() => drop(block.stmts.remove(at)),
                1 if at < block.stmts.len() => block.stmts.truncate(at),
                _ => block.stmts.insert(at, self.random.of(&self.corpus.stmts).clone()),
            }
            return;
        }
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_ident_mut(&mut self, name: &mut Ident) {
        if self.now() {
            *name = self.random.of(&self.corpus.idents).clone();
        }
    }
}

/// Changes one random token of a token stream.
fn mutate_token(tokens: TokenStream, corpus: &Corpus, random: &mut Random) -> TokenStream {
    let mut trees: Vec<TokenTree> = tokens.into_iter().collect();
    let at = random.below(trees.len());
    let Some(tree) = trees.get(at).cloned() else { return trees.into_iter().collect() };
    if let TokenTree::Group(group) = &tree
        && random.below(8) > 0
    {
        let mut inner = Group::new(group.delimiter(), mutate_token(group.stream(), corpus, random));
        inner.set_span(group.span());
        trees[at] = TokenTree::Group(inner);
        return trees.into_iter().collect();
    }
    let sign = |c: char| TokenTree::Punct(Punct::new(c, Spacing::Alone));
    let new: TokenTree = match random.below(7) {
        0 => TokenTree::Ident(random.of(&corpus.idents).clone()),
        1 => sign(*random.of(&['#', '!', '&', '*', '-', '.', ',', ';', ':', '<', '>', '=', '?', '|', '+', '@', '$'])),
        2 => TokenTree::Literal(
            random
                .of(&[
                    Literal::u64_unsuffixed(u64::MAX),
                    Literal::f64_unsuffixed(1e300),
                    Literal::string("{x:?} {"),
                    Literal::i128_suffixed(7),
                    Literal::character('x'),
                    Literal::byte_string(b"x"),
                ])
                .clone(),
        ),
        3 => TokenTree::Group(Group::new(
            *random.of(&[Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket, Delimiter::None]),
            random.of(&corpus.exprs).to_token_stream(),
        )),
        4 => {
            trees.remove(at);
            return trees.into_iter().collect();
        }
        5 => {
            let word =
                *random.of(&["comptime", "unroll", "cfg", "self", "Self", "async", "unsafe", "const", "mut", "ref"]);
            TokenTree::Ident(Ident::new(word, Span::call_site()))
        }
        _ => {
            let other = random.below(trees.len());
            trees.swap(at, other);
            return trees.into_iter().collect();
        }
    };
    match random.below(2) {
        0 => trees[at] = new,
        _ => trees.insert(at, new),
    }
    trees.into_iter().collect()
}

fn mutated(corpus: &Corpus, seed: u64) -> (TokenStream, TokenStream) {
    let mut random = Random(seed);
    let (words, item) = random.of(&corpus.items).clone();
    let mut item = item;
    for _ in 0..random.below(4) {
        let left = random.below(200);
        Replace { corpus, random: &mut random, left }.visit_item_mut(&mut item);
    }
    let mut tokens = item.to_token_stream();
    for _ in 0..random.below(3) {
        tokens = mutate_token(tokens, corpus, &mut random);
    }
    let words = if random.below(20) == 0 { mutate_token(words, corpus, &mut random) } else { words };
    (words, tokens)
}

/// Removes the attribute `#[cube]` from an item, as rustc does before it calls the macro.
fn without_attribute(tokens: TokenStream) -> TokenStream {
    let Ok(mut item) = syn::parse2::<Item>(tokens.clone()) else { return tokens };
    let attrs = match &mut item {
        Item::Fn(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Trait(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        _ => return tokens,
    };
    attrs.retain(|attr| !is_cube(attr) && !attr.path().is_ident("derive"));
    item.to_token_stream()
}

/// Every expansion that the macros generate for an item.
fn expansions(words: &TokenStream, tokens: TokenStream) -> TokenStream {
    let tokens = without_attribute(tokens);
    if let Ok(Item::Struct(_) | Item::Enum(_) | Item::Union(_)) = syn::parse2::<Item>(tokens.clone()) {
        let of = |made: syn::Result<TokenStream>| made.unwrap_or_else(syn::Error::into_compile_error);
        let (ty, launch) =
            (of(crate::derive::cube_type(tokens.clone())), of(crate::derive::cube_launch(tokens.clone())));
        let key = of(crate::derive::autotune_key(tokens));
        return quote!(#ty #launch #key);
    }
    let has_conditions = crate::tokens::mention(tokens.clone(), &crate::conditional_compilation::CONDITIONS);
    if has_conditions && syn::parse2::<Item>(tokens.clone()).is_ok() {
        return crate::conditional_compilation::defer_expansion(words, &tokens);
    }
    crate::expanded(words.clone(), tokens)
}

#[test]
fn mutated_kernels_do_not_make_the_macro_panic() {
    let of = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (count, seed) = (of("CUBE_FUZZ_COUNT").unwrap_or(400), of("CUBE_FUZZ_SEED").unwrap_or(1_000_000));
    let mut corpus = Corpus::default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in ["frontend/tests/tests", "frontend/tests/wrong", "frontend/std/src", "examples/rust"] {
        corpus.read(&root.join(folder));
    }
    assert!(corpus.items.len() > 1000, "{} kernels", corpus.items.len());
    let (mut failures, mut whole) = (Vec::new(), 0);
    for seed in seed..seed + count {
        let (words, tokens) = mutated(&corpus, seed);
        let text = tokens.to_string();
        let parses = syn::parse2::<Item>(tokens.clone()).is_ok();
        whole += u64::from(parses);
        match catch_unwind(AssertUnwindSafe(|| expansions(&words, tokens))) {
            Err(_) => failures.push(format!("seed {seed}: panic: #[cube({words})] {text}")),
            // The tokens in `comptime!` are copied unchanged, and rustc reports their syntax errors.
            Ok(made) if parses && !["comptime !", "intrinsic !"].iter().any(|name| text.contains(name)) => {
                if let Err(error) = syn::parse2::<syn::File>(made.clone()) {
                    failures.push(format!("seed {seed}: {error} in the expansion of #[cube({words})] {text}\n{made}"));
                }
            }
            Ok(_) => {}
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures[..failures.len().min(5)].join("\n\n"));
    assert!(whole * 3 > count, "{whole} of {count} kernels are items");
}

/// Syntax trees that random mutations found.
#[test]
fn unusual_types_and_paths_leave_a_valid_expansion() {
    for item in ["struct P { x: f32 + }", "enum E { A(f32 +) }", "fn h(a: u32, b: u32) -> u32 { Self::cmp::min(a, b) }"]
    {
        let made = expansions(&TokenStream::new(), item.parse().unwrap());
        assert!(syn::parse2::<syn::File>(made.clone()).is_ok(), "{item}: {made}");
    }
}

#[test]
fn an_error_inside_an_assignment_leaves_a_valid_expansion() {
    for body in ["assert_eq!(out[0], 1) & out[0] = 1;", "{ dbg!(1) & out[0] += 1 }", "foo!(1) as u32 = 1;"] {
        let item = format!("fn k(out: &mut Array<u32>) {{ {body} }}").parse().unwrap();
        let made = expansions(&quote!(launch), item);
        assert!(syn::parse2::<syn::File>(made.clone()).is_ok(), "{body}: {made}");
    }
}
