//! `--layouts-html`: the layouts of a module's kernels as one page with pictures.
use super::{CubeOptions, target};
use crate::input;
use cube_algebra::{Composed, Layout};
use cube_artifact::CompileError;
use cube_driver::{NoInstrumentation, PassInfo, Pipeline, run_passes, to_error};
use cube_ir::{Dialect, Level, Op, Session, location_of};
use cube_layout_cli::html;
use cube_layout_cli::language::{Session as Language, Value};
use cube_layout_dialect::{Layouts, View, access_of, known, view_of};
use cube_passes::layout::prove_layouts;

/// Specialises the kernels of the input, and writes a page with their layouts.
pub fn write(input_name: &str, options: &CubeOptions, file: &str) -> Result<(), CompileError> {
    let bytes = input::read(input_name)?;
    let shown = if input_name == "-" { "<stdin>" } else { input_name };
    let session = Session::new();
    let mut module = session.parse(&bytes, shown).map_err(to_error)?;
    let pipeline = Pipeline::for_target(&target(options.target.as_deref())?).map_err(to_error)?;
    let phases = pipeline.part(None, pipeline.phase_to(Level::Source)).map_err(to_error)?;
    let source = pipeline.whole_text(&phases, &options.request());
    let proofs = format!("builtin.module(cube.kernel({}))", prove_layouts::PASS.name);
    let steps = [PassInfo::new("specialize", "specialize", &source), PassInfo::new("layout", "prove-layouts", &proofs)];
    run_passes(&mut module, &steps, &mut NoInstrumentation).map_err(to_error)?;
    let mut entries: Vec<(String, Value)> = Vec::new();
    for kernel in cube_dialect::kernels_of(module.op()) {
        let mut layouts = Layouts::default();
        for op in kernel.op().walk().into_iter().filter(|op| op.is_of(Dialect::Layout)) {
            for entry in entries_of(&mut layouts, kernel.name(), op) {
                // A function that is called several times is listed only once.
                if entries.iter().all(|other| other.0 != entry.0 || other.1.to_string() != entry.1.to_string()) {
                    entries.push(entry);
                }
            }
        }
    }
    let title = format!("Layouts of {}", shown.rsplit('/').next().unwrap_or(shown));
    cube_layout_cli::files::write(std::path::Path::new(file), &html::page(&title, &entries))
        .map_err(|error| CompileError::from(cube_artifact::diagnostic!(CUBE0603.page { error })))
}

// The layouts that an operation creates or that an access uses. Refused layouts are omitted, because compilation
// reports them.
fn entries_of<'p>(layouts: &mut Layouts<'p>, kernel: &str, op: Op<'p>) -> Vec<(String, Value)> {
    let line = location_of(op.location()).map(|place| format!(", line {}", place.line)).unwrap_or_default();
    let name = format!("@{kernel}{line}: {}", op.name());
    if access_of(op).is_some() {
        return layouts.accessed(op).map(|view| of_access(&name, op, &view)).unwrap_or_default();
    }
    if view_of(op).is_some() {
        let shape = layouts.view(op.result(0), op).ok().and_then(|view| known(&view.shape));
        return shape.into_iter().filter_map(|layout| Some((name.clone(), drawn(&layout)?))).collect();
    }
    let mut entries = Vec::new();
    for result in op.results() {
        let Ok(found) = layouts.layout(result, op) else { continue };
        let Some(layout) = known(&found.shape) else { continue };
        let value = match found.swizzle.bits() {
            0 => drawn(&layout),
            _ => Composed::new(found.swizzle, found.base, layout).ok().and_then(|c| value(&c.to_string())),
        };
        entries.extend(value.map(|value| (name.clone(), value)));
    }
    entries
}

// The modes with a coordinate as threads, the other modes as values, and the bank conflicts of a shared memory access.
fn of_access(name: &str, op: Op<'_>, view: &View<'_>) -> Vec<(String, Value)> {
    let proof = op
        .attr(cube_dialect::attributes::LAYOUT_PROOF)
        .map(|proof| proof.to_string().replace(" : i64", ""))
        .unwrap_or_default();
    let mut entries = Vec::new();
    let Some(whole) = view.whole() else { return entries };
    let title = format!("{name}, coordinates and elements {proof}");
    entries.extend(drawn(&whole).map(|value| (title, value)));
    let shared = view.buffer_type().filter(|buffer| buffer.kind == cube_dialect::BufferKind::Shared);
    let units: Vec<Layout> = view.fixed.iter().filter_map(|f| known(&f.shape)).collect();
    if let (Some(buffer), [units]) = (shared, units.as_slice()) {
        let swizzle = view.swizzle;
        let memory = format!("S<{},{},{}> o {} o {units}", swizzle.bits(), swizzle.base(), swizzle.shift(), view.base);
        let banks = format!("banks({memory}, {}, {}:1, 1)", buffer.line_bytes(), units.size().min(32));
        entries.extend(value(&banks).map(|value| (format!("{name}, banks of the first plane"), value)));
    }
    entries
}

/// Maximum number of elements of a drawn layout, so that the page remains readable.
const MAX_ELEMENTS: u64 = 1 << 10;

fn drawn(layout: &Layout) -> Option<Value> {
    match layout.size() {
        0..=MAX_ELEMENTS => value(&layout.to_string()),
        size => {
            let words = [("layout", layout.to_string()), ("elements", format!("{size}, too many to draw"))];
            Some(Value::Record(words.to_vec()))
        }
    }
}

fn value(text: &str) -> Option<Value> {
    Language::default().run(text).ok().flatten().map(|(_, value)| value)
}
