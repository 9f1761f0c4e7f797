//! The table of rules that graphs apply: the patterns of the rules for concrete types, found by their outermost
//! operation. A process parses and compiles only the rules whose operations it finds in a graph.
use super::Ty;
use crate::families::{self, Source};
use crate::user::UserRule;
use crate::{Instance, Op, Rule, Term, lines, rules};
use cube_semantics::Number;
use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError, RwLock};

/// A rule for concrete types.
pub struct Entry {
    /// The name of the rule.
    pub name: &'static str,
    pub instance: Instance,
    /// Maximum number of nodes that one application of the rule adds: the replacement, a constant for each folded
    /// node, and a view ([`Op::View`]).
    pub(super) size: usize,
}

/// The pattern of a rule for concrete types, in one operand order of its commutative operations and comparisons.
pub struct Pattern {
    pub entry: &'static Entry,
    pub term: Term,
    /// The numbers of the rule, of its instance, and of the operand order. Graphs apply rules in this order.
    pub(super) place: [usize; 3],
}

// An operation with the types of its operands and of its result.
type Root = (Op, Ty, Ty);

/// The patterns of one rule that begin with one operation. The first use of the patterns compiles them.
pub(super) struct RulePatterns {
    source: &'static Source,
    // The number of the rule.
    number: usize,
    patterns: OnceLock<Vec<Pattern>>,
}

impl RulePatterns {
    /// Whether a graph has all operations of the patterns below the root. `is_present` returns whether the graph has an
    /// operation with a name. In a graph without one of them, no pattern matches.
    pub fn can_match(&self, is_present: impl Fn(&str) -> bool) -> bool {
        self.source.inner.iter().all(|name| is_present(name))
    }

    fn compiled(&self, root: Root) -> &[Pattern] {
        self.patterns.get_or_init(|| {
            let (_, from, to) = root;
            let fits = |term: &Term| {
                let types = |from: &Number, to: &Number| -> (Ty, Ty) { ((*from).into(), (*to).into()) };
                matches!(term, Term::Apply { from: own, to: result, .. } if types(own, result) == (from, to))
            };
            let all = patterns(self.number, self.source, fits).into_iter().filter(|(own, _)| *own == root);
            all.map(|(_, pattern)| pattern).collect()
        })
    }
}

/// Rules, and the compiled patterns of those that were used.
pub(super) struct Table {
    sources: Vec<&'static Source>,
    by_root: RwLock<HashMap<Root, &'static [RulePatterns]>>,
}

impl Table {
    fn of(sources: Vec<&'static Source>) -> Table {
        Table { sources, by_root: RwLock::default() }
    }

    /// The patterns that begin with an operation, of the rules that `is_wanted` selects, in the order of the rules.
    pub fn patterns(
        &self,
        root @ (op, ..): Root,
        is_wanted: impl Fn(&RulePatterns) -> bool,
    ) -> impl Iterator<Item = &'static Pattern> {
        let known = self.by_root.read().unwrap_or_else(PoisonError::into_inner).get(&root).copied();
        let rules: &[RulePatterns] = known.unwrap_or_else(|| {
            let mut by_root = self.by_root.write().unwrap_or_else(PoisonError::into_inner);
            by_root.entry(root).or_insert_with(|| Box::leak(self.rules(op).into()))
        });
        rules.iter().filter(move |rule| is_wanted(rule)).flat_map(move |rule| rule.compiled(root))
    }

    // The rules that can have a pattern with the outermost operation `op`.
    fn rules(&self, op: Op) -> Vec<RulePatterns> {
        // A swapped comparison is an operand order of a pattern with the other comparison.
        let names = [op.name(), op.swapped().unwrap_or(op).name()];
        let named = self.sources.iter().enumerate().filter(|(_, source)| names.iter().any(|name| name == source.root));
        named.map(|(number, source)| RulePatterns { source, number, patterns: OnceLock::new() }).collect()
    }

    // Compiles the patterns of all rules.
    fn compile_all(&self) {
        let mut all: BTreeMap<Root, Vec<RulePatterns>> = BTreeMap::new();
        for (number, source) in self.sources.iter().copied().enumerate() {
            let mut own: BTreeMap<Root, Vec<Pattern>> = BTreeMap::new();
            for (root, pattern) in patterns(number, source, |_| true) {
                own.entry(root).or_default().push(pattern);
            }
            for (root, patterns) in own {
                all.entry(root).or_default().push(RulePatterns { source, number, patterns: patterns.into() });
            }
        }
        let mut by_root = self.by_root.write().unwrap_or_else(PoisonError::into_inner);
        for (root, rules) in all {
            by_root.entry(root).or_insert_with(|| Box::leak(rules.into()));
        }
    }
}

// The patterns of a rule, each with its outermost operation, for the types for which the pattern fits.
fn patterns(number: usize, source: &Source, fits: impl Fn(&Term) -> bool) -> Vec<(Root, Pattern)> {
    let Source { name, types, text, .. } = *source;
    let rule = Rule::unchecked(name, text, types).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut all = Vec::new();
    for (nth, instance) in rule.instances_with(fits) {
        let (orders, size) = (instance.pattern.orders(), size_of(&instance.replacement) + 1);
        let entry: &Entry = Box::leak(Box::new(Entry { name, instance, size }));
        for (order, term) in orders.into_iter().enumerate() {
            let Term::Apply { op, from, to, .. } = &term else { continue };
            all.push(((*op, (*from).into(), (*to).into()), Pattern { entry, term, place: [number, nth, order] }));
        }
    }
    all
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::of(families::sources().collect()));

/// The built-in rules.
pub(super) fn table() -> &'static Table {
    &TABLE
}

/// The patterns of the built-in rule with the given name that begin with an operation. `from` is the type of the
/// operands, `to` the type of the result.
pub fn patterns_of(name: &str, op: Op, [from, to]: [Number; 2]) -> impl Iterator<Item = &'static Pattern> {
    TABLE.patterns((op, from.into(), to.into()), move |rule| rule.source.name == name)
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
            let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
            let source = |user: &UserRule| -> &'static Source {
                let text = leak(user.rule.text.clone());
                let (name, types) = (leak(user.name()), leak(user.rule.types.clone()));
                let (root, inner) = (lines::root(text), lines::inner(text).leak());
                Box::leak(Box::new(Source { name, types, text, root, inner }))
            };
            Box::leak(Box::new(Table::of(rules.iter().map(source).collect())))
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
    let sizes = rules().iter().flat_map(Rule::instances).map(|instance| size_of(&instance.replacement) + 1);
    sizes.max().unwrap_or(0)
}

/// Compiles all built-in rules. If this function runs before a fork, the forked processes share the patterns.
pub fn prepare() {
    TABLE.compile_all();
}
