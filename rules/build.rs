//! Compares the rule families with the stored proofs. The result is the constant `UNPROVEN` of the crate, a message
//! that lists the rules without a proof. If a proof is missing, the pass `egraph` is a compile-time error with this
//! message. The crate itself compiles, because `cube-prove` needs it to prove the rules.
//!
//! The script also writes the list of the rules' lines, so that a process parses only the rules that it uses.
#[path = "src/lines.rs"]
#[allow(dead_code, unreachable_pub)]
mod lines;

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    for path in ["build.rs", "families", "proofs.txt", "src/lines.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let mut families = Vec::new();
    for entry in fs::read_dir("families")? {
        let path = entry?.path();
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        families.push((name, fs::read_to_string(&path)?));
    }
    families.sort();
    let proofs = fs::read_to_string("proofs.txt")?;
    let missing = lines::unproven(families.iter().map(|(name, text)| (name.as_str(), text.as_str())), &proofs);
    let value = format!("{:?}", lines::refusal(&missing));
    let folder = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&folder).join("unproven.rs"), value)?;
    fs::write(Path::new(&folder).join("sources.rs"), sources(&families))
}

/// An expression: for each family, its name and its rules.
fn sources(families: &[(String, String)]) -> String {
    let mut list = String::from("&[");
    for (family, text) in families {
        _ = write!(list, "({family:?}, &[");
        for (name, types, text) in lines::rules(family, text) {
            let (root, inner) = (lines::root(&text), lines::inner(&text));
            let rule = format!("name: {name:?}, types: {types:?}, text: {text:?}, root: {root:?}, inner: &{inner:?}");
            _ = write!(list, "Source {{ {rule} }},");
        }
        list += "]),";
    }
    list + "]"
}
