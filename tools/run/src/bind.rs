//! Assigns the arguments `NAME=VALUE` of the command line to the parameters of the kernel.
use crate::args::{Source, source};
use crate::failure::Failure;
use cube_artifact::{Artifact, Param, ParamKind};
use cube_runtime::Scalar;

/// The value of a parameter on the command line.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentValue {
    /// A value.
    Scalar(Scalar),
    /// The source of the content of a buffer: a rule or a file.
    Buffer(Source),
}

/// Finds the parameter of each `NAME=VALUE`, and parses the value as the type of the parameter. A parameter without
/// a value has the entry `None`.
///
/// # Errors
/// A name is unknown or occurs twice, or a value does not have the type of its parameter.
pub fn bind(artifact: &Artifact, values: &[(String, String)]) -> Result<Vec<Option<ArgumentValue>>, Failure> {
    let mut bound: Vec<Option<ArgumentValue>> = vec![None; artifact.params.len()];
    for (name, value) in values {
        let index = position(artifact, name)?;
        if bound[index].is_some() {
            let all: Vec<&str> = values.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_str()).collect();
            return Err(Failure::argument(cube_artifact::diagnostic!(CUBE0608.twice {
                name,
                count: all.len(),
                values: all.join(" and ")
            })));
        }
        let param = &artifact.params[index];
        let given = one(param, value)
            .map_err(|why| Failure::argument(cube_artifact::diagnostic!(CUBE0608.value { name, why })))?;
        bound[index] = Some(given);
    }
    Ok(bound)
}

fn one(param: &Param, value: &str) -> Result<ArgumentValue, String> {
    match param.kind {
        ParamKind::Scalar { elem } => match source(value) {
            Ok(_) => Err(format!(
                "it is a scalar of type {elem}, but '{value}' describes the content of a buffer; pass a number"
            )),
            Err(_) => Ok(ArgumentValue::Scalar(Scalar::parse(elem, value)?)),
        },
        ParamKind::Buffer { .. } => Ok(ArgumentValue::Buffer(source(value)?)),
    }
}

/// Every parameter's value.
///
/// # Errors
/// A parameter has no value. The error names all parameters without a value.
pub fn complete(artifact: &Artifact, bound: Vec<Option<ArgumentValue>>) -> Result<Vec<ArgumentValue>, Failure> {
    let missing: Vec<&Param> =
        artifact.params.iter().zip(&bound).filter(|(_, b)| b.is_none()).map(|(p, _)| p).collect();
    if missing.is_empty() {
        return Ok(bound.into_iter().flatten().collect());
    }
    let names: Vec<&str> = missing.iter().map(|p| p.name.as_str()).collect();
    let options: Vec<String> = missing.iter().map(|p| format!("--arg {}={}", p.name, example(p))).collect();
    Err(Failure::argument(cube_artifact::diagnostic!(CUBE0608.missing {
        kernel: artifact.kernel,
        names: names.join(", "),
        options: options.join(" ")
    })))
}

fn example(param: &Param) -> &'static str {
    match param.kind {
        ParamKind::Buffer { access, .. } if access.writes() => "zeros:LEN",
        ParamKind::Buffer { .. } => "FILE.npy",
        ParamKind::Scalar { elem: cube_artifact::ElemType::Bool } => "true",
        ParamKind::Scalar { elem } if elem.is_float() => "0.5",
        ParamKind::Scalar { .. } => "1",
    }
}

/// The index of the parameter `name`.
///
/// # Errors
/// The name is unknown. The error suggests a similar name.
pub fn position(artifact: &Artifact, name: &str) -> Result<usize, Failure> {
    let names = || artifact.params.iter().map(|p| p.name.as_str());
    names().position(|known| known == name).ok_or_else(|| {
        let hint = cube_artifact::suggestion(name, names()).map(|s| format!("; did you mean {s}?")).unwrap_or_default();
        let known: Vec<&str> = names().collect();
        let known = if known.is_empty() {
            "remove the option, as the kernel has no parameters".to_string()
        } else {
            format!("choose one of {}", known.join(", "))
        };
        Failure::argument(cube_artifact::diagnostic!(CUBE0608.unknown { kernel: artifact.kernel, name, known, hint }))
    })
}

/// The index of the buffer parameter `name`, for an option that requires a buffer.
///
/// # Errors
/// The name is unknown, or is the name of a scalar parameter.
pub fn buffer(artifact: &Artifact, option: &str, name: &str) -> Result<usize, Failure> {
    let index = position(artifact, name)?;
    match artifact.params[index].kind {
        ParamKind::Buffer { .. } => Ok(index),
        ParamKind::Scalar { elem } => {
            Err(Failure::argument(cube_artifact::diagnostic!(CUBE0608.scalar { option, name, elem })))
        }
    }
}

