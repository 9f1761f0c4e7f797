//! What the build scripts of the dialects share: reads a dialect's `.td` (through llvm-tblgen's JSON) and writes borrowed
//! views of its operations, its enums, and the table of operations from which docs and the frontend's tables come.
use serde_json::Value;
use std::{env, fmt::Write, fs, path::PathBuf, process::Command};

/// A dialect: its namespace, and the prefix of its records.
pub struct Dialect {
    pub name: &'static str,
    pub class: &'static str,
}

impl Dialect {
    fn file(&self) -> String {
        format!("{}Ops.td", self.class)
    }

    /// Writes `ops.rs` for the dialect of this package, whose `.td` files are in `td`; `include` has those of others.
    pub fn write(&self, include: &[&str]) {
        let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
        let prefix = PathBuf::from(env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into()));
        println!("cargo:rerun-if-changed=td");
        println!("cargo:rerun-if-changed=build.rs");
        println!("cargo:rerun-if-changed=../views.rs");
        println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
        for folder in include {
            println!("cargo:rerun-if-changed={folder}");
        }
        let json = Command::new(prefix.join("bin/llvm-tblgen"))
            .args(["--dump-json", "-I", "td", "-I"])
            .arg(prefix.join("include"))
            .args(include.iter().flat_map(|folder| ["-I", folder]))
            .arg(format!("td/{}", self.file()))
            .output()
            .unwrap_or_else(|e| panic!("cannot run llvm-tblgen (`cargo xtask doctor` helps): {e}"));
        assert!(json.status.success(), "llvm-tblgen: {}", String::from_utf8_lossy(&json.stderr));
        let records: Value = serde_json::from_slice(&json.stdout).expect("llvm-tblgen prints JSON");

        let mut text = String::new();
        let class = |suffix: &str| format!("{}_{suffix}", self.class);
        let mut ops: Vec<&Value> = names(&records, &class("Op")).iter().map(|n| &records[n.as_str()]).collect();
        ops.sort_by_key(|op| place_of(self, op));
        for op in &ops {
            view(self, &mut text, op, &records);
        }
        table(self, &mut text, &ops, &records);
        parts(self, &mut text, "TYPES", "Every type of the dialect", '!', &["TypeDef"], &records);
        parts(self, &mut text, "ATTRS", "Every attribute of the dialect", '#', &["AttrDef", "EnumAttr"], &records);
        enums(self, &mut text, &records);
        fs::write(out.join("ops.rs"), text).expect("OUT_DIR is writable");
    }
}

fn names(records: &Value, class: &str) -> Vec<String> {
    let list = records["!instanceof"][class].as_array();
    list.into_iter().flatten().filter_map(|n| n.as_str().map(String::from)).collect()
}

/// Where a record stands: its line, or that of the `include` in the file of operations, and its line in the included file.
fn place_of(of: &Dialect, record: &Value) -> (usize, usize) {
    let place = record["!locs"][0].as_str().unwrap_or_default();
    let (path, line) = place.rsplit_once(':').unwrap_or((place, ""));
    let (file, line) = (path.rsplit('/').next().unwrap_or(path), line.parse().unwrap_or(0));
    let ops = fs::read_to_string(format!("td/{}", of.file())).expect("the package holds it");
    let include = format!("include {file:?}");
    ops.lines().position(|l| l == include).map_or((line, 0), |at| (at + 1, line))
}

fn text_of<'v>(op: &'v Value, field: &str) -> &'v str {
    op[field].as_str().unwrap_or_default()
}

fn is_attribute(records: &Value, record: &Value) -> bool {
    let classes = record["!superclasses"].as_array().map(Vec::as_slice).unwrap_or_default();
    let _ = records;
    classes.iter().any(|c| c == "AttrConstraint")
}

fn snake(name: &str) -> String {
    let one = |c: char| if c.is_ascii_uppercase() { format!("_{}", c.to_ascii_lowercase()) } else { c.to_string() };
    name.chars().map(one).collect()
}

fn camel(name: &str) -> String {
    name.split(['_', '.']).map(|w| w[..1].to_uppercase() + &w[1..]).collect()
}

fn view(of: &Dialect, text: &mut String, op: &Value, records: &Value) {
    let (dialect, name) = (of.name, text_of(op, "opName"));
    let ty = camel(name);
    let summary = text_of(op, "summary");
    let _ = writeln!(
        text,
        "/// `{dialect}.{name}`: {summary}.\n#[derive(Clone, Copy, Debug)]\npub struct {ty}<'p>(Op<'p>);\n\
         impl<'p> {ty}<'p> {{\n    /// Full name.\n    pub const NAME: &'static str = \"{dialect}.{name}\";\n\
         \x20   /// The view, if `op` is one.\n    pub fn of(op: Op<'p>) -> Option<Self> {{ op.is(Self::NAME).then_some({ty}(op)) }}\n\
         \x20   /// The operation.\n    pub fn op(self) -> Op<'p> {{ self.0 }}"
    );
    let empty = vec![];
    let mut operand = 0;
    for arg in op["arguments"]["args"].as_array().unwrap_or(&empty) {
        let (record, arg_name) = (&records[arg[0]["def"].as_str().unwrap_or_default()], arg[1].as_str().unwrap_or(""));
        if is_attribute(records, record) {
            let _ = writeln!(
                text,
                "    /// Attribute `{arg_name}`.\n    pub fn {}(self) -> Option<Attribute<'p>> {{ self.0.attr(\"{arg_name}\") }}",
                snake(arg_name)
            );
        } else if record["!superclasses"].as_array().is_some_and(|c| c.iter().any(|c| c == "Variadic")) {
            let skip = if operand == 0 { String::new() } else { format!(".skip({operand})") };
            let _ = writeln!(
                text,
                "    /// Operands `{arg_name}`.\n    pub fn {arg_name}(self) -> Vec<Val<'p>> {{ self.0.operands(){skip}.collect() }}"
            );
        } else {
            let _ = writeln!(
                text,
                "    /// Operand `{arg_name}`.\n    pub fn {arg_name}(self) -> Val<'p> {{ self.0.operand({operand}) }}"
            );
            operand += 1;
        }
    }
    let _ = writeln!(text, "}}\n");
}

