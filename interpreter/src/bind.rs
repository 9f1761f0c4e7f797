//! Binds the arguments of a launch to memory and scalars.
use crate::findings::Find;
use crate::memory::{Buffer, Shadow, bytes_of_line, find_overlaps};
use crate::program::{ADDRESS_BITS, Program, ProgramParamKind};
use crate::request::{Arg, Fault, Options};
use crate::rules::ring;
use crate::shape::{BufferContents, LaneKind, Space};
use cube_artifact::derived::{Arguments, Property};
use cube_artifact::prints::WORDS;
use cube_semantics::ints::mask;

/// The argument of each parameter; `None` for derived parameters.
pub(crate) fn given<'a>(program: &Program, args: &'a mut [Arg]) -> Vec<Option<&'a mut Arg>> {
    let mut args = args.iter_mut();
    program.params.iter().map(|p| if p.kind.is_given() { args.next() } else { None }).collect()
}

/// The value of each scalar parameter, as stored in its slot. The value is 0 for other parameters.
pub(crate) fn scalars(program: &Program, args: &[Arg]) -> Vec<u64> {
    let mut args = args.iter();
    let mut values = Vec::new();
    for (param, kind) in program.params.iter().zip(&program.scalar_kinds) {
        values.push(match param.kind {
            ProgramParamKind::Scalar { derived: true, .. } | ProgramParamKind::Prints => 0,
            ProgramParamKind::Scalar { bits, .. } => {
                let value = match args.next() {
                    Some(Arg::Scalar(value)) => value & mask(bits),
                    _ => 0,
                };
                match kind {
                    Some(kind) if program.ring && kind.is_float() => to_ring(value, *kind),
                    _ => value,
                }
            }
            ProgramParamKind::Buffer { .. } => args.next().map_or(0, |_| 0),
        });
    }
    values
}

/// Computes the derived scalars from the other arguments.
pub(crate) fn derive(
    program: &Program,
    scalars: &mut [u64],
    buffers: &[Buffer],
    cubes: [u32; 3],
) -> Result<[u32; 3], Fault> {
    for (number, expression) in &program.derived {
        let value = expression.evaluate(&LaunchFacts { program, scalars, buffers, cubes });
        let value = value.map_err(|why| Fault::Argument(format!("a derived argument of {}: {why}", program.name)))?;
        if let ProgramParamKind::Scalar { bits, .. } = program.params[*number as usize].kind {
            scalars[*number as usize] = value & mask(bits);
        }
    }
    let Some(expressions) = &program.cube_count else { return Ok(cubes) };
    let invalid = |why: String| Fault::Argument(format!("the cube count of {}: {why}", program.name));
    let mut count = [0; 3];
    for (count, expression) in count.iter_mut().zip(expressions) {
        let value = expression.evaluate(&LaunchFacts { program, scalars, buffers, cubes });
        let value = value.and_then(|value| u32::try_from(value).map_err(|_| format!("{value} exceeds {}", u32::MAX)));
        *count = value.map_err(invalid)?;
    }
    let total = |counts: [u32; 3]| counts.iter().map(|n| u128::from(*n)).product::<u128>();
    if total(count) > total(cubes) {
        return Err(invalid(format!(
            "the count is {count:?}, but the launch has only {cubes:?}; launch at least {} cubes",
            total(count)
        )));
    }
    Ok(count)
}

struct LaunchFacts<'a> {
    program: &'a Program,
    scalars: &'a [u64],
    buffers: &'a [Buffer],
    cubes: [u32; 3],
}

impl Arguments for LaunchFacts<'_> {
    fn scalar(&self, name: &str) -> Option<u64> {
        let number = self.program.params.iter().position(|p| p.name == name)?;
        self.program.scalar_kinds[number].filter(|kind| !kind.is_float()).map(|_| self.scalars[number])
    }

    fn of(&self, property: Property, name: &str, dimension: u32) -> Option<u64> {
        let number = self.program.params.iter().position(|p| p.name == name)?;
        self.program.buffers[number].as_ref()?;
        let buffer = &self.buffers[number];
        let along = |list: &[u64]| list.get(dimension as usize).copied().unwrap_or(0);
        Some(match property {
            Property::Len => buffer.len(),
            Property::BufferLen => buffer.lines,
            Property::Rank => buffer.shape.len() as u64,
            Property::Shape => along(&buffer.shape),
            Property::Stride => along(&buffer.strides),
            // Every buffer is a separate allocation, so its offset is 0.
            Property::Offset => 0,
        })
    }

    fn cubes(&self, axis: u32) -> Option<u64> {
        self.cubes.get(axis as usize).map(|count| u64::from(*count))
    }
}

