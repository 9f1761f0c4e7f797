//! Parses PTX text into functions and statements, and resolves every register to its declaration.
//!
//! The reader parses the statements of function bodies: labels, instructions with an optional guard, declarations of
//! registers and scopes in braces. Text outside of bodies, including debug sections, is skipped.
use std::collections::BTreeMap;

/// A function with a body.
#[derive(Debug, Default)]
pub(crate) struct Function<'t> {
    pub name: &'t str,
    /// Labels and instructions in text order, including nested scopes.
    pub statements: Vec<Statement<'t>>,
    /// Declarations of registers, by ascending `first`.
    pub banks: Vec<Bank<'t>>,
}

/// One declaration, `%r<46>` or `%SP`. `first` is the number of the declaration's first register. The
/// declaration's other registers have the numbers after `first`.
#[derive(Debug)]
pub(crate) struct Bank<'t> {
    pub base: &'t str,
    /// The number of registers of a `%r<N>` declaration; `None` for a single name.
    pub count: Option<usize>,
    pub first: usize,
    /// The type without its leading dot: `b32`, `pred`.
    pub ty: &'t str,
    /// Byte offset of the first statement that follows the declaration in its scope.
    pub ready: usize,
}

/// A label or an instruction.
#[derive(Debug)]
pub(crate) struct Statement<'t> {
    /// Byte offset of the statement's first character.
    pub at: usize,
    /// Byte offset after the statement's last character.
    pub end: usize,
    pub kind: StatementKind<'t>,
}

#[derive(Debug)]
pub(crate) enum StatementKind<'t> {
    Label(&'t str),
    /// The statement `label: .branchtargets a, b;`, which lists the targets of an indexed branch.
    Targets(&'t str, Vec<&'t str>),
    Instruction(Instruction<'t>),
}

#[derive(Debug)]
pub(crate) struct Instruction<'t> {
    /// The guard `@%p1` or `@!%p1`, with its register.
    pub guard: Option<(&'t str, Vec<usize>)>,
    pub opcode: &'t str,
    pub operands: Vec<Operand<'t>>,
}

#[derive(Debug)]
pub(crate) struct Operand<'t> {
    pub text: &'t str,
    pub registers: Vec<usize>,
}

/// A parse error, with the byte offset of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub usize);

impl Function<'_> {
    /// The name of a register as it appears in the text.
    pub fn name_of(&self, register: usize) -> String {
        let bank = self.bank_of(register);
        match bank.count {
            Some(_) => format!("{}{}", bank.base, register - bank.first),
            None => bank.base.to_string(),
        }
    }

    pub fn bank_of(&self, register: usize) -> &Bank<'_> {
        &self.banks[self.banks.partition_point(|bank| bank.first <= register).saturating_sub(1)]
    }
}

/// Changes of a text: for the offset of each replaced part, the end of the part and its replacement.
pub(crate) type Edits = BTreeMap<usize, (usize, String)>;

/// Applies the changes that `change` adds for each function. A text that cannot be parsed stays as it is.
pub(crate) fn edited(text: &str, change: impl Fn(&Function<'_>, &mut Edits)) -> String {
    let clean = without_comments(text);
    let Ok(functions) = functions(&clean) else { return text.to_string() };
    let mut edits = Edits::new();
    functions.iter().for_each(|function| change(function, &mut edits));
    let mut edited = String::with_capacity(text.len());
    let mut from = 0;
    for (at, (end, new)) in edits {
        edited += &text[from..at];
        edited += &new;
        from = end;
    }
    edited + &text[from..]
}

/// The text with every comment replaced by spaces of equal length, so that offsets are unchanged.
pub(crate) fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['/', '"']) {
        let (before, from) = rest.split_at(start);
        clean.push_str(before);
        let length = match from.get(..2) {
            Some("//") => from.find('\n').unwrap_or(from.len()),
            Some("/*") => from.find("*/").map_or(from.len(), |end| end + 2),
            _ if from.starts_with('"') => from[1..].find('"').map_or(from.len(), |end| end + 2),
            _ => 1,
        };
        let (part, after) = from.split_at(length);
        if part.starts_with("//") || part.starts_with("/*") {
            clean.extend(part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            clean.push_str(part);
        }
        rest = after;
    }
    clean.push_str(rest);
    clean
}

