//! From a kernel to a flat register program. Regions are walked here once; nesting is bounded by the parser's limit.
pub mod bits;
pub mod buffers;
pub mod casts;
pub mod control;
pub mod decoder;
pub mod exits;
pub mod graph;
pub mod lanes;
pub mod layouts;
pub mod lowered;
pub mod masked;
pub mod memory;
pub mod parts;
pub mod scalars;
pub mod turns;
pub mod units;
pub mod vectors;

pub use decoder::error;

use crate::program::{Form, Program};
use crate::rules::{self, Rule};
use cube_artifact::prints::PrintFormat;
use cube_dialect::{ops, properties::is_meeting};
use cube_ir::{AttrExt, Block, Diagnostic, Op, diagnostic};
use decoder::{Decoder, Done, MOST, UNIT_LOOP};

impl Program {
    /// Decodes a kernel at level source, flat or legal; `params` gives comptime parameters values as text, in place of their
    /// defaults.
    ///
    /// # Errors
    /// An operation or type without a rule, a parameter without a value, recursion, a program too large.
    pub fn decode(kernel: ops::Kernel<'_>, params: &[(String, String)]) -> Result<Program, Diagnostic> {
        Program::decode_as(kernel, params, false)
    }

    /// Decodes a kernel so that floats are elements of the field of integers modulo 2^61 - 1: see `docs/interpreter.md`.
    ///
    /// # Errors
    /// As for [`Program::decode`], and where bits of floats are taken as integers or the other way.
    pub fn decode_in_ring(kernel: ops::Kernel<'_>, params: &[(String, String)]) -> Result<Program, Diagnostic> {
        Program::decode_as(kernel, params, true)
    }

    fn decode_as(kernel: ops::Kernel<'_>, params: &[(String, String)], ring: bool) -> Result<Program, Diagnostic> {
        let facts = kernel.facts();
        let mut decoder = Decoder::new(kernel.op(), facts.name, facts.cube_dim, facts.checked, ring);
        decoder.program.form = form_of(kernel.op());
        decoder.program.records = records_of(kernel);
        decoder.read_params(kernel, params)?;
        decoder.enter(kernel.op());
        for (number, arg) in facts.args.iter().enumerate() {
            decoder.argument(number as u32, arg)?;
        }
        decoder.cube_count(&facts)?;
        let body = kernel.block().ok_or_else(|| error(kernel.op(), diagnostic!(CUBE0700.no_body)))?;
        decoder.block(body)?;
        decoder.finish()
    }
}

// Units that have loops of their own are run by their cube. While planes still meet inside such loops, each unit takes its own
// turn of them, and waits at their ends: see `control.rs`.
fn form_of(kernel: Op<'_>) -> Form {
    let all = kernel.walk();
    let meets = |op: &Op<'_>| is_meeting(*op);
    let split = all.iter().any(|op| op.attr(UNIT_LOOP).is_some());
    match (split, all.iter().any(meets)) {
        (false, _) => Form::Units,
        (true, true) => Form::Turns,
        (true, false) => Form::Cubes,
    }
}

impl<'p> Decoder<'p> {
    /// Decodes the operations of a block.
    pub fn block(&mut self, block: Block<'p>) -> Done {
        for op in block.ops() {
            self.enter(op);
            // Operations count too: calls of nothing but calls multiply without an instruction.
            if self.program.sites.len() > MOST {
                self.slots(op, MOST as u32)?;
            }
            self.operation(op)?;
        }
        Ok(())
    }

    /// Decodes an operation.
    pub fn operation(&mut self, op: Op<'p>) -> Done {
        let refuse = |why: &str| Err(error(op, diagnostic!(CUBE0700.operation { why })));
        match rules::of(op.name()) {
            None => refuse("interpreter/src/rules/mod.rs has none, so no pass and no kernel may use it"),
            Some(Rule::Unsupported(why)) => refuse(why),
            Some(Rule::Emit(emit)) => emit(self, op),
            Some(Rule::Means(meaning)) => scalars::scalar(self, op, meaning),
            Some(Rule::Math(rule)) => scalars::float(self, op, rule),
        }
    }
}

// What the records of prints are, once they are records.
fn records_of(kernel: ops::Kernel<'_>) -> Vec<PrintFormat> {
    let formats = kernel.op().attr("cube.prints").and_then(|a| a.as_array()).unwrap_or_default();
    formats.iter().filter_map(|f| PrintFormat::of_attribute(f.as_str()?)).collect()
}