/// All buffers of a launch except local memory.
pub(crate) fn buffers(program: &Program, args: &mut [Arg], watched: bool) -> Vec<Buffer> {
    let mut given = given(program, args).into_iter();
    let mut all = Vec::with_capacity(program.buffers.len());
    for (number, decl) in program.buffers.iter().enumerate() {
        let arg = given.next().flatten();
        let Some(decl) = decl else {
            all.push(Buffer::new(vec![], 1, 1, 0));
            continue;
        };
        let BufferContents { element, line, lines, space, .. } = decl.held;
        let in_ring = program.ring && element.is_float();
        let size = if in_ring { 8 } else { element.bytes() as usize };
        let elements = |lines: u64| lines as usize * line as usize;
        let buffer = match (space, arg) {
            (Space::Local, _) => {
                let mut local = Buffer::new(vec![], size, line as usize, lines.unwrap_or(0));
                local.local = Some(decl.base);
                local
            }
            _ if program.params.get(number).is_some_and(|p| p.kind == ProgramParamKind::Prints) => {
                let mut records = Buffer::new(vec![0; WORDS as usize * 4], 4, 1, u64::from(WORDS));
                records.shadow = watched.then(|| Shadow::new(u64::from(WORDS), true));
                records
            }
            (Space::Stack, _) => {
                let lines = lines.unwrap_or(0);
                Buffer::new(vec![0; lines as usize], size, 1, lines)
            }
            (Space::Shared | Space::Slice, _) | (_, None) => {
                let lines = lines.unwrap_or(0);
                let mut shared = Buffer::new(vec![0; elements(lines) * size], size, line as usize, lines);
                shared.shared = true;
                shared.shadow = watched.then(|| Shadow::new(lines, false));
                shared
            }
            (Space::Global, Some(arg)) => {
                let write_only =
                    matches!(program.params[number].kind, ProgramParamKind::Buffer { write_only: true, .. });
                let readable = arg.initialised() && !write_only;
                let bytes = arg.bytes_mut().map(std::mem::take).unwrap_or_default();
                let bytes = if in_ring { all_to_ring(&bytes, element) } else { bytes };
                let lines = (bytes.len() / (size * line.max(1) as usize)) as u64;
                let mut buffer = Buffer::new(bytes, size, line as usize, lines);
                if let Arg::Tensor { shape, strides, .. } = arg {
                    (buffer.shape, buffer.strides) = (shape.clone(), strides.clone());
                }
                buffer.shadow = watched.then(|| Shadow::new(lines, readable));
                buffer
            }
        };
        all.push(buffer);
    }
    find_overlaps(program, &mut all);
    all
}

/// Stores the arguments in memory, for code of the form `ExecutionForm::Launch`. `decode/lowered.rs` describes the
/// pointers.
pub(crate) fn pass_arguments(program: &Program, scalars: &[u64], count: [u32; 3], buffers: &mut [Buffer]) {
    let Some(places) = program.launch else { return };
    let words = |words: Vec<u64>| words.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>();
    let pointer = |number: usize| (number as u64 + 1) << ADDRESS_BITS;
    let is_buffer = |number: &usize| program.buffers[*number].is_some();
    let (given, plain): (Vec<usize>, Vec<usize>) = (0..program.params.len()).partition(is_buffer);
    let info = given.iter().map(|number| buffers[*number].lines).collect();
    let launch = [places.pointers, places.info, places.scalars].map(pointer).to_vec();
    let counts = count.iter().flat_map(|c| c.to_le_bytes());
    let contents = [
        (places.launch, words(launch).into_iter().chain(counts).collect()),
        (places.pointers, words(given.iter().map(|number| pointer(*number)).collect())),
        (places.info, words(info)),
        (places.scalars, words(plain.iter().map(|number| scalars[*number]).collect())),
    ];
    for (number, bytes) in contents {
        buffers[number].bytes[..bytes.len()].copy_from_slice(&bytes);
    }
}