fn table(of: &Dialect, text: &mut String, ops: &[&Value], records: &Value) {
    let _ =
        writeln!(text, "/// Every operation of the dialect, in the order of the `.td`.\npub const OPS: &[OpDecl] = &[");
    for op in ops {
        let (attributes, operands): (Vec<_>, Vec<_>) =
            fields(&op["arguments"], records).into_iter().partition(|field| field.attribute);
        let _ = writeln!(
            text,
            "    OpDecl {{ name: {:?}, summary: {:?}, description: {:?}, assembly: {:?}, operands: &{operands:?}, attributes: &{attributes:?}, results: &{:?} }},",
            format!("{}.{}", of.name, text_of(op, "opName")),
            text_of(op, "summary"),
            text_of(op, "description"),
            text_of(op, "assemblyFormat"),
            fields(&op["results"], records),
        );
    }
    let _ = writeln!(text, "];\n");
}

/// An operand, attribute or result.
struct Field {
    name: String,
    what: String,
    attribute: bool,
}

impl std::fmt::Debug for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({:?}, {:?})", self.name, self.what)
    }
}

fn fields(dag: &Value, records: &Value) -> Vec<Field> {
    let record = |value: &Value| &records[value["def"].as_str().unwrap_or_default()];
    let one = |arg: &Value| {
        // `Arg<...>` adds effects to the constraint that it wraps.
        let outer = record(&arg[0]);
        let inner = if outer["constraint"].is_object() { record(&outer["constraint"]) } else { outer };
        let optional = if outer["isOptional"] == 1 { "optional, " } else { "" };
        Field {
            name: arg[1].as_str().unwrap_or_default().into(),
            what: format!("{optional}{}", text_of(inner, "summary")),
            attribute: is_attribute(records, outer),
        }
    };
    dag["args"].as_array().into_iter().flatten().map(one).collect()
}

/// A table of types or attributes; an enum attribute lists its words.
fn parts(of: &Dialect, text: &mut String, table: &str, doc: &str, mark: char, classes: &[&str], records: &Value) {
    let own = format!("{}_", of.class);
    let all = classes.iter().flat_map(|class| names(records, class));
    let mut parts: Vec<&Value> = all.filter(|n| n.starts_with(&own)).map(|n| &records[n.as_str()]).collect();
    parts.sort_by_key(|part| place_of(of, part));
    let _ = writeln!(text, "/// {doc}, in the order of the `.td`.\npub const {table}: &[PartDecl] = &[");
    for part in parts {
        let of_enum = &records[part["enum"]["def"].as_str().unwrap_or_default()]["enumerants"];
        let cases = of_enum.as_array().into_iter().flatten();
        let words: Vec<&str> =
            cases.map(|case| text_of(&records[case["def"].as_str().unwrap_or_default()], "str")).collect();
        let _ = writeln!(
            text,
            "    PartDecl {{ name: {:?}, summary: {:?}, description: {:?}, assembly: {:?}, words: &{words:?} }},",
            format!("{mark}{}.{}", of.name, text_of(part, "mnemonic")),
            text_of(part, "summary"),
            text_of(part, "description"),
            text_of(part, "assemblyFormat"),
        );
    }
    let _ = writeln!(text, "];\n");
}

/// A Rust enum for each enum of the dialect but `Bounds`, which has methods of its own.
fn enums(of: &Dialect, text: &mut String, records: &Value) {
    for name in names(records, &format!("{}_Enum", of.class)) {
        let record = &records[name.as_str()];
        let ty = match text_of(record, "className") {
            "Bounds" => continue,
            // `Topology` is the operation.
            "Topology" => "TopologyKind",
            other => other,
        };
        let case = |c: &Value| {
            let case = &records[c["def"].as_str().expect("a case is a record")];
            (text_of(case, "symbol").to_string(), case["value"].as_i64().unwrap_or(0), text_of(case, "str").to_string())
        };
        let cases: Vec<_> = record["enumerants"].as_array().expect("an enum has cases").iter().map(case).collect();
        let of = |f: &dyn Fn(&(String, i64, String)) -> String| cases.iter().map(f).collect::<String>();
        let _ = writeln!(
            text,
            "/// {}.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\n#[allow(missing_docs)]\n\
             pub enum {ty} {{\n{}}}\n\nimpl {ty} {{\n    /// All of them.\n    pub const ALL: &'static [{ty}] = &[{}];\n\n\
             \x20   /// The word in assembly.\n    pub fn word(self) -> &'static str {{\n        match self {{\n{}        }}\n    }}\n\n\
             \x20   /// The one that `attr` stands for.\n    pub fn of(attr: Option<Attribute<'_>>) -> Option<Self> {{\n\
             \x20       let text = attr?.to_string();\n        let word = text.trim_end_matches('>').rsplit([' ', '<']).next()?;\n\
             \x20       Self::ALL.iter().copied().find(|w| w.word() == word)\n    }}\n}}\n",
            text_of(record, "summary"),
            of(&|(symbol, value, _)| format!("    {symbol} = {value},\n")),
            of(&|(symbol, ..)| format!("{ty}::{symbol}, ")),
            of(&|(symbol, _, word)| format!("            {ty}::{symbol} => {word:?},\n")),
        );
    }
}