/// The functions of `text`, which must have no comments.
///
/// # Errors
/// The offset of a brace or statement without an end.
pub(crate) fn functions(text: &str) -> Result<Vec<Function<'_>>, Unreadable> {
    let mut reader = Reader { text, at: 0 };
    let mut functions = Vec::new();
    while reader.skip_space() {
        let from = reader.at;
        let line_ends = [".version", ".target", ".address_size", ".file", ".loc"];
        if line_ends.iter().any(|directive| reader.rest().starts_with(directive)) {
            reader.skip_line();
            continue;
        }
        let head = reader.take_until(b";{")?;
        if reader.next_is('{') {
            match function_name(head) {
                Some(name) => functions.push(reader.body(name)?),
                None => reader.skip_braces(from)?,
            }
        } else {
            reader.at += 1;
        }
    }
    Ok(functions)
}

/// The name after `.entry`, or after `.func` and its results.
fn function_name(head: &str) -> Option<&str> {
    let after = match head.split_once(".entry") {
        Some((_, after)) => after,
        None => {
            let after = head.split_once(".func")?.1.trim_start();
            if after.starts_with('(') { after.split_once(')')?.1 } else { after }
        }
    };
    after.trim_start().split(|c: char| !is_name(c)).next()
}

/// Whether a character can be part of names, registers and labels.
fn is_name(c: char) -> bool {
    c.is_ascii() && is_name_byte(&(c as u8))
}

fn is_name_byte(c: &u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%')
}

