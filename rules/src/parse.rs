//! Parses rules: parenthesised trees, and the terms that these trees become for concrete types.
use crate::{Flags, Op, Term, lines};
use cube_semantics::{Number, convert::of_double, ints};
use cube_target::{Class, Element};

/// A rule, parsed from its line.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `FAMILY/NAME`; unique.
    pub name: String,
    /// `PATTERN => REPLACEMENT if GUARD with FLAGS`, with single spaces.
    pub text: String,
    /// The fast-math flags that each float operation of the pattern must have.
    pub flags: Flags,
    /// The argument of the line `types` that precedes the rule.
    pub types: String,
    pattern: Tree,
    replacement: Tree,
    guard: Option<Tree>,
}

/// The concrete types of a rule's type variables `T`, `N` and `S`.
pub type Types = [Number; 3];

/// A variable of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name of the variable in the rule.
    pub name: String,
    /// Its type.
    pub ty: Number,
    /// Whether the variable matches constants only.
    pub constant: bool,
}

/// A rule with concrete types.
#[derive(Clone, Debug)]
pub struct Instance {
    pub types: Types,
    /// The variables, in the order of their first occurrence in the pattern.
    pub variables: Vec<Variable>,
    /// The pattern, which the rule replaces.
    pub pattern: Term,
    pub replacement: Term,
    /// A condition of type `i1` that must be 1.
    pub guard: Option<Term>,
    /// The flags of the rule.
    pub flags: Flags,
}

#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Word(String),
    List(Vec<Tree>),
    Folded(Box<Tree>),
}

/// The widths of the integers of the element table, in bits.
fn widths() -> impl Iterator<Item = u32> {
    Element::ALL.iter().filter(|element| element.class() == Class::Int).map(|element| element.bits())
}

/// The float types of the element table that have arithmetic and at least `bits` bits.
fn floats(bits: u32) -> impl Iterator<Item = Number> {
    let wide = move |element: &Element| element.class() == Class::Float && element.bits() >= bits;
    Element::computed().filter(wide).filter_map(|element| Number::named(element.ir()))
}

/// The number of binary digits of a float.
fn digits(float: Number) -> u32 {
    let Number::Float(element) = float else { return 0 };
    element.format().map_or(0, |format| format.fraction + 1)
}

/// The lists of types that the argument of a `types` line selects; `None` for an unknown argument.
pub fn types_of(class: &str) -> Option<Vec<Types>> {
    use Number as N;
    let int = N::Int;
    let one = |ty: Number| [ty, N::Int(1), N::Int(1)];
    let wider = || floats(16).flat_map(|n| floats(2 * n.bits()).map(move |t| (n, t)));
    Some(match class {
        "bits" => [1].into_iter().chain(widths()).map(|bits| one(int(bits))).collect(),
        "bool" => vec![one(int(1))],
        "int" => widths().map(|bits| one(int(bits))).collect(),
        "wide-int" => widths().filter(|bits| *bits > 8).map(|bits| one(int(bits))).collect(),
        "float" => floats(16).map(one).collect(),
        // Formats with enough digits for the product of an exponent and a constant.
        "wide-float" => floats(32).map(one).collect(),
        "cast" => pairs().map(|(n, t)| [int(t), int(n), N::Int(1)]).collect(),
        "cast3" => [[32, 16, 8], [64, 16, 8], [64, 32, 8], [64, 32, 16]].map(|all| all.map(int)).to_vec(),
        "cast-float" => wider().map(|(n, t)| [t, n, N::Int(1)]).collect(),
        // Only integers that the float represents exactly.
        "int-to-float" => floats(32)
            .flat_map(|t| widths().filter(move |n| *n <= digits(t)).map(move |n| [t, int(n), N::Int(1)]))
            .collect(),
        _ => return None,
    })
}

/// Small types for exhaustive checks, in addition to the types in [`types_of`]; empty for float rules.
pub fn small_types(class: &str) -> Vec<Types> {
    let all = |widths: [u32; 3]| widths.map(Number::Int);
    match class {
        "bits" | "int" => vec![all([4, 1, 1]), all([5, 1, 1])],
        "wide-int" => vec![all([4, 1, 1]), all([6, 1, 1])],
        "cast" => vec![all([4, 2, 1]), all([5, 4, 1]), all([8, 4, 1])],
        "cast3" => vec![all([4, 3, 2]), all([6, 5, 2])],
        _ => vec![],
    }
}

