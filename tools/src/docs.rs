//! `cube docs`: generates the pages of docs/reference/ from the compiler's own declarations.
mod native;
mod pages;
mod targets;

use crate::{input, say};
use cube_artifact::{CompileError, diagnostic};
use std::{path::Path, process::ExitCode};

/// Folder of the pages, relative to the root of the checkout.
const FOLDER: &str = "docs/reference";

/// A page: the name of its file, and the function that generates the page.
type Page = (&'static str, fn() -> Result<String, CompileError>);

const PAGES: &[Page] = &[
    ("dialect.md", pages::dialect),
    ("layout-dialect.md", pages::layout),
    ("passes.md", pages::passes),
    ("levels.md", pages::levels),
    ("targets.md", pages::targets),
    ("native.md", native::page),
    ("errors.md", pages::errors),
    ("rules.md", pages::rewrite_rules),
    ("tolerance.md", pages::tolerance),
];

/// The tool `cube docs`: writes the pages; with `--check`, compares the pages with the declarations.
pub fn main(args: Vec<String>) -> ExitCode {
    let rest: Vec<&str> = args.iter().skip(1).map(String::as_str).collect();
    let check = match rest.as_slice() {
        [] => false,
        ["--check"] => true,
        ["--help" | "-h"] => {
            println!(
                "cube docs          write the pages of {FOLDER}, in the root of a checkout\n\
                 cube docs --check  report pages that differ from the declarations"
            );
            return ExitCode::SUCCESS;
        }
        _ => {
            return say::wrong_usage("cube-docs", diagnostic!(CUBE0604.docs));
        }
    };
    if !Path::new(pages::DIALECTS).is_dir() {
        return say::error("cube-docs", diagnostic!(CUBE0602.root { folder: pages::DIALECTS }));
    }
    let mut stale = false;
    for (file, write) in PAGES {
        let path = format!("{FOLDER}/{file}");
        let text = match write() {
            Ok(text) => format!("<!-- Written by `cube docs` from the declarations; edit those. -->\n{text}"),
            Err(error) => return say::compile_error(&error),
        };
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        if old == text {
            continue;
        }
        if check {
            stale = true;
            let line = old.lines().zip(text.lines()).take_while(|(a, b)| a == b).count() + 1;
            say::error("cube-docs", diagnostic!(CUBE0611.stale { path, line }));
            continue;
        }
        let made = std::fs::create_dir_all(FOLDER)
            .map_err(|error| CompileError::from(diagnostic!(CUBE0603.folder { folder: FOLDER, error })));
        if let Err(error) = made.and_then(|()| input::write(&path, text.as_bytes())) {
            return say::compile_error(&error);
        }
        println!("wrote {path}");
    }
    if stale { ExitCode::from(say::FAILED) } else { ExitCode::SUCCESS }
}
