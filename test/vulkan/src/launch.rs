//! Converts an artifact and its arguments to bindings.
use crate::Error;
use cube_artifact::derived::{Arguments, Derived, Property};
use cube_artifact::{Artifact, CodeFormat, ElemType, ParamKind, prints};

/// The code of a kernel.
#[derive(Clone, Debug)]
pub enum Code {
    /// WGSL, which naga parses and validates again.
    Wgsl(String),
    /// SPIR-V words, which the driver receives unchanged. The words must have passed `spirv-val`, because
    /// drivers do not check them.
    Spirv(Vec<u32>),
}

/// An argument of a kernel.
#[derive(Clone, Debug)]
pub enum Argument {
    /// The contents of a storage buffer.
    Buffer {
        /// Contents of the buffer before the launch.
        bytes: Vec<u8>,
        /// The number of elements and the stride along each dimension; `None` for a buffer of one dimension.
        dims: Option<(Vec<u64>, Vec<u64>)>,
    },
    /// A scalar, with its bits in the low bytes and zeros in the high bytes.
    Scalar(u64),
}

/// A storage buffer of a launch; its number is its index in [`Launch::bindings`].
#[derive(Clone, Debug)]
pub struct Binding {
    /// Contents of the buffer before the launch.
    pub bytes: Vec<u8>,
    /// Whether the kernel can write to the buffer.
    pub writes: bool,
}

/// The inputs of one launch.
#[derive(Clone, Debug)]
pub struct Launch {
    pub code: Code,
    /// Name of the entry point.
    pub entry: String,
    /// The code and the entry point of the first cubes, and their number along x.
    pub first: Option<(Code, String, u32)>,
    /// WebGPU features that the code requires.
    pub features: Vec<String>,
    /// Units of a cube.
    pub cube_dim: [u32; 3],
    /// Bytes of shared memory of a cube.
    pub shared_bytes: u32,
    /// The storage buffers, whose binding numbers start at 0.
    pub bindings: Vec<Binding>,
    /// Words of the uniform buffer, whose binding number follows the binding numbers of the storage buffers.
    /// An empty uniform buffer has no binding.
    pub words: Vec<u32>,
    /// Cubes along x, y, z.
    pub cubes: [u32; 3],
}

impl Launch {
    /// Converts the arguments of a WGSL or SPIR-V artifact to bindings and uniform words. If the kernel prints, the
    /// buffer for its print records is the last binding. A 64-bit scalar has two uniform words; the low word is
    /// first.
    ///
    /// # Errors
    /// [`Error::Arguments`] for arguments that the kernel does not take, for derived values that cannot be computed,
    /// and for code that is neither WGSL nor SPIR-V. [`Error::Invalid`] for WGSL that is not UTF-8.
    pub fn of(artifact: &Artifact, arguments: &[Argument], cubes: [u32; 3]) -> Result<Launch, Error> {
        if artifact.params.len() != arguments.len() {
            let (takes, given) = (artifact.params.len(), arguments.len());
            return Err(Error::Arguments(format!("the kernel takes {takes} arguments, but the launch has {given}")));
        }
        let code = code_of(artifact)?;
        let (mut bindings, mut lengths, mut scalars) = (Vec::new(), Vec::new(), Vec::new());
        for (param, argument) in artifact.params.iter().zip(arguments) {
            match (&param.kind, argument) {
                (ParamKind::Buffer { elem, line, access, .. }, Argument::Buffer { bytes, .. }) => {
                    lengths.push(word((bytes.len() / elem.size()) as u64 / u64::from((*line).max(1)))?);
                    bindings.push(Binding { bytes: bytes.clone(), writes: access.writes() });
                }
                (ParamKind::Scalar { elem }, Argument::Scalar(bits)) if elem.size() <= 4 => scalars.push(word(*bits)?),
                (ParamKind::Scalar { .. }, Argument::Scalar(bits)) => {
                    scalars.extend([*bits as u32, (*bits >> 32) as u32]);
                }
                _ => return Err(Error::Arguments(format!("{} is of another kind", param.name))),
            }
        }
        if !artifact.prints.is_empty() {
            lengths.push(prints::WORDS);
            bindings.push(Binding { bytes: vec![0; prints::WORDS as usize * 4], writes: true });
        }
        let given = DerivedInputs { artifact, arguments, cubes };
        let mut first = None;
        for (number, derived) in artifact.derived.iter().enumerate() {
            let value = given.evaluate(&derived.expression)?;
            if let Some(cubes) = artifact.first_cubes.as_ref().filter(|cubes| cubes.derived as usize == number) {
                first = Some((code.clone(), cubes.entry.clone(), word(value)?));
            }
            match derived.elem.size() {
                8 => scalars.extend([value as u32, (value >> 32) as u32]),
                _ => scalars.push(word(value)?),
            }
        }
        let cubes = given.cube_count()?;
        let mut words: Vec<u32> = lengths.into_iter().chain(scalars).collect();
        words.resize(words.len().next_multiple_of(4), 0);
        // A single dispatch begins at cube 0, and the y of a cube is the y of its workgroup.
        words.extend([0; 4].into_iter().chain(cubes).chain([1]));
        // The linear index of a cube: of the first cube, and the steps of a row and of a layer. The number of cubes.
        let layer = cubes[0].wrapping_mul(cubes[1]);
        words.extend([0, cubes[0], layer, layer.wrapping_mul(cubes[2])]);
        Ok(Launch {
            code,
            entry: artifact.entry.clone(),
            first,
            features: artifact.features.clone(),
            cube_dim: artifact.cube_dim,
            shared_bytes: artifact.shared_bytes,
            bindings,
            words,
            cubes,
        })
    }
}