fn pairs() -> impl Iterator<Item = (u32, u32)> {
    widths().flat_map(|n| widths().filter(move |t| *t > n).map(move |t| (n, t)))
}

/// Parses the rules in the text of a family.
///
/// # Errors
/// The number of the invalid line, and the reason.
pub fn family(name: &str, text: &str) -> Result<Vec<Rule>, String> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in lines::lines(text) {
        let at = |why: String| format!("{name}.rules, line {}: {why}", line.number);
        if line.text.starts_with("types ") {
            types_of(line.types).ok_or_else(|| at(format!("unknown types '{}'", line.types)))?;
            continue;
        }
        let (own, rest) = line.text.split_once(':').ok_or_else(|| at("a rule begins with 'name:'".into()))?;
        let rule = Rule::parse(&format!("{name}/{}", own.trim()), rest, line.types).map_err(at)?;
        if rules.iter().any(|other| other.name == rule.name) {
            return Err(at(format!("the name '{own}' is taken")));
        }
        rules.push(rule);
    }
    Ok(rules)
}

impl Rule {
    /// Parses a rule `PATTERN => REPLACEMENT if GUARD with FLAGS`. `types` is the argument of a `types` line.
    ///
    /// # Errors
    /// The text is not a rule, contains unknown names, has operands of wrong types, or the replacement has a
    /// variable that the pattern lacks.
    pub fn parse(name: &str, text: &str, types: &str) -> Result<Rule, String> {
        let own = Rule::unchecked(name, text, types)?;
        for types in types_of(types).ok_or_else(|| format!("unknown types '{types}'"))? {
            own.instance(types)?;
        }
        Ok(own)
    }

    /// Like [`Rule::parse`], but without the checks of the rule for each of its types.
    pub(crate) fn unchecked(name: &str, text: &str, types: &str) -> Result<Rule, String> {
        let text = lines::spaced(text);
        let (body, flags) = match text.split_once(" with ") {
            Some((body, list)) => (body, Flags::parse(list).ok_or_else(|| format!("unknown flag in '{list}'"))?),
            None => (text.as_str(), Flags::NONE),
        };
        let (sides, guard) = match body.split_once(" if ") {
            Some((sides, guard)) => (sides, Some(tree(guard)?)),
            None => (body, None),
        };
        let (pattern, replacement) = sides.split_once(" => ").ok_or("a rule has '=>' between its sides")?;
        let (pattern, replacement) = (tree(pattern)?, tree(replacement)?);
        Ok(Rule { name: name.into(), text: text.clone(), flags, types: types.into(), pattern, replacement, guard })
    }

    /// A copy of the rule with other flags.
    pub fn with_flags(&self, flags: Flags) -> Rule {
        Rule { flags, ..self.clone() }
    }

    /// The instances of the rule that the compiler uses.
    pub fn instances(&self) -> Vec<Instance> {
        self.instances_with(|_| true).map(|(_, instance)| instance).collect()
    }

    /// The instances whose pattern fits, each with the number of its types.
    pub(crate) fn instances_with(&self, fits: impl Fn(&Term) -> bool) -> impl Iterator<Item = (usize, Instance)> {
        let all = types_of(&self.types).unwrap_or_default().into_iter().enumerate();
        let patterns = all.filter_map(|(number, types)| Some((number, self.pattern(types).ok()?)));
        let fitting = patterns.filter(move |(_, pattern)| fits(&pattern.term));
        fitting.filter_map(|(number, pattern)| Some((number, self.completed(pattern).ok()?)))
    }

    /// The instance of the rule for the given types.
    ///
    /// # Errors
    /// The rule is invalid for these types: a word is unknown, an operation has wrong operands, or the
    /// pattern and the replacement differ in type.
    pub fn instance(&self, types: Types) -> Result<Instance, String> {
        self.completed(self.pattern(types)?)
    }

    fn pattern(&self, types: Types) -> Result<TypedPattern, String> {
        let mut typing = Typing { types, variables: Vec::new(), closed: false };
        let (term, ty) = typing.term(&self.pattern)?;
        if !matches!(term, Term::Apply { .. }) {
            return Err("a pattern is an operation".into());
        }
        typing.closed = true;
        Ok(TypedPattern { typing, term, ty })
    }

