//! The compiler refuses atomics that the chip's description does not list for the operation, element type and
//! memory space.
use cube_backend::lacks_form;
use cube_ir::Session;
use cube_target::{Element, Target};

const OPERATIONS: &[(&str, &str)] = &[
    ("load", "%r = cube.atomic_load %m[%i] : B -> T"),
    ("store", "cube.atomic_store %v, %m[%i] : T, B"),
    ("cas", "%r = cube.atomic_cas %v, %v, %m[%i] : T, B"),
    ("exchange", "%r = cube.atomic_rmw exchange %v, %m[%i] : T, B"),
    ("add", "%r = cube.atomic_rmw KIND %v, %m[%i] : T, B"),
    ("max", "%r = cube.atomic_rmw MOST %v, %m[%i] : T, B"),
];

/// The refused atomic operations on an element type in a memory space, and the reason for the last refusal.
fn refused(target: &Target, ty: &str, space: &str) -> (Vec<&'static str>, String) {
    cube_driver::register();
    let (mut names, mut last) = (Vec::new(), String::new());
    let (kind, most) = if ty.starts_with('i') { ("addi", "maxui") } else { ("addf", "maxf") };
    for (name, text) in OPERATIONS {
        let (buffer, made) = match space {
            "global" => (format!("!cube.array<{ty}>"), String::new()),
            _ => (format!("!cube.{space}<8 x {ty}>"), format!("  %m = cube.alloc : !cube.{space}<8 x {ty}>\n")),
        };
        let parameter = if space == "global" { "%m" } else { "%x" };
        let text = text.replace("KIND", kind).replace("MOST", most).replace('B', &buffer).replace('T', ty);
        let text = format!(
            "cube.kernel @k({parameter}: !cube.array<{ty}>, %v: {ty}) {{\n  %i = arith.constant 0 : i32\n{made}  {text}\n  cube.return\n}}\n"
        );
        let session = Session::new();
        let module = session.parse(text.as_bytes(), "<input>").unwrap_or_else(|e| panic!("{e:?}: {text}"));
        if let Some(why) = module.op().walk().into_iter().find_map(|op| lacks_form(op, target)) {
            names.push(*name);
            last = why;
        }
    }
    (names, last)
}

fn known(backend: &str, chip: &str) -> Target {
    Target::known(backend, chip).expect("a chip of the table")
}

#[test]
fn shading_languages_have_the_atomics_that_they_list() {
    let wgsl = known("wgsl", "core-f16");
    for space in ["global", "shared"] {
        assert_eq!(refused(&wgsl, "i32", space).0, [""; 0]);
        // WGSL supports these atomics by compare-exchange loops on the bits of a word.
        assert_eq!(refused(&wgsl, "f32", space).0, [""; 0]);
        let (names, why) = refused(&wgsl, "f16", space);
        assert_eq!(names, ["load", "store", "cas", "exchange", "add", "max"]);
        assert_eq!(
            why,
            format!("the description of the chip lists no atomic minima and maxima of f16 in {space} memory")
        );
    }
    let mut chip = known("spirv", "vulkan1.2-full");
    assert_eq!(refused(&chip, "i64", "global").0, [""; 0]);
    assert_eq!(refused(&chip, "f64", "global").0, [""; 0]);
    assert_eq!(refused(&chip, "f16", "global").0.len(), 6);
    assert_eq!(refused(&known("spirv", "vulkan1.2"), "i64", "global").0.len(), 6);
    // A chip with sums and exchanges of f32 in device memory, as VK_EXT_shader_atomic_float has them.
    chip.atomics.remove(&Element::F32);
    chip.shared_atomics = Some(chip.atomics.clone());
    chip.atomics.insert(Element::F32, vec![cube_target::AtomicOperation::Add, cube_target::AtomicOperation::Exchange]);
    assert_eq!(refused(&chip, "f32", "global").0, ["cas", "max"]);
    assert_eq!(refused(&chip, "f32", "shared").0.len(), 6);
}

/// LLVM expands an atomic on a narrow number to a compare-exchange loop on the surrounding word.
#[test]
fn targets_of_llvm_have_all_atomics() {
    for (backend, chip) in [("cpu", "native"), ("nvptx", "sm_70"), ("amdgpu", "gfx942"), ("amdgpu", "gfx1100")] {
        for ty in ["i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"] {
            for space in ["global", "shared", "local"] {
                assert_eq!(refused(&known(backend, chip), ty, space).0, [""; 0], "{ty} in {space} memory of {chip}");
            }
        }
    }
    let mut without = known("nvptx", "sm_70");
    without.atomics.remove(&Element::I64);
    assert_eq!(refused(&without, "f64", "global").0, ["max"], "f64 keeps what it lists");
    assert_eq!(refused(&without, "f32", "global").0, [""; 0]);
}
