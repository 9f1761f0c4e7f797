//! Compiles rules to egg patterns. A rule is usable in a graph if the graph contains the operations of its pattern, or
//! if other rules create them.
use super::{Head, Kind, Node};
use crate::user::UserRule;
use crate::{Flags, Instance, Op, Rule, Term, rules};
use cube_semantics::Number;
use egg::{ENodeOrVar, Id, Pattern, RecExpr, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex, PoisonError};

/// A rule for concrete types, lanes and flags, and for one operand order of its commutative operations.
pub struct Compiled {
    pub name: &'static str,
    pub instance: &'static Instance,
    pub lanes: u32,
    pub flags: Flags,
    pub pattern: Pattern<Node>,
    /// The pattern as a term.
    pub order: Term,
    /// Maximum number of nodes that one application of the rule adds: the replacement, a constant for each folded
    /// node, and a view ([`Op::View`]).
    pub size: usize,
}

struct Entry {
    name: &'static str,
    instance: Instance,
    /// The operations of the pattern, as scalar operations without flags. `made` contains the operations
    /// of the replacement.
    needed: Vec<Head>,
    made: Vec<Head>,
    is_float: bool,
    size: usize,
}

static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| rules().iter().flat_map(|rule| entries(rule, rule.name.as_str())).collect());

fn entries<'r>(rule: &'r Rule, name: &'static str) -> impl Iterator<Item = Entry> + use<'r> {
    rule.instances().into_iter().map(move |instance| {
        let (needed, made) = (heads_of(&instance.pattern), heads_of(&instance.replacement));
        let size = size_of(&instance.replacement) + 1;
        Entry { name, is_float: needed.iter().any(takes_flags), needed, made, size, instance }
    })
}

/// The rules of a program, compiled once for use in all graphs.
#[derive(Clone, Copy, Default)]
pub struct OwnRules(&'static [Entry]);

impl OwnRules {
    /// Compiles rules of a program for use in graphs. Each set of rules is compiled once per process and is
    /// never freed, because the crate egg never frees the names of rules.
    pub fn new(rules: &[UserRule]) -> OwnRules {
        static KNOWN: Mutex<BTreeMap<String, &'static [Entry]>> = Mutex::new(BTreeMap::new());
        if rules.is_empty() {
            return OwnRules::default();
        }
        let key: Vec<String> =
            rules.iter().map(|user| format!("{} {} {}", user.name(), user.rule.types, user.rule.text)).collect();
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let made = known.entry(key.join("\n")).or_insert_with(|| {
            let all = rules.iter().flat_map(|user| entries(&user.rule, Box::leak(user.name().into_boxed_str())));
            Box::leak(all.collect::<Vec<_>>().into_boxed_slice())
        });
        OwnRules(made)
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
    ENTRIES.iter().map(|entry| entry.size).max().unwrap_or(0)
}

fn takes_flags(head: &Head) -> bool {
    matches!(head.kind, Kind::Apply(op, _) if op.takes_flags())
}

/// Builds the table of built-in rules, once per process. If this function runs before a fork, the forked
/// processes share the table.
pub fn prepare() {
    LazyLock::force(&ENTRIES);
}

// The operations of a term, as scalars and without flags. Operations that the compiler evaluates are left out.
fn heads_of(term: &Term) -> Vec<Head> {
    let mut heads = Vec::new();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        if let Term::Apply { op, from, to, args } = term {
            let head = head(*op, [*from, *to], 0, Flags::NONE);
            if !heads.contains(&head) {
                heads.push(head);
            }
            open.extend(args);
        }
    }
    heads
}

fn head(op: Op, [from, to]: [Number; 2], lanes: u32, flags: Flags) -> Head {
    let flags = if op.takes_flags() { flags } else { Flags::NONE };
    Node::apply(op, [from, to], lanes, flags, &[]).head
}

// The operation with the given lanes and flags.
fn placed(head: &Head, lanes: u32, flags: Flags) -> Head {
    let kind = match head.kind {
        Kind::Apply(op, _) if op.takes_flags() => Kind::Apply(op, flags),
        kind => kind,
    };
    Head { kind, lanes, ..*head }
}

/// The rules that are usable in a graph with the operations `heads`: first the built-in rules, then the rules
/// of the program.
pub fn compile(heads: Vec<Head>, own: OwnRules) -> Vec<Compiled> {
    let lanes: BTreeSet<u32> = heads.iter().map(|head| head.lanes).collect();
    let used_flags = heads.iter().filter_map(|head| match head.kind {
        Kind::Apply(op, flags) if op.takes_flags() => Some(flags),
        _ => None,
    });
    let flags: BTreeSet<Flags> = used_flags.chain([Flags::NONE]).collect();
    let mut known: BTreeSet<Head> = heads.into_iter().filter(|head| matches!(head.kind, Kind::Apply(..))).collect();
    let mut candidates: Vec<(&'static Entry, u32, Flags)> = Vec::new();
    for entry in ENTRIES.iter().chain(own.0) {
        for lanes in &lanes {
            for flags in &flags {
                let fits = if entry.is_float { flags.has(entry.instance.flags) } else { *flags == Flags::NONE };
                if fits {
                    candidates.push((entry, *lanes, *flags));
                }
            }
        }
    }
    // Patterns of other rules can begin with an operation of this replacement.
    let mut used = vec![false; candidates.len()];
    loop {
        let before = known.len();
        for (place, (entry, lanes, flags)) in candidates.iter().enumerate() {
            if !used[place] && entry.needed.iter().all(|head| known.contains(&placed(head, *lanes, *flags))) {
                used[place] = true;
                known.extend(entry.made.iter().map(|head| placed(head, *lanes, *flags)));
            }
        }
        if known.len() == before {
            break;
        }
    }
    let chosen = candidates.into_iter().zip(used).filter(|(_, used)| *used);
    chosen
        .flat_map(|((entry, lanes, flags), _)| {
            entry.instance.pattern.orders().into_iter().map(move |order| Compiled {
                name: entry.name,
                instance: &entry.instance,
                lanes,
                flags,
                pattern: pattern(&order, lanes, flags),
                order,
                size: entry.size,
            })
        })
        .collect()
}

fn pattern(term: &Term, lanes: u32, flags: Flags) -> Pattern<Node> {
    let mut expression = RecExpr::default();
    add(term, lanes, flags, &mut expression);
    Pattern::new(expression)
}

fn add(term: &Term, lanes: u32, flags: Flags, to_expression: &mut RecExpr<ENodeOrVar<Node>>) -> Id {
    let node = match term {
        Term::Variable(index) => ENodeOrVar::Var(Var::from_u32(*index as u32)),
        Term::Constant(bits, ty) => ENodeOrVar::ENode(Node::constant(*bits, *ty, lanes)),
        Term::Computed(inner) => return add(inner, lanes, flags, to_expression),
        Term::Apply { op, from, to, args } => {
            let args: Vec<Id> = args.iter().map(|arg| add(arg, lanes, flags, to_expression)).collect();
            let flags = if op.takes_flags() { flags } else { Flags::NONE };
            ENodeOrVar::ENode(Node::apply(*op, [*from, *to], lanes, flags, &args))
        }
    };
    to_expression.add(node)
}