    // The instance with a pattern.
    fn completed(&self, pattern: TypedPattern) -> Result<Instance, String> {
        let TypedPattern { mut typing, term: pattern, ty } = pattern;
        let (replacement, other) = typing.term(&self.replacement)?;
        if ty != other {
            return Err(format!("the pattern has type {ty:?}, and the replacement {other:?}"));
        }
        let guard = match &self.guard {
            Some(guard) => match typing.term(guard)? {
                (guard, Number::Int(1)) => Some(guard),
                _ => return Err("a guard has type i1".into()),
            },
            None => None,
        };
        let mut scalars = vec![None; typing.variables.len()];
        for side in [&pattern, &replacement] {
            check_lanes(side, false, &mut scalars)
                .map_err(|index| format!("'{}' is a vector and a scalar", typing.variables[index].name))?;
        }
        Ok(Instance {
            types: typing.types,
            variables: typing.variables,
            pattern,
            replacement,
            guard,
            flags: self.flags,
        })
    }
}

// Checks that each variable is either a scalar, inside of `splat`, or a vector. In rules without `splat`, terms are
// scalars or vectors. The error is the index of a variable that is both.
fn check_lanes(term: &Term, inside: bool, scalars: &mut [Option<bool>]) -> Result<(), usize> {
    match term {
        Term::Variable(index) => match *scalars[*index].get_or_insert(inside) == inside {
            true => Ok(()),
            false => Err(*index),
        },
        Term::Constant(..) | Term::Computed(_) => Ok(()),
        Term::Apply { op, args, .. } => {
            args.iter().try_for_each(|arg| check_lanes(arg, inside || *op == Op::Splat, scalars))
        }
    }
}

// The pattern of a rule for concrete types.
struct TypedPattern {
    typing: Typing,
    term: Term,
    ty: Number,
}

struct Typing {
    types: Types,
    variables: Vec<Variable>,
    // Whether the pattern is complete. After it, no new variable is allowed.
    closed: bool,
}

impl Typing {
    fn ty(&self, name: &str) -> Option<Number> {
        match name {
            "T" => Some(self.types[0]),
            "N" => Some(self.types[1]),
            "S" => Some(self.types[2]),
            "i1" => Some(Number::Int(1)),
            _ => None,
        }
    }

    fn term(&mut self, tree: &Tree) -> Result<(Term, Number), String> {
        match tree {
            Tree::Word(word) => self.word(word),
            Tree::Folded(inner) => {
                let (term, ty) = self.term(inner)?;
                let fixed = self.variables.iter().enumerate().all(|(i, v)| v.constant || !term.has(i));
                if !fixed {
                    return Err("brackets contain only constants".into());
                }
                Ok((Term::Computed(Box::new(term)), ty))
            }
            Tree::List(items) => self.apply(items),
        }
    }

    fn apply(&mut self, items: &[Tree]) -> Result<(Term, Number), String> {
        let Some((Tree::Word(head), operands)) = items.split_first() else {
            return Err("a list begins with an operation".into());
        };
        let (name, to) = match head.split_once(':') {
            Some((name, to)) => (name, Some(self.ty(to).ok_or_else(|| format!("unknown type '{to}'"))?)),
            None => (head.as_str(), None),
        };
        let op = Op::named(name).ok_or_else(|| format!("unknown operation '{name}'"))?;
        if op.operands() != operands.len() {
            return Err(format!("'{name}' has {} operands", op.operands()));
        }
        let typed = operands.iter().map(|operand| self.term(operand)).collect::<Result<Vec<_>, _>>()?;
        let first = usize::from(op == Op::Select);
        let from = typed[first].1;
        let fits = typed[first..].iter().all(|(_, ty)| *ty == from);
        if !fits || first == 1 && typed[0].1 != Number::Int(1) {
            return Err(format!("the operands of '{name}' do not have one type"));
        }
        let to = match (op.result(from), to) {
            (Some(to), None) => to,
            (None, Some(to)) => to,
            (Some(_), Some(_)) => return Err(format!("'{name}' does not name its result")),
            (None, None) => return Err(format!("'{name}' names the type of its result: '{name}:T'")),
        };
        let wrong_kind = match op {
            Op::Int(_) | Op::CompareInts(_) => from.is_float(),
            Op::Float(_) | Op::CompareFloats(_) | Op::Function(_) => !from.is_float(),
            Op::Convert(conversion) => conversion.plan(from, to).is_none(),
            Op::Select | Op::View | Op::Splat => false,
        };
        if wrong_kind {
            return Err(format!("'{name}' is not for {from:?}"));
        }
        let args = typed.into_iter().map(|(term, _)| term).collect();
        Ok((Term::Apply { op, from, to, args }, to))
    }

