//! Rules that a program adds to a kernel. The lines of a program's rules have the same form as the lines of a rule
//! family. In addition, each line of a program's rules has one of two marks: `assume` before the rule's name, or the
//! hash of a proof after the rule's text.
use crate::parse::types_of;
use crate::{Rule, lines};

/// Maximum number of rules of one kernel.
pub const MAX_RULES: usize = 64;

/// Maximum length of one line in bytes.
pub const MAX_LINE_BYTES: usize = 1024;

/// The hash of all inputs of a proof of the rule.
pub fn hash(rule: &Rule) -> String {
    lines::hash(&rule.name, &rule.types, &rule.text)
}

/// A rule of a program.
#[derive(Clone, Debug)]
pub struct UserRule {
    /// The rule, with the name `user/NAME`.
    pub rule: Rule,
    /// Whether the program uses the rule without a proof.
    pub assumed: bool,
    /// The hash of a proof, as written in the rule's line.
    pub proof: Option<String>,
}

impl UserRule {
    /// The name by which remarks mention the rule. The name of an assumed rule ends with `(assumed)`.
    pub fn name(&self) -> String {
        if self.assumed { format!("{}{ASSUMED}", self.rule.name) } else { self.rule.name.clone() }
    }
}

/// Whether a [name](UserRule::name) in a remark is the name of an assumed rule.
pub fn is_assumed(name: &str) -> bool {
    name.ends_with(ASSUMED)
}

const ASSUMED: &str = " (assumed)";

/// Parses rules, without a check of their proofs. A line `types WORD` applies to the rules in the following
/// lines.
///
/// # Errors
/// The error contains the line number and the reason.
pub fn parse<'t>(lines: impl IntoIterator<Item = &'t str>) -> Result<Vec<UserRule>, String> {
    let (mut types, mut rules) = (String::new(), Vec::<UserRule>::new());
    for (number, line) in lines.into_iter().enumerate() {
        let at = |why: String| format!("line {}: {why}", number + 1);
        if line.len() > MAX_LINE_BYTES {
            return Err(at(format!("a rule has at most {MAX_LINE_BYTES} bytes")));
        }
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        if let Some(word) = line.strip_prefix("types ") {
            types_of(word.trim()).ok_or_else(|| at(format!("unknown types '{word}'")))?;
            types = word.trim().into();
            continue;
        }
        if rules.len() == MAX_RULES {
            return Err(at(format!("cube.rules has at most {MAX_RULES} rules")));
        }
        let (name, text) = line.split_once(':').ok_or_else(|| at("a rule begins with 'name:'".into()))?;
        let (assumed, name) = match name.trim().strip_prefix("assume ") {
            Some(name) => (true, name.trim()),
            None => (false, name.trim()),
        };
        let (text, proof) = match text.split_once(" proof ") {
            Some((text, hash)) => (text, Some(hash.trim().to_owned())),
            None => (text, None),
        };
        let rule = Rule::parse(&format!("user/{name}"), text, &types).map_err(at)?;
        if rules.iter().any(|other| other.rule.name == rule.name) {
            return Err(at(format!("the name '{name}' is taken")));
        }
        rules.push(UserRule { rule, assumed, proof });
    }
    Ok(rules)
}

/// Parses rules and returns those that the compiler accepts: assumed rules, and rules whose hash proves their
/// current text.
///
/// # Errors
/// The error contains the line number or the name of the rule, and the reason.
pub fn accepted<'t>(lines: impl IntoIterator<Item = &'t str>) -> Result<Vec<UserRule>, String> {
    let rules = parse(lines)?;
    for user in rules.iter().filter(|user| !user.assumed) {
        match &user.proof {
            None => return Err(format!("rule {} has no proof, and is not marked 'assume'", user.rule.name)),
            Some(proof) if *proof != hash(&user.rule) => {
                return Err(format!("the proof of rule {} is one of another text", user.rule.name));
            }
            Some(_) => {}
        }
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_proven_or_assumed() {
        let text = "(xori (andi x y) (xori x y)) => (ori x y)";
        let proof = hash(&Rule::parse("user/parts", text, "int").unwrap());
        let lines = |line: &str| accepted(["types int", line]);
        let rules = lines(&format!("parts: {text} proof {proof}")).unwrap();
        assert_eq!((rules[0].name(), rules[0].assumed), ("user/parts".into(), false));
        let rules = lines(&format!("assume parts: {text}")).unwrap();
        assert_eq!((rules[0].name(), rules[0].assumed), ("user/parts (assumed)".into(), true));
        for (line, why) in [
            (format!("parts: {text}"), "rule user/parts has no proof, and is not marked 'assume'"),
            // The hash belongs to a rule with one more operation.
            (format!("parts: (xori (andi x y) (xori y x)) => (ori x y) proof {proof}"), "is one of another text"),
            (format!("other: {text} proof {proof}"), "is one of another text"),
            ("assume parts: x".into(), "line 2: a rule has '=>'"),
            ("parts".into(), "line 2: a rule begins with 'name:'"),
        ] {
            assert!(lines(&line).unwrap_err().contains(why), "{line}");
        }
        let many: Vec<String> = (0..=MAX_RULES).map(|n| format!("assume r{n}: {text}")).collect();
        let many = ["types int"].into_iter().chain(many.iter().map(String::as_str));
        assert!(accepted(many).unwrap_err().contains("at most 64 rules"));
        assert!(accepted(["x".repeat(2000).as_str()]).unwrap_err().contains("at most 1024 bytes"));
    }
}
