//! TableGen's records of a dialect, read from llvm-tblgen's JSON.
use serde_json::Value;
use std::{fs, path::Path, process::Command};

/// All records of a `.td` file and of the files that it includes.
pub struct Records(Value);

/// An operation's record.
pub struct Operation<'r> {
    pub records: &'r Records,
    pub record: &'r Value,
}

/// The multiplicity of a named part of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    One,
    Optional,
    Many,
}

/// An operand, attribute, result, region or successor of an operation.
pub struct Part<'r> {
    pub name: &'r str,
    /// The constraint, without TableGen's wrapper that declares effects.
    pub constraint: &'r Value,
    pub count: Count,
    pub attribute: bool,
    /// Whether the operation reads, and whether it writes, the memory that the operand names.
    pub effects: (bool, bool),
}

impl Records {
    /// Reads `file`, a path below LLVM's include folder or relative to the package's folder.
    pub fn read(file: &str, prefix: &Path) -> Records {
        let include = prefix.join("include");
        let path = if file.starts_with("..") { Path::new(file).to_path_buf() } else { include.join(file) };
        let json = Command::new(prefix.join("bin/llvm-tblgen"))
            .arg("--dump-json")
            .args(["-I", "../cube/td", "-I", "../layout/td", "-I"])
            .arg(&include)
            .arg(&path)
            .output()
            .unwrap_or_else(|e| panic!("cannot run llvm-tblgen (`cargo xtask doctor` helps): {e}"));
        assert!(json.status.success(), "llvm-tblgen: {}", String::from_utf8_lossy(&json.stderr));
        Records(serde_json::from_slice(&json.stdout).expect("llvm-tblgen prints JSON"))
    }

    /// The record that a value refers to.
    pub fn target(&self, value: &Value) -> &Value {
        &self.0[value["def"].as_str().unwrap_or_default()]
    }

    /// All records of a class.
    pub fn of_class(&self, class: &str) -> Vec<&Value> {
        let list = self.0["!instanceof"][class].as_array();
        list.into_iter().flatten().filter_map(|name| Some(&self.0[name.as_str()?])).collect()
    }

    /// The operations of the dialect with this namespace.
    pub fn operations(&self, dialect: &str) -> Vec<Operation<'_>> {
        let own = |op: &&Value| text_of(self.target(&op["opDialect"]), "name") == dialect;
        let of = |record| Operation { records: self, record };
        self.of_class("Op").into_iter().filter(own).map(of).collect()
    }

    fn parts<'r>(&'r self, dag: &'r Value) -> Vec<Part<'r>> {
        let one = |arg: &'r Value| {
            let outer = self.target(&arg[0]);
            // `Arg<...>` and `Res<...>` add effects to the constraint that they wrap.
            let constraint = if outer["constraint"].is_object() { self.target(&outer["constraint"]) } else { outer };
            let many = ["Variadic", "VariadicRegion", "VariadicSuccessor"];
            let count = match () {
                () if many.iter().any(|class| is_a(constraint, class)) => Count::Many,
                () if is_a(constraint, "Optional") => Count::Optional,
                () => Count::One,
            };
            let attribute = is_a(constraint, "AttrConstraint") || is_a(constraint, "PropConstraint");
            let decorators = || outer["decorators"].as_array().into_iter().flatten().map(|d| self.target(d));
            let does = |effect: &str| {
                decorators().any(|d| {
                    text_of(d, "effect").ends_with(effect) && text_of(d, "resource").ends_with("::DefaultResource")
                })
            };
            let effects = (does("::Read"), does("::Write"));
            Part { name: arg[1].as_str().unwrap_or_default(), constraint, count, attribute, effects }
        };
        dag["args"].as_array().into_iter().flatten().map(one).collect()
    }
}

impl<'r> Operation<'r> {
    /// Name without the dialect.
    pub fn name(&self) -> &'r str {
        text_of(self.record, "opName")
    }

    /// Operands and attributes, in the order of the declaration.
    pub fn arguments(&self) -> Vec<Part<'r>> {
        self.records.parts(&self.record["arguments"])
    }

    pub fn results(&self) -> Vec<Part<'r>> {
        self.records.parts(&self.record["results"])
    }

    pub fn regions(&self) -> Vec<Part<'r>> {
        self.records.parts(&self.record["regions"])
    }

    pub fn successors(&self) -> Vec<Part<'r>> {
        self.records.parts(&self.record["successors"])
    }

    /// The records of the operation's traits, including traits in lists of traits.
    pub fn traits(&self) -> Vec<&'r Value> {
        let list = |record: &'r Value| record["traits"].as_array().into_iter().flatten();
        let mut open: Vec<&Value> = list(self.record).collect();
        let mut all = Vec::new();
        while let Some(value) = open.pop() {
            let record = self.records.target(value);
            open.extend(list(record));
            all.push(record);
        }
        all
    }

    /// Whether the operation has the trait whose record is called `name`.
    pub fn has_trait(&self, name: &str) -> bool {
        self.traits().into_iter().any(|record| record["!name"] == name)
    }

    /// Whether C++ code, and not the declaration, defines the effects of the operation.
    pub fn has_effects_in_cpp(&self) -> bool {
        let effects_in_cpp = |record: &&Value| {
            text_of(record, "cppInterfaceName") == "MemoryEffectOpInterface"
                && is_a(record, "DeclareOpInterfaceMethods")
        };
        self.traits().iter().any(effects_in_cpp)
    }
}

/// The text of the field called `field`; empty if the record lacks the field.
pub fn text_of<'v>(record: &'v Value, field: &str) -> &'v str {
    record[field].as_str().unwrap_or_default()
}

/// Whether a record derives from a class.
pub fn is_a(record: &Value, class: &str) -> bool {
    record["!superclasses"].as_array().into_iter().flatten().any(|c| c == class)
}

/// The position of a record for sorting: its line in `file`, and 0. For a record of an included file, the position is
/// the line of the `include` in `file`, and the line in the included file.
pub fn location_of(file: &str, record: &Value) -> (usize, usize) {
    let location = record["!locs"][0].as_str().unwrap_or_default();
    let (path, line) = location.rsplit_once(':').unwrap_or((location, ""));
    let (name, line) = (path.rsplit('/').next().unwrap_or(path), line.parse().unwrap_or(0));
    let ops = fs::read_to_string(file).expect("the dialect's package holds it");
    let include = format!("include {name:?}");
    ops.lines().position(|l| l == include).map_or((line, 0), |at| (at + 1, line))
}

/// Converts `thenRegion` to `then_region`. A name gets an underscore if it is a keyword of Rust or a method of
/// every view.
pub fn snake(name: &str) -> String {
    let mut text = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
        before = c;
    }
    // Keywords of Rust, and the methods of a view.
    const TAKEN: &str = " abstract as async await become box break const continue crate do dyn else enum extern false final \
        fn for gen if impl in let loop macro make match mod move mut of op override priv pub ref return self static struct \
        super trait true try type typeof unsafe unsized use virtual where while yield ";
    if TAKEN.contains(&format!(" {text} ")) { text + "_" } else { text }
}

/// Converts `intr.masked_store` to `IntrMaskedStore`.
pub fn camel(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