    fn word(&mut self, word: &str) -> Result<(Term, Number), String> {
        let (text, ty) = match word.split_once(':') {
            Some((text, ty)) => (text, self.ty(ty).ok_or_else(|| format!("unknown type '{ty}'"))?),
            None => (word, self.types[0]),
        };
        let variable = match text {
            "x" | "y" | "z" | "w" | "u" | "v" => Some((self.types[0], false)),
            "a" | "b" | "c" => Some((self.types[1], false)),
            "s" | "t" => Some((self.types[2], false)),
            "p" | "q" | "r" => Some((Number::Int(1), false)),
            "C" | "D" | "E" => Some((self.types[0], true)),
            "K" | "L" => Some((self.types[1], true)),
            _ => None,
        };
        if let Some((ty, constant)) = variable {
            if let Some(known) = self.variables.iter().position(|v| v.name == text) {
                return Ok((Term::Variable(known), ty));
            }
            if self.closed {
                return Err(format!("the pattern does not have the variable '{text}'"));
            }
            self.variables.push(Variable { name: text.into(), ty, constant });
            return Ok((Term::Variable(self.variables.len() - 1), ty));
        }
        let bits = match (text, ty) {
            ("true", _) => return Ok((Term::Constant(1, Number::Int(1)), Number::Int(1))),
            ("false", _) => return Ok((Term::Constant(0, Number::Int(1)), Number::Int(1))),
            ("MAX", Number::Int(bits)) => Some(ints::mask(bits)),
            ("MIN", Number::Int(bits)) => Some(1 << (bits - 1)),
            ("SMAX", Number::Int(bits)) => Some(ints::mask(bits) >> 1),
            ("WIDTH", Number::Int(bits)) => Some(u64::from(bits) & ints::mask(bits)),
            ("TOP", Number::Int(bits)) => Some(u64::from(bits - 1) & ints::mask(bits)),
            ("NBITS", Number::Int(bits)) => Some(u64::from(self.types[1].bits()) & ints::mask(bits)),
            ("NMAX", Number::Int(bits)) => Some(ints::mask(self.types[1].bits()) & ints::mask(bits)),
            (_, Number::Int(bits)) => text.parse::<i64>().ok().map(|n| n as u64 & ints::mask(bits)),
            (_, Number::Float(_)) => text.parse::<f64>().ok().map(|x| of_double(x, ty)),
        };
        let bits = bits.ok_or_else(|| format!("unknown word '{text}'"))?;
        Ok((Term::Constant(bits, ty), ty))
    }
}

fn tree(text: &str) -> Result<Tree, String> {
    let words = words(text);
    let mut at = 0;
    let tree = read(&words, &mut at, 0)?;
    if at != words.len() {
        return Err(format!("'{}' after the end of a term", words[at]));
    }
    Ok(tree)
}

// The parentheses, brackets and words of a term.
fn words(text: &str) -> Vec<&str> {
    let is_bracket = |c: char| matches!(c, '(' | ')' | '[' | ']');
    let parts = text.split_whitespace().flat_map(|word| word.split_inclusive(is_bracket));
    let words = parts.flat_map(|part| match part.strip_suffix(is_bracket) {
        Some(word) => [word, &part[word.len()..]],
        None => [part, ""],
    });
    words.filter(|word| !word.is_empty()).collect()
}

// Maximum nesting depth of a term.
const MAX_DEPTH: u32 = 32;

fn read(words: &[&str], at: &mut usize, depth: u32) -> Result<Tree, String> {
    if depth > MAX_DEPTH {
        return Err("a term nests more than 32 operations".into());
    }
    let word = *words.get(*at).ok_or("a term ends too early")?;
    *at += 1;
    match word {
        "(" => {
            let mut items = Vec::new();
            while words.get(*at) != Some(&")") {
                items.push(read(words, at, depth + 1)?);
            }
            *at += 1;
            Ok(Tree::List(items))
        }
        "[" => {
            // Brackets contain one term, with or without parentheses around it.
            let mut items = Vec::new();
            while words.get(*at) != Some(&"]") {
                items.push(read(words, at, depth + 1)?);
            }
            *at += 1;
            Ok(Tree::Folded(Box::new(match items.len() {
                1 => items.remove(0),
                _ => Tree::List(items),
            })))
        }
        ")" | "]" => Err(format!("'{word}' closes nothing")),
        _ => Ok(Tree::Word(word.into())),
    }
}