fn code_of(artifact: &Artifact) -> Result<Code, Error> {
    if artifact.format == CodeFormat::WGSL {
        let text = String::from_utf8(artifact.code.clone());
        return Ok(Code::Wgsl(text.map_err(|_| Error::Invalid("WGSL is UTF-8".into()))?));
    }
    let (words, rest) = artifact.code.as_chunks();
    match artifact.format == CodeFormat::SPIRV && rest.is_empty() {
        true => Ok(Code::Spirv(words.iter().map(|word| u32::from_le_bytes(*word)).collect())),
        false => Err(Error::Arguments("the artifact contains neither WGSL nor SPIR-V".into())),
    }
}

fn word(value: u64) -> Result<u32, Error> {
    u32::try_from(value).map_err(|_| Error::Arguments(format!("{value} does not fit into a 32-bit word")))
}

/// The inputs from which derived values are computed.
struct DerivedInputs<'a> {
    artifact: &'a Artifact,
    arguments: &'a [Argument],
    cubes: [u32; 3],
}

impl DerivedInputs<'_> {
    fn named(&self, name: &str) -> Option<(&ParamKind, &Argument)> {
        let mut all = self.artifact.params.iter().zip(self.arguments);
        all.find(|(param, _)| param.name == name).map(|(param, argument)| (&param.kind, argument))
    }

    fn evaluate(&self, expression: &str) -> Result<u64, Error> {
        let value = Derived::parse(expression).and_then(|derived| derived.evaluate(self));
        value.map_err(|why| Error::Arguments(format!("`{expression}`: {why}")))
    }

    /// The cube counts of the executed launch. After coarsening, one unit does the work of several units, so the
    /// launch has fewer cubes.
    fn cube_count(&self) -> Result<[u32; 3], Error> {
        let Some(expressions) = &self.artifact.cube_count else { return Ok(self.cubes) };
        let mut count = [0; 3];
        for (count, expression) in count.iter_mut().zip(expressions) {
            *count = word(self.evaluate(expression)?)?;
        }
        let all = |count: [u32; 3]| count.map(u128::from).iter().product::<u128>();
        match all(count) <= all(self.cubes) {
            true => Ok(count),
            false => Err(Error::Arguments(format!("{count:?} cubes are more than the requested {:?}", self.cubes))),
        }
    }
}

