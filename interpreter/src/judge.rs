//! Bisection: compares a kernel's results before and after every pass.
//!
//! The result of the first stage is the reference. The buffers of every later stage must equal the reference within
//! the tolerance of the stage's pass. Buffers are compared bit for bit, except the payload of a NaN. If the kernel
//! has no fault in the first stage, the later stages must also be free of faults. The removal of a required check
//! changes the declared bounds of an access, but not the interpreter's results.
use crate::findings::{Find, Finding, FindingKind};
use crate::launch::run;
use crate::machine::value_text;
use crate::program::{ExecutionForm, Program, ProgramParamKind};
use crate::request::{Arg, Fault, Options, Outcome, Schedule};
use crate::shape::LaneKind;
use crate::tolerance::{InexactOperations, Tolerance};
use cube_dialect::kernels_of;
use cube_ir::{Diagnostic, Op};
use cube_target::Element;

/// Limits on the steps of a later stage: a factor on the steps of the reference, and a number of additional
/// steps.
const MAX_SLOWDOWN: u64 = 256;
const EXTRA_STEPS: u64 = 1 << 20;

/// A launch whose result must not change from stage to stage.
pub struct Judge {
    args: Vec<Arg>,
    count: [u32; 3],
    options: Options,
    params: Vec<(String, String)>,
    ring: bool,
    /// The program that the last call decoded from the kernel and its parameters.
    kernel: Option<Program>,
    /// The program of the first stage, which contains the types of the buffers.
    first: Option<Program>,
    reference: Option<Reference>,
    /// The tolerance of the passes since the last compared stage.
    allowed: Tolerance,
    /// The operations in the previous stage whose results a pass can change within a tolerance.
    inexact: InexactOperations,
    /// The operations of the first stage whose result can change within a tolerance.
    inexact_in_first_stage: InexactOperations,
}

struct Reference {
    args: Vec<Arg>,
    faults: bool,
    steps: u64,
}

/// The effect of a stage on the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first stage: its result is the reference.
    Reference(Outcome),
    /// The result equals the reference.
    Same,
    /// The difference from the reference is within the tolerance of the pass.
    Within,
    /// The result differs; the text describes the difference.
    Differs(String),
    /// The interpreter has no rule for an operation that the pass produced.
    NotInterpreted(Diagnostic),
}

impl Judge {
    /// Prepares a launch; `params` has the values of comptime parameters.
    pub fn new(args: Vec<Arg>, count: [u32; 3], options: Options, params: &[(String, String)]) -> Judge {
        Judge {
            args,
            count,
            options,
            params: params.to_vec(),
            ring: false,
            kernel: None,
            first: None,
            reference: None,
            allowed: Tolerance::EXACT,
            inexact: InexactOperations::default(),
            inexact_in_first_stage: InexactOperations::default(),
        }
    }

    /// Prepares a launch that represents floats as elements of a ring.
    pub fn in_ring(self, ring: bool) -> Judge {
        Judge { ring, ..self }
    }

    /// The difference between the result of the kernel's compiled code and the interpreter's result, as text. `None` if
    /// the difference is within the tolerance for another order of units.
    pub fn compare(&self, after: &[Arg]) -> Option<String> {
        let (first, reference) = (self.first.as_ref()?, self.reference.as_ref()?);
        difference(first, &reference.args, after, self.inexact_in_first_stage.of_order())
    }

    /// Sets the order of units for the next stage and all later stages.
    pub fn schedule(&mut self, schedule: Schedule) {
        self.options.schedule = schedule;
    }

    /// Sets the number of lanes of a plane, for the next stage and all later stages.
    pub fn planes(&mut self, lanes: u32) {
        self.options.plane_dim = lanes;
    }

