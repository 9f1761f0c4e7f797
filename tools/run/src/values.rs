//! Converts the arguments of the command line to arrays on the host.
use crate::args::{FillShape, Source};
use crate::bind::ArgumentValue;
use crate::failure::Failure;
use cube_artifact::{Artifact, ElemType, Param, ParamKind};
use cube_runtime::hostdata::{Fill, HostArray, npy, png};
use cube_runtime::{DeviceProperties, Scalar};

/// The value of one parameter.
#[derive(Clone)]
pub enum Value {
    Scalar(Scalar),
    /// The content of a buffer before the launch.
    Buffer(HostArray),
}

impl Value {
    /// Number of bytes of a buffer; 0 for a scalar.
    pub fn bytes(&self) -> u64 {
        match self {
            Value::Buffer(array) => array.bytes().len() as u64,
            Value::Scalar(_) => 0,
        }
    }

    /// The shape of a buffer; `None` for a scalar.
    pub fn shape(&self) -> Option<Vec<u64>> {
        match self {
            Value::Buffer(array) => Some(array.shape().to_vec()),
            Value::Scalar(_) => None,
        }
    }
}

/// Reads or generates the arrays of all buffers.
///
/// # Errors
/// A file cannot be read, or its element type differs from the buffer's element type. The size of a buffer is
/// not a multiple of the line size, or exceeds the memory of the device.
pub fn load(artifact: &Artifact, given: &[ArgumentValue], device: &DeviceProperties) -> Result<Vec<Value>, Failure> {
    let mut values: Vec<Option<Value>> = Vec::new();
    for (param, given) in artifact.params.iter().zip(given) {
        values.push(match given {
            ArgumentValue::Scalar(scalar) => Some(Value::Scalar(*scalar)),
            ArgumentValue::Buffer(Source::Fill(_, FillShape::Like(_))) => None,
            ArgumentValue::Buffer(Source::Fill(fill, FillShape::ArgumentValue(shape))) => {
                Some(filled(param, *fill, shape, device)?)
            }
            ArgumentValue::Buffer(source) => Some(Value::Buffer(file(param, source)?)),
        });
    }
    for (index, given) in given.iter().enumerate() {
        if let ArgumentValue::Buffer(Source::Fill(fill, FillShape::Like(name))) = given {
            let param = &artifact.params[index];
            let shape = like(artifact, &values, param, name)?;
            values[index] = Some(filled(param, *fill, &shape, device)?);
        }
    }
    let values: Vec<Value> = values.into_iter().flatten().collect();
    for (param, value) in artifact.params.iter().zip(&values) {
        whole_lines(param, value)?;
    }
    Ok(values)
}

fn elem(param: &Param) -> ElemType {
    match param.kind {
        ParamKind::Buffer { elem, .. } | ParamKind::Scalar { elem } => elem,
    }
}

// The shape of another buffer whose shape is given.
fn like(artifact: &Artifact, values: &[Option<Value>], param: &Param, name: &str) -> Result<Vec<u64>, Failure> {
    let other = crate::bind::buffer(artifact, &format!("--arg {} takes its length from", param.name), name)?;
    match values[other].as_ref().and_then(Value::shape) {
        Some(shape) => Ok(shape),
        None => Err(Failure::argument(cube_artifact::diagnostic!(CUBE0608.length { name: param.name, other: name }))),
    }
}

fn filled(param: &Param, fill: Fill, shape: &[u64], device: &DeviceProperties) -> Result<Value, Failure> {
    let elem = elem(param);
    let bytes = shape.iter().try_fold(elem.size() as u64, |bytes, n| bytes.checked_mul(*n));
    // The buffer exists once on the host and once on the device.
    if bytes.is_none_or(|bytes| bytes > device.memory_bytes / 2) && !shape.contains(&0) {
        return Err(Failure::argument(cube_artifact::diagnostic!(CUBE0608.memory {
            name: param.name,
            shape: format!("{shape:?}"),
            elem,
            bytes: device.memory_bytes
        })));
    }
    Ok(Value::Buffer(fill.array(elem, shape.to_vec())?))
}

fn file(param: &Param, source: &Source) -> Result<HostArray, Failure> {
    let elem = elem(param);
    match source {
        Source::Npy(file) => Ok(npy::read_as(file, elem)?),
        Source::Png(file) => match elem {
            ElemType::U8 => Ok(png::read(file)?),
            ElemType::F32 => Ok(png::to_f32(&png::read(file)?)?),
            elem => Err(Failure::argument(cube_artifact::diagnostic!(CUBE0608.picture { name: param.name, elem }))),
        },
        Source::Fill(..) => unreachable!("rules are handled where their shapes are known"),
    }
}