fn to_ring(bits: u64, element: LaneKind) -> u64 {
    element.number().map_or(bits, |number| ring::of_bits(bits, number))
}

fn all_to_ring(bytes: &[u8], element: LaneKind) -> Vec<u8> {
    let pattern = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |all, b| all << 8 | u64::from(*b));
    let chunks = bytes.chunks_exact(element.bytes() as usize);
    chunks.flat_map(|chunk| to_ring(pattern(chunk), element).to_le_bytes()).collect()
}

/// Checks the arguments against the kernel's parameters.
pub(crate) fn check(program: &Program, args: &[Arg], options: &Options) -> Result<(), Fault> {
    let wrong = |message: String| Err(Fault::Argument(message));
    if !(1..=128).contains(&options.plane_dim) {
        return wrong(format!("a plane cannot have {} units; use 1 to 128 units", options.plane_dim));
    }
    let params: Vec<_> = program.params.iter().filter(|p| p.kind.is_given()).collect();
    if params.len() != args.len() {
        return wrong(format!(
            "kernel {0} takes {1} arguments, not {2}; pass {1} arguments",
            program.name,
            params.len(),
            args.len()
        ));
    }
    for (param, arg) in params.into_iter().zip(args) {
        match (param.kind, arg) {
            (
                ProgramParamKind::Buffer { bytes: size, line, .. },
                Arg::Buffer { bytes, .. } | Arg::Tensor { bytes, .. },
            ) => {
                let line_bytes = size as usize * line.max(1) as usize;
                if !bytes.len().is_multiple_of(line_bytes) {
                    return wrong(format!(
                        "argument {} has {} bytes, which is not a multiple of the line size {line_bytes}; pass a whole number of lines",
                        param.name,
                        bytes.len()
                    ));
                }
                if let Arg::Tensor { shape, strides, .. } = arg
                    && (shape.len() > 8 || shape.len() != strides.len())
                {
                    return wrong(format!(
                        "argument {} has {} dimensions and {} strides; pass one stride for each of at most 8 dimensions",
                        param.name,
                        shape.len(),
                        strides.len()
                    ));
                }
            }
            (ProgramParamKind::Scalar { .. }, Arg::Scalar(_)) => {}
            _ => {
                return wrong(format!(
                    "argument {} is a buffer instead of a scalar, or a scalar instead of a buffer; pass an argument of the parameter's kind",
                    param.name
                ));
            }
        }
    }
    Ok(())
}

/// Checks that the memory of the run is within the limit.
pub(crate) fn limit_memory(program: &Program, args: &[Arg], options: &Options) -> Result<(), Fault> {
    let watched = options.find != Find::NOTHING;
    let mut given = args.iter();
    let mut needed = 0u64;
    for (number, decl) in program.buffers.iter().enumerate() {
        let takes = program.params.get(number).is_some_and(|p| p.kind.is_given());
        let arg = if takes { given.next() } else { None };
        let Some(decl) = decl else { continue };
        let line = u64::from(decl.held.element.bytes() * decl.held.line.max(1));
        let lines = match (decl.held.space, arg.and_then(Arg::bytes)) {
            (Space::Global, Some(bytes)) => bytes.len() as u64 / line.max(1),
            (Space::Local, _) => 0,
            _ => {
                let lines = decl.held.lines.unwrap_or(0);
                needed = needed.saturating_add(lines.saturating_mul(if program.ring { 8 } else { line }));
                lines
            }
        };
        if watched {
            needed = needed.saturating_add(lines.saturating_mul(bytes_of_line()));
        }
    }
    let units: u64 = program.cube_dim.iter().map(|d| u64::from(*d)).product();
    let alive = if program.collective { units + 1 } else { 2 };
    let of_unit = u64::from(program.slots) * if watched { 12 } else { 8 };
    needed = needed.saturating_add(of_unit.saturating_mul(alive));
    if needed > options.max_memory { Err(Fault::Memory { max: options.max_memory, needed }) } else { Ok(()) }
}
