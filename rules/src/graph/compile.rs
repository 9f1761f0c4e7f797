//! The table of rules that graphs apply: each rule for concrete types, found by the outermost operation of its pattern.
use super::{Head, NodeKind, Ty};
use crate::user::UserRule;
use crate::{Instance, Op, Rule, Term, rules};
use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex, PoisonError};

/// A rule for concrete types.
pub struct Entry {
    pub name: &'static str,
    pub instance: Instance,
    /// The pattern in all operand orders of its commutative operations.
    pub orders: Vec<Term>,
    /// Maximum number of nodes that one application of the rule adds: the replacement, a constant for each folded
    /// node, and a view ([`Op::View`]).
    pub size: usize,
}

/// Rules, and the patterns that begin with each operation.
#[derive(Default)]
pub struct Table {
    pub entries: Vec<Entry>,
    /// For each operation with its types: the number of the rule and of the operand order.
    by_root: HashMap<(Op, Ty, Ty), Vec<(usize, usize)>>,
}

impl Table {
    fn of(entries: impl Iterator<Item = Entry>) -> Table {
        let mut table = Table { entries: entries.collect(), by_root: HashMap::new() };
        for (place, entry) in table.entries.iter().enumerate() {
            for (number, order) in entry.orders.iter().enumerate() {
                if let Term::Apply { op, from, to, .. } = order {
                    table.by_root.entry((*op, (*from).into(), (*to).into())).or_default().push((place, number));
                }
            }
        }
        table
    }

    /// The rules whose pattern begins with an operation, each with the number of the operand order.
    pub fn patterns(&self, head: &Head) -> &[(usize, usize)] {
        match head.kind {
            NodeKind::Apply(op, _) => self.by_root.get(&(op, head.from, head.to)).map_or(&[], Vec::as_slice),
            _ => &[],
        }
    }
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::of(rules().iter().flat_map(|rule| entries(rule, rule.name.as_str()))));

fn entries<'r>(rule: &'r Rule, name: &'static str) -> impl Iterator<Item = Entry> + use<'r> {
    rule.instances().into_iter().map(move |instance| {
        let (orders, size) = (instance.pattern.orders(), size_of(&instance.replacement) + 1);
        Entry { name, instance, orders, size }
    })
}

/// The built-in rules, whose table is built once per process. If this function runs before a fork, the forked
/// processes share the table.
pub fn table() -> &'static Table {
    &TABLE
}

/// The rules of a program, compiled once for use in all graphs.
#[derive(Clone, Copy, Default)]
pub struct OwnRules(pub(super) Option<&'static Table>);

impl OwnRules {
    /// Compiles rules of a program for use in graphs. Each set of rules is compiled once per process and is
    /// never freed, because the crate egg never frees the names of rules.
    pub fn new(rules: &[UserRule]) -> OwnRules {
        static KNOWN: Mutex<BTreeMap<String, &'static Table>> = Mutex::new(BTreeMap::new());
        if rules.is_empty() {
            return OwnRules::default();
        }
        let key: Vec<String> =
            rules.iter().map(|user| format!("{} {} {}", user.name(), user.rule.types, user.rule.text)).collect();
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let made = known.entry(key.join("\n")).or_insert_with(|| {
            let all = rules.iter().flat_map(|user| entries(&user.rule, Box::leak(user.name().into_boxed_str())));
            Box::leak(Box::new(Table::of(all)))
        });
        OwnRules(Some(made))
    }
}

// The number of nodes of a replacement. Each operation can fold to a constant.
fn size_of(term: &Term) -> usize {
    match term {
        Term::Variable(_) => 0,
        Term::Constant(..) | Term::Computed(_) => 1,
        Term::Apply { args, .. } => 2 + args.iter().map(size_of).sum::<usize>(),
    }
}

/// Maximum number of nodes that one application of any rule adds.
pub fn largest_application() -> usize {
    TABLE.entries.iter().map(|entry| entry.size).max().unwrap_or(0)
}

/// Builds the table of built-in rules, once per process. If this function runs before a fork, the forked
/// processes share the table.
pub fn prepare() {
    LazyLock::force(&TABLE);
}
