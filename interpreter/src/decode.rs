//! Decodes a kernel to a flat register program. Only this module traverses regions. The parser limits the nesting of
//! regions.
pub mod bits;
pub mod buffers;
pub mod casts;
pub mod control;
pub mod decoder;
pub mod exits;
pub mod graph;
pub mod iterations;
pub mod lanes;
pub mod layouts;
pub mod lowered;
pub mod masked;
pub mod memory;
pub mod operands;
pub mod scalars;
pub mod units;
pub mod vectors;

pub use decoder::error;

use crate::program::{ExecutionForm, Program};
use crate::rules::{self, Rule};
use cube_artifact::prints::PrintFormat;
use cube_dialect::{UnitLoop, attributes::PRINTS, check_unit_loops, ops, properties::is_collective};
use cube_ir::{AttrExt, Block, Diagnostic, Op, diagnostic};
use decoder::{DecodeResult, Decoder, MAX_PROGRAM_SIZE};

impl Program {
    /// Decodes a kernel at level source, flat or legal. `params` contains values of comptime parameters as text. These
    /// values replace the defaults of the parameters.
    ///
    /// # Errors
    /// An operation or type has no rule, a parameter has no value, a function is recursive, or the program exceeds the
    /// size limit.
    pub fn decode(kernel: ops::Kernel<'_>, params: &[(String, String)]) -> Result<Program, Diagnostic> {
        Program::decode_as(kernel, params, false)
    }

    /// Decodes a kernel, and represents its floats as elements of a ring.
    ///
    /// # Errors
    /// Returns the errors of [`Program::decode`]. A kernel that uses a float's bits as an integer, or an integer's bits
    /// as a float, is also an error.
    pub fn decode_in_ring(kernel: ops::Kernel<'_>, params: &[(String, String)]) -> Result<Program, Diagnostic> {
        Program::decode_as(kernel, params, true)
    }

    fn decode_as(kernel: ops::Kernel<'_>, params: &[(String, String)], ring: bool) -> Result<Program, Diagnostic> {
        let facts = kernel.facts();
        let mut decoder = Decoder::new(kernel.op(), facts.name, facts.cube_dim, facts.checked, ring);
        if let Err((op, rule)) = check_unit_loops(kernel.op()) {
            return Err(error(op, diagnostic!(CUBE0700.unit_loop { rule })));
        }
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

// A kernel with work-item loops runs once per cube. If such a loop contains plane operations, each unit executes its
// own iteration and waits at the end of the loop: see `control.rs`.
fn form_of(kernel: Op<'_>) -> ExecutionForm {
    let all = kernel.walk();
    let collective = |op: &Op<'_>| is_collective(*op);
    let split = all.iter().any(|op| UnitLoop::of(*op).is_some());
    match (split, all.iter().any(collective)) {
        (false, _) => ExecutionForm::Units,
        (true, true) => ExecutionForm::SharedLoops,
        (true, false) => ExecutionForm::Cubes,
    }
}

impl<'p> Decoder<'p> {
    /// Decodes the operations of a block.
    pub fn block(&mut self, block: Block<'p>) -> DecodeResult {
        for op in block.ops() {
            self.enter(op);
            // The limit also applies to operations, because nested calls can multiply the work without emitting
            // instructions.
            if self.program.sites.len() > MAX_PROGRAM_SIZE {
                self.slots(op, MAX_PROGRAM_SIZE as u32)?;
            }
            self.operation(op)?;
        }
        Ok(())
    }

    /// Decodes an operation.
    pub fn operation(&mut self, op: Op<'p>) -> DecodeResult {
        let refuse = |why: &str| Err(error(op, diagnostic!(CUBE0700.operation { why })));
        match rules::of(op.kind()) {
            None => refuse("interpreter/src/rules.rs has no rule for it, and no level allows it"),
            Some(Rule::Unsupported(why)) => refuse(why),
            Some(Rule::Emit(emit)) => emit(self, op),
            Some(Rule::Means(meaning)) => scalars::scalar(self, op, meaning),
            Some(Rule::Math(rule)) => scalars::float(self, op, rule),
        }
    }
}

// The formats of the kernel's print records, after prints were lowered.
fn records_of(kernel: ops::Kernel<'_>) -> Vec<PrintFormat> {
    let formats = kernel.op().attr(PRINTS).and_then(|a| a.as_array()).unwrap_or_default();
    formats.iter().filter_map(|f| PrintFormat::of_attribute(f.as_str()?)).collect()
}