fn whole_lines(param: &Param, value: &Value) -> Result<(), Failure> {
    let (ParamKind::Buffer { line, .. }, Value::Buffer(array)) = (&param.kind, value) else { return Ok(()) };
    if array.len().is_multiple_of(*line as usize) {
        return Ok(());
    }
    Err(Failure::argument(cube_artifact::diagnostic!(CUBE0608.lines {
        name: param.name,
        elements: array.len(),
        line
    })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{args::pairs, bind};
    use cube_artifact::{BufferAccess, CodeFormat, Target};
    use cube_runtime::Device;

    fn param(name: &str, elem: ElemType, line: u32) -> Param {
        Param { name: name.into(), kind: ParamKind::Buffer { elem, line, align: 1, access: BufferAccess::ReadWrite } }
    }

    fn load_all(params: Vec<Param>, list: &[&str]) -> Result<Vec<Value>, String> {
        let artifact = Artifact {
            kernel: "k".into(),
            entry: "k".into(),
            target: Target::cpu(),
            format: CodeFormat::ELF_OBJECT,
            code: vec![0],
            params,
            derived: vec![],
            info: vec![],
            cube_dim: [1; 3],
            checked: true,
            shared_bytes: 0,
            scratch_bytes: 0,
            prints: vec![],
            overwritten: vec![],
            plane_dim: None,
            cube_count: None,
            unit_limit: None,
            first_cubes: None,
            features: vec![],
        };
        let list: Vec<String> = list.iter().map(|v| v.to_string()).collect();
        let given = bind::complete(&artifact, bind::bind(&artifact, &pairs("--arg", &list).unwrap()).unwrap()).unwrap();
        let device = cube_runtime_cpu::CpuDevice::with_threads(1);
        load(&artifact, &given, device.properties()).map_err(|e| e.to_string())
    }

    #[test]
    fn fill_rules_use_the_parameter_type_and_another_shape() {
        let params = || vec![param("x", ElemType::I8, 1), param("y", ElemType::F64, 3)];
        let values = load_all(params(), &["x=iota:y", "y=zeros:2x3"]).unwrap();
        let Value::Buffer(x) = &values[0] else { panic!("a buffer") };
        assert_eq!((x.elem(), x.shape(), x.bytes()), (ElemType::I8, &[2, 3][..], &[0, 1, 2, 3, 4, 5][..]));
        let error = load_all(params(), &["x=iota:y", "y=zeros:x"]).err().unwrap();
        assert!(error.contains("parameter x takes its length from y, but y has no length"), "{error}");
        let error = load_all(params(), &["x=iota:z", "y=zeros:3"]).err().unwrap();
        assert!(error.contains("kernel k has no parameter z"), "{error}");
    }

    #[test]
    fn lengths_are_whole_lines_within_memory() {
        let error = load_all(vec![param("x", ElemType::F32, 4)], &["x=zeros:10"]).err().unwrap();
        assert!(error.contains("parameter x: 10 elements are not a whole number of lines with 4 elements"), "{error}");
        for shape in ["1000000000000", "4294967296x4294967296x4294967296"] {
            let error = load_all(vec![param("x", ElemType::F32, 1)], &[&format!("x=zeros:{shape}")]).err().unwrap();
            assert!(error.contains("exceeds half of this machine's"), "{error}");
        }
        assert!(load_all(vec![param("x", ElemType::F32, 4)], &["x=zeros:0"]).is_ok());
    }

    #[test]
    fn pictures_fill_bytes_and_floats_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.png");
        png::write(&file, &HostArray::new(ElemType::U8, vec![1, 2], vec![0, 255]).unwrap()).unwrap();
        let of = |elem| load_all(vec![param("x", elem, 1)], &[&format!("x={}", file.display())]);
        let Value::Buffer(floats) = &of(ElemType::F32).unwrap()[0] else { panic!("a buffer") };
        assert_eq!((floats.shape(), floats.bytes()), (&[1, 2, 1][..], &[0, 0, 0, 0, 0, 0, 0x80, 0x3f][..]));
        let error = of(ElemType::I32).err().unwrap();
        assert!(error.contains("a picture requires a buffer of u8 or f32, not of i32"), "{error}");
    }
}