    /// Compares the result of the next stage, which `pass` has produced. `semantics/tables/tolerance.toml` has the
    /// tolerance of each pass.
    ///
    /// # Errors
    /// The launch of the first stage is invalid or does not end.
    pub fn stage(&mut self, pass: &str, module: Op<'_>) -> Result<Verdict, Fault> {
        self.allowed = self.allowed.and(Tolerance::of_pass(pass, self.inexact));
        self.inexact = InexactOperations::of(module);
        let program = match self.decode(module) {
            Ok(program) => program,
            Err(diagnostic) => return Ok(Verdict::NotInterpreted(diagnostic)),
        };
        let allowed = std::mem::take(&mut self.allowed);
        // A pass can replace the element type of a float buffer by an integer type.
        let types = self.first.get_or_insert_with(|| program.clone()).clone();
        let options = self.limits(&program);
        let mut args = self.args.clone();
        let outcome = match (run(&program, &mut args, self.count, &options), &self.reference) {
            (Err(fault), None) => return Err(fault),
            (Err(fault), Some(_)) => return Ok(Verdict::Differs(fault.to_string())),
            (Ok(outcome), _) => outcome,
        };
        let verdict = match &self.reference {
            None => Verdict::Reference(outcome.clone()),
            Some(_) if !outcome.findings.is_empty() => return Ok(Verdict::Differs(new_fault(&outcome.findings))),
            Some(before) => match difference(&types, &before.args, &args, Tolerance::EXACT) {
                None => Verdict::Same,
                Some(_) => match difference(&types, &before.args, &args, allowed) {
                    None => Verdict::Within,
                    Some(what) => return Ok(Verdict::Differs(what)),
                },
            },
        };
        let first = self.reference.is_none();
        if first {
            self.inexact_in_first_stage = self.inexact;
        }
        let faults =
            if first { !outcome.findings.is_empty() } else { self.reference.as_ref().is_some_and(|r| r.faults) };
        let steps = if first { outcome.steps } else { self.reference.as_ref().map_or(0, |r| r.steps) };
        self.reference = Some(Reference { args, faults, steps });
        Ok(verdict)
    }

    fn decode(&mut self, module: Op<'_>) -> Result<Program, Diagnostic> {
        let kernel = kernels_of(module).into_iter().next();
        let program = match (kernel, &self.kernel) {
            (Some(kernel), _) if self.ring => Program::decode_in_ring(kernel, &self.params),
            (Some(kernel), _) => Program::decode(kernel, &self.params),
            (None, Some(before)) => Program::decode_lowered(module, before),
            (None, None) => Err(crate::decode::error(module, cube_ir::diagnostic!(CUBE0503.none))),
        }?;
        if program.form != ExecutionForm::Launch {
            self.kernel = Some(program.clone());
        }
        Ok(program)
    }

    // Limits and finding kinds of a stage. A fault that existed before is not reported again.
    fn limits(&self, program: &Program) -> Options {
        let Some(reference) = &self.reference else { return Options { find: Find::FAULTS, ..self.options } };
        let find = match program.form {
            _ if reference.faults => Find::NOTHING,
            ExecutionForm::Units => Find::FAULTS,
            // In this form, every unit executes the writes that the compiled code executes once, so races are not
            // detected.
            ExecutionForm::SharedLoops => Find::NOTHING.with(FindingKind::Ub).with(FindingKind::Barriers),
            // One unit runs the code of all units. Races are impossible, and memory contains the values of the previous
            // cube.
            ExecutionForm::Cubes | ExecutionForm::Launch => Find::NOTHING.with(FindingKind::Ub),
        };
        let steps = reference.steps.saturating_mul(MAX_SLOWDOWN).saturating_add(EXTRA_STEPS);
        Options { find, max_steps: self.options.max_steps.min(steps), ..self.options }
    }
}

fn new_fault(findings: &[Finding]) -> String {
    let first = findings.first().map(Finding::to_string).unwrap_or_default();
    format!("the kernel had no fault before, and now has one: {first}")
}