/// The declarations of a scope in braces.
#[derive(Default)]
struct Scope<'t> {
    singles: Vec<(&'t str, usize)>,
    /// Base name, number of registers and index of the first register of a range.
    ranges: Vec<(&'t str, usize, usize)>,
    /// Indices of the register declarations of this scope that are not yet followed by a statement.
    pending: Vec<usize>,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn next_is(&self, c: char) -> bool {
        self.rest().starts_with(c)
    }

    /// Skips white space; returns whether text is left.
    fn skip_space(&mut self) -> bool {
        let space = self.rest().bytes().take_while(u8::is_ascii_whitespace).count();
        self.at += space;
        self.at < self.text.len()
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// The text up to the first character outside of quotes that is in `ends`. The reader stops before the
    /// found character.
    fn take_until(&mut self, ends: &[u8]) -> Result<&'t str, Unreadable> {
        let mut quoted = false;
        for (i, c) in self.rest().bytes().enumerate() {
            quoted ^= c == b'"';
            if !quoted && ends.contains(&c) {
                let taken = &self.rest()[..i];
                self.at += i;
                return Ok(taken);
            }
        }
        Err(Unreadable(self.at))
    }

    fn skip_braces(&mut self, from: usize) -> Result<(), Unreadable> {
        let mut depth = 0usize;
        for (i, c) in self.rest().char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth <= 1 => {
                    self.at += i + 1;
                    return Ok(());
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
        Err(Unreadable(from))
    }

    /// Reads a body from its opening brace.
    fn body(&mut self, name: &'t str) -> Result<Function<'t>, Unreadable> {
        let mut function = Function { name, ..Function::default() };
        let mut scopes = vec![Scope::default()];
        let from = self.at;
        self.at += 1;
        while self.skip_space() {
            if self.next_is('}') {
                self.at += 1;
                scopes.pop();
                if scopes.is_empty() {
                    return Ok(function);
                }
                continue;
            }
            if self.next_is('.') {
                self.directive(&mut function, &mut scopes)?;
                continue;
            }
            let at = self.at;
            for bank in scopes.last_mut().into_iter().flat_map(|scope| scope.pending.drain(..)) {
                function.banks[bank].ready = at;
            }
            if self.next_is('{') {
                self.at += 1;
                scopes.push(Scope::default());
                continue;
            }
            let kind = self.statement(&scopes)?;
            function.statements.push(Statement { at, end: self.at, kind });
        }
        Err(Unreadable(from))
    }

    fn directive(&mut self, function: &mut Function<'t>, scopes: &mut [Scope<'t>]) -> Result<(), Unreadable> {
        if [".loc", ".file"].iter().any(|name| self.rest().starts_with(name)) {
            self.skip_line();
            return Ok(());
        }
        let text = self.take_until(b";")?;
        self.at += 1;
        let Some((ty, names)) = text.strip_prefix(".reg").and_then(|rest| rest.trim().split_once(char::is_whitespace))
        else {
            return Ok(());
        };
        let Some(scope) = scopes.last_mut() else { return Ok(()) };
        for name in names.split(',').map(str::trim) {
            let first = function.banks.last().map_or(0, |bank| bank.first + bank.count.unwrap_or(1));
            let range = name.strip_suffix('>').and_then(|name| name.split_once('<'));
            let range = range.and_then(|(base, count)| Some((base, count.parse::<usize>().ok()?)));
            match range {
                Some((base, count)) => scope.ranges.push((base, count, first)),
                None => scope.singles.push((name, first)),
            }
            scope.pending.push(function.banks.len());
            let (base, count) = range.map_or((name, None), |(base, count)| (base, Some(count)));
            function.banks.push(Bank { base, count, first, ty: ty.trim_start_matches('.'), ready: self.at });
        }
        Ok(())
    }

    /// A label or an instruction, with its terminator.
    fn statement(&mut self, scopes: &[Scope<'t>]) -> Result<StatementKind<'t>, Unreadable> {
        let rest = self.rest();
        let name = &rest[..rest.bytes().take_while(is_name_byte).count()];
        let after = rest[name.len()..].trim_start();
        if !name.is_empty() && after.starts_with(':') && !after.starts_with("::") {
            self.at = self.text.len() - after.len() + 1;
            let next = after[1..].trim_start();
            let Some(list) = next.strip_prefix(".branchtargets") else { return Ok(StatementKind::Label(name)) };
            self.at = self.text.len() - list.len();
            let list = self.take_until(b";")?;
            self.at += 1;
            return Ok(StatementKind::Targets(name, list.split(',').map(str::trim).collect()));
        }
        let text = self.take_until(b";")?.trim();
        self.at += 1;
        let (guard, text) = match text.strip_prefix('@') {
            Some(_) => {
                let (guard, text) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
                (Some((guard, registers(guard, scopes))), text.trim_start())
            }
            None => (None, text),
        };
        let (opcode, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let operands = split_operands(operands).into_iter();
        let operands = operands.map(|text| Operand { text, registers: registers(text, scopes) }).collect();
        Ok(StatementKind::Instruction(Instruction { guard, opcode, operands }))
    }
}

/// Splits at the commas outside of brackets.
fn split_operands(text: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let parts = text.split(|c| {
        depth += match c {
            '{' | '[' | '(' => 1,
            '}' | ']' | ')' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The declared registers among the names of `text`; all others are special registers, labels, variables and numbers.
fn registers(text: &str, scopes: &[Scope<'_>]) -> Vec<usize> {
    let (mut found, mut rest) = (vec![], text.as_bytes());
    while let Some(start) = rest.iter().position(is_name_byte) {
        let length = rest[start..].iter().take_while(|c| is_name_byte(c)).count();
        let (name, after) = rest[start..].split_at(length);
        found.extend(lookup(name, scopes));
        rest = after;
    }
    found
}

fn lookup(name: &[u8], scopes: &[Scope<'_>]) -> Option<usize> {
    let digits = name.iter().rev().take_while(|c| c.is_ascii_digit()).count();
    let (base, number) = name.split_at(name.len() - digits);
    let number = std::str::from_utf8(number).ok().and_then(|number| number.parse::<usize>().ok());
    scopes.iter().rev().find_map(|scope| {
        let in_range = || {
            let number = number?;
            let fits = |(known, count, _): &&(&str, usize, usize)| known.as_bytes() == base && number < *count;
            scope.ranges.iter().find(fits).map(|(_, _, first)| first + number)
        };
        let single = scope.singles.iter().find(|(known, _)| known.as_bytes() == name);
        single.map(|(_, first)| *first).or_else(in_range)
    })
}

#[cfg(test)]
mod tests {
    use super::{StatementKind, Unreadable, functions, without_comments};

    const TEXT: &str = "// head {\n.version 8.0\n.file 1 \"a;b{.mlir\"\n.global .align 4 .b8 t[2] = {1, 2};\n\
        .func (.param .b32 r) f(.param .b32 a);\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n.reqntid 8, 1, 1\n{\n\
        \t.reg .pred \t%p<3>;\n\t.reg .b32 \t%r<4>;\n\t.reg .b64 %SP, %SPL;\n\t.loc 1 2 3\n$L0:\n\t@!%p1 bra \t$L0;\n\
        \t{ // callseq 0, 0\n\t.reg .b32 %r1;\n\tcall.uni (retval0), \n\tf, \n\t(\n\tparam0\n\t);\n\tmov.b32 \t%r1, %tid.x;\n\t}\n\
        \tst.global.v2.b32 \t[%SP+8], {%r1, %r3};\n$L1: .branchtargets\n\t$L0,\n\t$L2;\n\tbrx.idx \t%r2, $L1;\n}\n\
        .section .debug_abbrev\n{\n.b8 1\n}\n";

    #[test]
    fn names_and_statements_of_a_function_are_read() {
        let clean = without_comments(TEXT);
        assert_eq!(clean.len(), TEXT.len());
        let all = functions(&clean).unwrap();
        assert_eq!(all.len(), 1);
        let function = &all[0];
        assert_eq!(function.name, "k");
        let words: Vec<String> = function
            .statements
            .iter()
            .map(|statement| match &statement.kind {
                StatementKind::Label(name) => format!("{name}:"),
                StatementKind::Targets(name, list) => format!("{name}: {}", list.join(" ")),
                StatementKind::Instruction(one) => {
                    let operands = one.operands.iter().flat_map(|operand| &operand.registers);
                    let guards = one.guard.iter().flat_map(|(_, registers)| registers);
                    let registers: Vec<String> =
                        guards.chain(operands).map(|register| function.name_of(*register)).collect();
                    format!("{} {}", one.opcode, registers.join(" "))
                }
            })
            .collect();
        let expected = [
            "$L0:",
            "bra %p1",
            "call.uni ",
            "mov.b32 %r1",
            "st.global.v2.b32 %SP %r1 %r3",
            "$L1: $L0 $L2",
            "brx.idx %r2",
        ];
        assert_eq!(words, expected);
        // The register of the inner scope differs from the function's register of the same name.
        let StatementKind::Instruction(inner) = &function.statements[3].kind else { panic!("an instruction") };
        let StatementKind::Instruction(outer) = &function.statements[4].kind else { panic!("an instruction") };
        assert_ne!(inner.operands[0].registers[0], outer.operands[1].registers[0]);
        assert!(clean[function.bank_of(0).ready..].starts_with("$L0:"));
    }

    #[test]
    fn text_without_an_end_is_refused() {
        assert_eq!(functions(".entry k() {\n\tret;\n").unwrap_err(), Unreadable(11));
        assert_eq!(functions(".entry k() {\n\tret\n").unwrap_err(), Unreadable(14));
        assert!(functions(".global .b8 a[1] = {1").is_err());
    }
}