impl Arguments for DerivedInputs<'_> {
    fn scalar(&self, name: &str) -> Option<u64> {
        match self.named(name)? {
            (ParamKind::Scalar { elem: ElemType::I8 }, Argument::Scalar(bits)) => Some(*bits as i8 as i64 as u64),
            (ParamKind::Scalar { elem: ElemType::I16 }, Argument::Scalar(bits)) => Some(*bits as i16 as i64 as u64),
            (ParamKind::Scalar { elem: ElemType::I32 }, Argument::Scalar(bits)) => Some(*bits as i32 as i64 as u64),
            (ParamKind::Scalar { elem }, Argument::Scalar(bits)) if !elem.is_float() => Some(*bits),
            _ => None,
        }
    }

    fn of(&self, property: Property, name: &str, dimension: u32) -> Option<u64> {
        let (ParamKind::Buffer { elem, line, .. }, Argument::Buffer { bytes, dims }) = self.named(name)? else {
            return None;
        };
        let (elements, line) = ((bytes.len() / elem.size()) as u64, u64::from((*line).max(1)));
        let row = (vec![elements], vec![1]);
        let (shape, strides) = dims.as_ref().unwrap_or(&row);
        let at = |list: &[u64]| list.get(dimension as usize).copied().unwrap_or(0);
        Some(match property {
            Property::Len => shape.iter().fold(1u64, |n, extent| n.saturating_mul(*extent)) / line,
            Property::BufferLen => elements / line,
            Property::Rank => shape.len() as u64,
            Property::Shape => at(shape),
            Property::Stride => at(strides),
            // Each buffer is a separate allocation.
            Property::Offset => 0,
        })
    }

    fn cubes(&self, axis: u32) -> Option<u64> {
        self.cubes.get(axis as usize).map(|count| u64::from(*count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_artifact::{BufferAccess, DerivedParam, Param, Target};

    fn artifact() -> Artifact {
        let buffer = |elem, line, access| ParamKind::Buffer { elem, line, align: 1, access };
        let param = |name: &str, kind| Param { name: name.into(), kind };
        let expression = "len(x)".to_string();
        Artifact {
            kernel: "k".into(),
            entry: "k_".into(),
            target: Target { backend: "wgsl".into(), chip: Some("core".into()) },
            format: CodeFormat::WGSL,
            code: b"fn k_() {}".to_vec(),
            params: vec![
                param("x", buffer(ElemType::F32, 4, BufferAccess::Read)),
                param("n", ParamKind::Scalar { elem: ElemType::I32 }),
                param("y", buffer(ElemType::Bool, 1, BufferAccess::Write)),
            ],
            derived: vec![DerivedParam { name: "lines".into(), elem: ElemType::U32, expression }],
            info: vec![],
            prints: vec![],
            cube_dim: [8, 1, 1],
            cube_count: None,
            checked: true,
            shared_bytes: 0,
            scratch_bytes: 0,
            overwritten: vec![],
            plane_dim: None,
            unit_limit: None,
            first_cubes: None,
            features: vec![],
        }
    }

    fn arguments() -> Vec<Argument> {
        let buffer = |len| Argument::Buffer { bytes: vec![0; len], dims: None };
        vec![buffer(32), Argument::Scalar(0xffff_fffe), buffer(3)]
    }

    #[test]
    fn info_words_are_lengths_then_scalars_then_derived_values() {
        let launch = Launch::of(&artifact(), &arguments(), [2, 3, 4]).unwrap();
        assert_eq!(launch.words, [2, 3, 0xffff_fffe, 2, 0, 0, 0, 0, 2, 3, 4, 1, 0, 2, 6, 24]);
        let writes: Vec<bool> = launch.bindings.iter().map(|b| b.writes).collect();
        assert_eq!((writes, launch.entry.as_str()), (vec![false, true], "k_"));
    }

    #[test]
    fn cube_count_expressions_determine_the_launch() {
        let launch = |x: Option<&str>| {
            let cube_count = x.map(|x| [x.to_string(), "cubes(1)".into(), "1".into()]);
            Launch::of(&Artifact { cube_count, ..artifact() }, &arguments(), [3, 2, 1]).map(|launch| launch.cubes)
        };
        assert_eq!(launch(None), Ok([3, 2, 1]));
        assert_eq!(launch(Some("ceildiv(cubes(0), 2)")), Ok([2, 2, 1]));
        assert!(
            matches!(launch(Some("mul(cubes(0), 2)")), Err(Error::Arguments(why)) if why.contains("[6, 2, 1] cubes are more than the requested [3, 2, 1]"))
        );
        assert!(
            matches!(launch(Some("len(z)")), Err(Error::Arguments(why)) if why.contains("no buffer has the name 'z'"))
        );
    }

    #[test]
    fn unexpected_arguments_are_rejected() {
        let refused = |arguments: &[Argument], words: &str| match Launch::of(&artifact(), arguments, [1; 3]) {
            Err(Error::Arguments(why)) => assert!(why.contains(words), "{why}"),
            other => panic!("{other:?}"),
        };
        refused(&arguments()[..2], "takes 3 arguments, but the launch has 2");
        let swapped: Vec<Argument> = arguments().into_iter().rev().collect();
        refused(&[swapped[1].clone(), swapped[0].clone(), swapped[2].clone()], "x is of another kind");
        let long = [arguments()[0].clone(), Argument::Scalar(1 << 32), arguments()[2].clone()];
        refused(&long, "does not fit into a 32-bit word");
    }

    #[test]
    fn code_of_another_format_is_refused() {
        let ptx = Artifact { format: CodeFormat::PTX, ..artifact() };
        assert!(matches!(Launch::of(&ptx, &arguments(), [1; 3]), Err(Error::Arguments(_))));
    }
}