/// A description of the first buffer whose contents differ by more than the tolerance.
pub fn difference(program: &Program, before: &[Arg], after: &[Arg], allowed: Tolerance) -> Option<String> {
    // Buffers that the launch creates have no argument.
    let own = |kind| matches!(kind, ProgramParamKind::Scalar { derived: true, .. } | ProgramParamKind::Prints);
    let given = program.params.iter().zip(&program.buffers).filter(|(param, _)| !own(param.kind));
    for ((param, buffer), (before, after)) in given.zip(before.iter().zip(after)) {
        let (Some(buffer), Some(before), Some(after)) = (buffer, before.bytes(), after.bytes()) else { continue };
        let kind = buffer.held.element;
        let kind = if program.ring && kind.is_float() { LaneKind::Int(64) } else { kind };
        let size = kind.bytes() as usize;
        let unit = unit_of_largest(before, kind) * allowed.of_largest as f64;
        let near = |a: u64, b: u64| unit > 0.0 && (double(a, kind) - double(b, kind)).abs() <= unit;
        let far = |(a, b): (&[u8], &[u8])| {
            let (a, b) = (pattern(a), pattern(b));
            if a == b || near(a, b) { 0 } else { distance(a, b, kind, allowed.ulp) }
        };
        let pairs = before.chunks_exact(size).zip(after.chunks_exact(size));
        let wrong: Vec<(usize, u64)> = pairs.map(far).enumerate().filter(|(_, far)| *far > allowed.ulp).collect();
        // The first element with the greatest distance.
        if let Some((at, _)) = wrong.iter().rev().max_by_key(|(_, far)| *far) {
            let element = |bytes: &[u8]| value_text(pattern(&bytes[at * size..(at + 1) * size]), kind, false);
            return Some(format!(
                "{} of {} elements of {} differ, most at [{at}]: {} instead of {}",
                wrong.len(),
                before.len() / size,
                param.name,
                element(after),
                element(before)
            ));
        }
    }
    None
}

fn double(bits: u64, kind: LaneKind) -> f64 {
    kind.number().map_or(0.0, |number| number.to_double(bits))
}

// A unit in the last place of the largest finite element; 0 if the elements are not floats.
fn unit_of_largest(bytes: &[u8], kind: LaneKind) -> f64 {
    // Storage formats have no tolerance.
    let Some(format) = kind.element().filter(|element| element.is_computed()).and_then(Element::format) else {
        return 0.0;
    };
    let values = bytes.chunks_exact(kind.bytes() as usize).map(|chunk| double(pattern(chunk), kind).abs());
    values.filter(|x| x.is_finite()).fold(0.0, f64::max) * f64::exp2(-f64::from(format.fraction))
}

fn pattern(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

// Units in the last place between two different patterns; at least one if no distance is allowed.
fn distance(a: u64, b: u64, kind: LaneKind, allowed: u64) -> u64 {
    if kind.element().and_then(Element::format).is_none() {
        return a.abs_diff(b);
    }
    // Some formats, such as f8E4M3FN, have NaN and no infinity.
    let (x, y) = (double(a, kind), double(b, kind));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => return 0,
        (false, false) if x.is_finite() && y.is_finite() => {}
        _ => return u64::MAX,
    }
    let sign = 1 << (kind.bits() - 1);
    let (x, y) = (a & !sign, b & !sign);
    // Magnitudes of one sign are ordered as integers. Across zero, the two distances to zero add up.
    let apart = if (a ^ b) & sign == 0 { x.abs_diff(y) } else { x + y };
    if allowed == 0 { apart.max(1) } else { apart }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_equals_every_nan_of_its_type() {
        for (element, nans) in
            [(Element::F8E4M3, [0x7f, 0xff]), (Element::F8E5M2, [0x7d, 0xff]), (Element::F16, [0x7c01, 0xfe00])]
        {
            let kind = LaneKind::Float(element);
            assert_eq!(distance(nans[0], nans[1], kind, 0), 0, "{element:?}");
            assert_eq!(distance(nans[0], 1, kind, 4), u64::MAX, "{element:?}");
        }
        // The largest number of f8E4M3FN, 448, is beside its NaN.
        let kind = LaneKind::Float(Element::F8E4M3);
        assert_eq!(distance(0x7e, 0x7f, kind, 4), u64::MAX);
        assert_eq!(distance(0x7e, 0x7d, kind, 4), 1);
    }

    #[test]
    fn distances_are_those_of_the_type() {
        let f = |x: f32| u64::from(x.to_bits());
        assert_eq!(distance(f(1.0), f(1.0f32.next_up()), LaneKind::Float(Element::F32), 4), 1);
        assert_eq!(
            (
                distance(f(0.0), f(-0.0), LaneKind::Float(Element::F32), 4),
                distance(f(0.0), f(-0.0), LaneKind::Float(Element::F32), 0)
            ),
            (0, 1)
        );
        assert_eq!(distance(f(f32::NAN), f(-f32::NAN), LaneKind::Float(Element::F32), 0), 0);
        assert_eq!(distance(f(f32::MAX), f(f32::INFINITY), LaneKind::Float(Element::F32), 4), u64::MAX);
        assert_eq!(distance(3, 250, LaneKind::Int(8), 4), 247);
    }
}
