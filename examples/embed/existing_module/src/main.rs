//! A compiler with its own MLIR context and module, which uses Cube to generate code.
use cube_artifact::{CompileOptions, Compiler, ElemType, Target};
use cube_driver::melior::{
    Context,
    dialect::DialectRegistry,
    ir::Module,
    utility::register_all_dialects,
};
use cube_driver::{Driver, register_into};
use cube_runtime::{Arg, Device, Init};
use cube_runtime_cpu::CpuDevice;
use std::error::Error;

// Represents a module that the other compiler builds. `mix` squares a number and adds three, in wrapping
// integers.
const BUILT: &str = r#"
cube.kernel @mix(%x: !cube.array<i32> {cube.host = "u32"}) cube_dim(32) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %square = arith.muli %v, %v : i32
  %three = arith.constant 3 : i32
  %r = arith.addi %square, %three : i32
  cube.store %r, %x[%i] : i32, !cube.array<i32>
  cube.return
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    register_into(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    let module = Module::parse(&context, BUILT).ok_or("the module does not parse")?;
    let before = module.as_operation().to_string();

    let (target, options) = (Target::cpu(), CompileOptions::default());
    let artifact = Driver.compile_mlir(&module, &target, &options)?;
    assert_eq!(module.as_operation().to_string(), before, "the module is only read");
    // The same module as bytes, from a file or from a trusted process. The compiler accepts bytecode of MLIR 22 like
    // text.
    let bytecode = cube_driver::bytecode_of(&module);
    assert_eq!(Driver.compile(&bytecode, &target, &options)?.to_bytes(), artifact.to_bytes());

    let device = CpuDevice::new(&cube_artifact::Variables::of_process())?;
    let x = device.alloc(4 * 100, Init::Zero)?;
    device.write(&x, 0, &(0u32..100).flat_map(u32::to_le_bytes).collect::<Vec<u8>>())?;
    // Four cubes of 32 units have 28 more units than elements. The checked accesses of these units do
    // nothing.
    device.launch(&artifact, &[Arg::buffer(&x, ElemType::U32)], [4, 1, 1])?;
    let mut bytes = vec![0; 4 * 100];
    device.read(&x, 0, &mut bytes)?;
    let output: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("four"))).collect();
    assert!(output.iter().zip(0u32..).all(|(y, x)| *y == x * x + 3));
    println!("{}: compiled out of a foreign context; 99 * 99 + 3 = {}", artifact.kernel, output[99]);
    Ok(())
}
