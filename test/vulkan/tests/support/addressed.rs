//! Launches of kernels that access buffers by addresses. The runtime launches them, because only the runtime creates
//! buffers with addresses.
use cube_artifact::{Artifact, CompileOptions, Compiler, ParamKind};
use cube_backend_interp::Arg;
use cube_driver::Driver;
use cube_runtime::{Buffer, Device, Dims, ErrorKind, Init, RuntimeError, Scalar};
use cube_runtime_wgpu::{Options, WgpuDevice};
use cube_vulkan_test::GUARD;
use libtest_mimic::Failed;
use std::sync::OnceLock;

/// Whether the kernel accesses buffers by addresses.
pub fn is_addressed(artifact: &Artifact) -> bool {
    artifact.features.iter().any(|name| name == "buffer-device-address")
}

/// The device, which has no bindings for buffers.
pub fn device() -> Result<&'static WgpuDevice, String> {
    static DEVICE: OnceLock<Result<WgpuDevice, RuntimeError>> = OnceLock::new();
    let options = Options { addresses: true, ..Options::default() };
    DEVICE.get_or_init(|| WgpuDevice::open(&options)).as_ref().map_err(ToString::to_string)
}

/// Launches the kernel, and returns the contents of its buffers. The inner error is a limit of the device.
pub fn run(artifact: &Artifact, args: &[Arg], cubes: [u32; 3]) -> Result<Result<Vec<Vec<u8>>, String>, String> {
    match launched(device()?, artifact, args, cubes) {
        Ok(buffers) => Ok(Ok(buffers)),
        Err(error) if error.kind == ErrorKind::DeviceLimit => Ok(Err(error.to_string())),
        Err(error) => Err(error.to_string()),
    }
}

fn launched(
    device: &WgpuDevice,
    artifact: &Artifact,
    args: &[Arg],
    cubes: [u32; 3],
) -> Result<Vec<Vec<u8>>, RuntimeError> {
    let (mut given, mut buffers): (Vec<cube_runtime::Arg>, Vec<Buffer>) = Default::default();
    for (param, arg) in artifact.params.iter().zip(args) {
        match (&param.kind, arg) {
            (ParamKind::Scalar { elem }, Arg::Scalar(bits)) => {
                let scalar = Scalar::from_bytes(*elem, &bits.to_le_bytes()[..elem.size()]);
                given.push(scalar.map_err(RuntimeError::user)?.into());
            }
            (ParamKind::Buffer { elem, .. }, Arg::Buffer { bytes, .. } | Arg::Tensor { bytes, .. }) => {
                let whole = device.alloc((bytes.len() + GUARD) as u64, Init::Any)?;
                device.write(&whole, 0, &[bytes.as_slice(), &[0xa5; GUARD]].concat())?;
                let mut own = cube_runtime::Arg::buffer(&whole.slice(0..bytes.len() as u64)?, *elem);
                if let Arg::Tensor { shape, strides, .. } = arg {
                    own = own.with_dims(Dims::tensor(shape, strides));
                }
                given.push(own);
                buffers.push(whole);
            }
            _ => return Err(RuntimeError::user(format!("the argument {} is of another kind", param.name))),
        }
    }
    device.launch(artifact, &given, cubes)?;
    let read = |whole: &Buffer| {
        let mut bytes = vec![0; whole.size() as usize];
        device.read(whole, 0, &mut bytes)?;
        match bytes.split_off(bytes.len() - GUARD) == [0xa5; GUARD] {
            true => Ok(bytes),
            false => Err(RuntimeError::user("the kernel changed bytes after the end of a buffer")),
        }
    };
    buffers.iter().map(read).collect()
}

/// A kernel that adds the elements of `count` buffers, and its arguments.
pub fn sum_of(count: usize) -> (String, Vec<Arg>) {
    let names = || (0..count).map(|number| format!("%x{number}"));
    let params: String = names().map(|name| format!("{name}: !cube.array<i32>, ")).collect();
    let mut text = format!("cube.kernel @sum({params}%y: !cube.array<i32>) cube_dim(64) {{\n");
    text += "  %i = cube.topology absolute_pos\n  %s = arith.constant 0 : i32\n";
    let mut sum = "%s".to_string();
    for (number, name) in names().enumerate() {
        text += &format!("  %v{number} = cube.load {name}[%i] : !cube.array<i32> -> i32\n");
        text += &format!("  %s{number} = arith.addi {sum}, %v{number} : i32\n");
        sum = format!("%s{number}");
    }
    text += &format!("  cube.store {sum}, %y[%i] : i32, !cube.array<i32>\n  cube.return\n}}\n");
    // The buffers have different lengths, so that some accesses are beyond the end.
    let words = |number: usize, len: usize| (0..len).flat_map(move |at| ((number * 1000 + at) as i32).to_le_bytes());
    let buffer = |number, len| Arg::Buffer { bytes: words(number, len).collect(), initialised: true };
    (text, (0..count).map(|number| buffer(number, 100 + number)).chain([buffer(0, 130)]).collect())
}

/// Adds 1 to each element of a buffer above `maxStorageBufferBindingSize`, as one launch.
pub fn large_buffer() -> Result<(), Failed> {
    let device = device()?;
    let most = device.parts().device.limits().max_storage_buffer_binding_size;
    let bytes = (most + 4096).next_multiple_of(4096);
    if bytes > 3 << 30 {
        return Err(format!("this test needs {bytes} bytes").into());
    }
    let text = "cube.kernel @add(%x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %one = arith.constant 1 : i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %w = arith.addi %v, %one : i32
  cube.store %w, %x[%i] : i32, !cube.array<i32>
  cube.return
}";
    let artifact = Driver.compile(text.as_bytes(), device.target(), &CompileOptions::default())?;
    let x = device.alloc(bytes, Init::Zero)?;
    let cubes = u32::try_from(bytes / 4 / 64)?;
    let args = [cube_runtime::Arg::buffer(&x, cube_artifact::ElemType::I32)];
    (0..2).try_for_each(|_| device.launch(&artifact, &args, [cubes, 1, 1]))?;
    let mut words = vec![0; bytes as usize];
    device.read(&x, 0, &mut words)?;
    let wrong = words.as_chunks().0.iter().position(|word| i32::from_le_bytes(*word) != 2);
    wrong.map_or(Ok(()), |at| Err(format!("element {at} of {} is wrong", bytes / 4).into()))
}