/// The number of cubes that covers the largest written buffer, and the reason for this number. `shapes` are the shapes
/// of the buffers, in elements.
///
/// If cubes have several units along y, the first dimension of a buffer is covered along y (rows) and the
/// second dimension along x (columns), as in a picture.
pub fn default_cube_count(artifact: &Artifact, shapes: &[Option<Vec<u64>>]) -> Result<([u32; 3], String), Failure> {
    let [dim_x, dim_y, dim_z] = artifact.cube_dim.map(u64::from);
    let mut largest: Option<(u64, &str, &[u64])> = None;
    for (param, shape) in artifact.params.iter().zip(shapes) {
        let (ParamKind::Buffer { line, access, .. }, Some(shape)) = (&param.kind, shape) else { continue };
        let lines = shape.iter().product::<u64>() / u64::from(*line);
        if access.writes() && largest.is_none_or(|(most, ..)| lines > most) {
            largest = Some((lines, &param.name, shape));
        }
    }
    let Some((lines, name, shape)) = largest else { return Ok(([1, 1, 1], "no buffer is written".into())) };
    let (count, why) = match *shape {
        [height, width, ..] if dim_y > 1 => {
            ([width.div_ceil(dim_x), height.div_ceil(dim_y)], format!("covers the {width} x {height} of {name}"))
        }
        _ => ([lines.div_ceil(dim_x * dim_y * dim_z), 1], format!("covers the {lines} lines of {name}")),
    };
    let too_many = || Failure::argument(cube_artifact::diagnostic!(CUBE0608.cubes { name, lines }));
    let side = |n: u64| u32::try_from(n).map_err(|_| too_many());
    Ok(([side(count[0])?, side(count[1])?, 1], why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_artifact::{BufferAccess, CodeFormat, ElemType, Target};

    fn buffer_of(name: &str, line: u32, access: BufferAccess) -> Param {
        Param { name: name.into(), kind: ParamKind::Buffer { elem: ElemType::F32, line, align: 1, access } }
    }

    fn kernel() -> Artifact {
        Artifact {
            kernel: "scale".into(),
            entry: "scale".into(),
            target: Target::cpu(),
            format: CodeFormat::ELF_OBJECT,
            code: vec![0],
            params: vec![
                buffer_of("x", 1, BufferAccess::Read),
                buffer_of("y", 4, BufferAccess::Write),
                Param { name: "factor".into(), kind: ParamKind::Scalar { elem: ElemType::F32 } },
            ],
            derived: vec![],
            info: vec![],
            cube_dim: [32, 1, 1],
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
        }
    }

    fn values(list: &[&str]) -> Vec<(String, String)> {
        list.iter().map(|v| crate::args::pair("--arg", v).unwrap()).collect()
    }

    fn refused(list: &[&str]) -> String {
        bind(&kernel(), &values(list)).unwrap_err().to_string()
    }

    #[test]
    fn values_find_their_parameters_in_any_order() {
        let bound = bind(&kernel(), &values(&["factor=-2e3", "y=zeros:8", "x=a.npy"])).unwrap();
        let all = complete(&kernel(), bound).unwrap();
        assert_eq!(all[0], ArgumentValue::Buffer(Source::Npy("a.npy".into())));
        assert_eq!(all[2], ArgumentValue::Scalar(Scalar::F32(-2000.0)));
    }

    #[test]
    fn unknown_double_and_missing_names_are_distinguished() {
        assert_eq!(
            refused(&["facter=1"]),
            "error[CUBE0608]: kernel scale has no parameter facter; choose one of x, y, factor; did you mean factor?"
        );
        assert!(!refused(&["velocity=1"]).contains("did you mean"));
        assert_eq!(
            refused(&["x=zeros:1", "factor=2", "x=ones:1"]),
            "error[CUBE0608]: parameter x is given 2 times (zeros:1 and ones:1); keep one --arg x=VALUE"
        );
        let missing = complete(&kernel(), bind(&kernel(), &[]).unwrap()).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "error[CUBE0608]: kernel scale needs a value for x, y, factor; add --arg x=FILE.npy --arg y=zeros:LEN --arg factor=0.5"
        );
    }

    #[test]
    fn scalars_and_buffers_are_not_mixed_up() {
        assert_eq!(
            refused(&["factor=zeros:4"]),
            "error[CUBE0608]: parameter factor: it is a scalar of type f32, but 'zeros:4' describes the content of a buffer; pass a number"
        );
        assert!(refused(&["factor=two"]).contains("parameter factor: 'two' is not a value of type f32"));
        assert!(refused(&["x=2"]).contains("parameter x: '2' is not a content for a buffer"));
        let error = buffer(&kernel(), "--out", "factor").unwrap_err().to_string();
        assert!(error.contains("--out factor: the parameter is a scalar of type f32"), "{error}");
        assert_eq!(buffer(&kernel(), "--out", "y").unwrap(), 1);
    }

    #[test]
    fn the_default_cube_count_covers_the_largest_written_buffer() {
        let count = |dim: [u32; 3], shape: &[u64]| {
            let artifact = Artifact { cube_dim: dim, ..kernel() };
            // x is larger, but the kernel only reads it.
            default_cube_count(&artifact, &[Some(vec![1 << 40]), Some(shape.to_vec()), None])
        };
        assert_eq!(count([32, 1, 1], &[128]).unwrap(), ([1, 1, 1], "covers the 32 lines of y".into()));
        assert_eq!(count([32, 1, 1], &[132]).unwrap().0, [2, 1, 1]);
        assert_eq!(count([32, 1, 1], &[0]).unwrap().0, [0, 1, 1]);
        assert_eq!(count([16, 8, 1], &[480, 640, 3]).unwrap(), ([40, 60, 1], "covers the 640 x 480 of y".into()));
        assert_eq!(count([16, 8, 1], &[4096]).unwrap().0, [8, 1, 1]);
        assert!(count([1, 1, 1], &[1 << 40]).unwrap_err().to_string().contains("set --cube-count"));
        assert_eq!(default_cube_count(&kernel(), &[None, None, None]).unwrap().0, [1, 1, 1]);
    }
}
