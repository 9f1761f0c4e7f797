//! Values of expressions.

use cube_algebra::access::BankReport;
use cube_algebra::synthesis::Synthesis;
use cube_algebra::{Composed, Layout, Slice, Swizzle, ThreadValue};
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number `n`, which means `n:1` if a layout is expected.
    Number(u64),
    /// `true` or `false`.
    Flag(bool),
    /// `_`.
    Keep,
    /// A tuple: a shape, a coordinate or a tiler by mode.
    Tuple(Vec<Value>),
    /// `<t0;t1>`.
    ByMode(Vec<Value>),
    Layout(Layout),
    Swizzle(Swizzle),
    /// A composition of a layout, an offset and a swizzle.
    Composed(Composed),
    /// A thread-value layout with its tile.
    ThreadValue(ThreadValue),
    /// The modes of a layout that remain after slicing.
    Slice(Slice),
    /// The bank conflicts of one access.
    Banks(Box<Banks>),
    /// The result of a swizzle synthesis.
    Synthesis(Box<Synthesis>, Box<Banks>),
    /// A result that consists of named parts.
    Record(Vec<(&'static str, String)>),
}

/// One access to shared memory, and the cost of the access without and with a swizzle.
#[derive(Clone, Debug, PartialEq)]
pub struct Banks {
    /// The layout of the memory without a swizzle.
    pub before: Composed,
    /// The layout of the memory as given, or with the synthesised swizzle.
    pub after: Composed,
    /// The map from the thread to an index of the tile.
    pub threads: Layout,
    pub element_bytes: u64,
    /// Elements per thread.
    pub vector: u64,
    pub cost_before: BankReport,
    pub cost_after: BankReport,
}

impl Value {
    /// The kind of the value, for error messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Number(_) => "a number",
            Value::Flag(_) => "a truth value",
            Value::Keep => "`_`",
            Value::Tuple(_) => "a tuple",
            Value::ByMode(_) => "a tiler",
            Value::Layout(_) => "a layout",
            Value::Swizzle(_) => "a swizzle",
            Value::Composed(_) => "a composed layout",
            Value::ThreadValue(_) => "a thread-value layout",
            Value::Slice(_) => "a slice",
            Value::Banks(_) => "a bank report",
            Value::Synthesis(..) => "a synthesis",
            Value::Record(_) => "a report",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Flag(flag) => flag.fmt(f),
            Value::Keep => f.write_str("_"),
            Value::Tuple(items) => list(f, "(", ",", ")", items),
            Value::ByMode(items) => list(f, "<", ";", ">", items),
            Value::Layout(layout) => layout.fmt(f),
            Value::Swizzle(swizzle) => swizzle.fmt(f),
            Value::Composed(composed) => composed.fmt(f),
            Value::ThreadValue(tv) => {
                let tile: Vec<String> = tv.tile.iter().map(u64::to_string).collect();
                write!(f, "tile: ({})\nlayout: {}", tile.join(","), tv.layout)
            }
            Value::Slice(slice) => write!(f, "layout: {}\noffset: {}", slice.layout, slice.offset),
            Value::Banks(banks) => banks.fmt(f),
            Value::Synthesis(synthesis, _) => show_synthesis(f, synthesis),
            Value::Record(parts) => {
                let lines: Vec<String> = parts.iter().map(|(name, value)| format!("{name}: {value}")).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, open: &str, between: &str, close: &str, items: &[Value]) -> fmt::Result {
    f.write_str(open)?;
    for (k, item) in items.iter().enumerate() {
        if k > 0 {
            f.write_str(between)?;
        }
        write!(f, "{item}")?;
    }
    f.write_str(close)
}

impl fmt::Display for Banks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cost = |report: &BankReport| {
            format!("degree {}, phases {} (without conflicts {})", report.degree, report.phases, report.least)
        };
        if self.before == self.after {
            return write!(f, "{}: {}", self.after, cost(&self.cost_after));
        }
        writeln!(f, "before: {}: {}", self.before.layout(), cost(&self.cost_before))?;
        write!(f, "after: {}: {}", self.after, cost(&self.cost_after))
    }
}

fn show_synthesis(f: &mut fmt::Formatter<'_>, synthesis: &Synthesis) -> fmt::Result {
    let bare = &synthesis.bare;
    writeln!(f, "bare: phases {}, degree {}, elements {}", bare.phases, bare.degree, bare.elements)?;
    let families = [("swizzle", Some(&synthesis.swizzle)), ("padding", synthesis.padding.as_ref())];
    for (name, found) in families {
        let Some(found) = found else { continue };
        let (best, certificate) = (&found.best, &found.certificate);
        let memory = match best.memory.swizzle().bits() {
            0 => best.memory.layout().to_string(),
            _ => best.memory.to_string(),
        };
        writeln!(f, "{name}: {memory}: phases {}, degree {}, elements {}", best.phases, best.degree, best.elements)?;
        let better = match certificate.reaches_bound() {
            true => "no arrangement of any kind needs fewer".to_string(),
            false => format!("none needs fewer; the bound for any arrangement is {}", certificate.bound),
        };
        writeln!(f, "  all {} of the family tried ({}): {better}", certificate.examined(), certificate.family)?;
    }
    let winner = if std::ptr::eq(synthesis.best(), &synthesis.swizzle) { "swizzle" } else { "padding" };
    write!(f, "best: {winner}")
}
