//! Legalises every kernel of test/run and examples/kernels for several chips that have no backend. Pins the list
//! of legal kernels, and the reasons why the other kernels are refused.
use cube_fuzz::chips::{differences_on, legal};
use cube_fuzz::judge::Data;
use cube_fuzz::values::elem;
use cube_target::Target;
use std::path::{Path, PathBuf};

fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the checkout");
    let folders = ["test/run", "examples/kernels"].map(|folder| root.join(folder).read_dir().expect("it is there"));
    let files = folders.into_iter().flatten().map(|entry| entry.expect("it can be read").path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "mlir")).collect();
    files.sort();
    files
}

/// The element types that a chip with only 32-bit types lacks. No pass is allowed to add a type that the chip
/// lacks, so legalisation must succeed for a source kernel that uses only types of the chip.
const TYPES: &[&str] = &["i8", "i16", "i64", "f16", "bf16", "tf32", "f64", "f8E4M3FN", "f8E5M2", "i4"];

#[test]
fn a_kernel_is_legal_unless_it_names_a_type_that_the_chip_lacks() {
    let mut wrong = Vec::new();
    for (backend, chip, most) in [
        ("wgsl", "core", 12),
        ("wgsl", "core-f16-subgroups", 10),
        ("spirv", "vulkan1.1", 12),
        ("spirv", "vulkan1.2-full", 1),
    ] {
        let target = Target::known(backend, chip).expect("a chip of the table");
        let mut refused = 0;
        for path in sources() {
            let text = std::fs::read_to_string(&path).expect("a file of the checkout");
            let Err(why) = legal(&text, &target) else { continue };
            refused += 1;
            let lacks =
                TYPES.iter().find(|ty| why.contains(&format!("requires type {ty}, which")) && why.contains("CUBE0412"));
            let named = lacks
                .is_some_and(|ty| text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| ends_with(word, ty)));
            println!("{backend}:{chip} {}: {}", path.display(), why.lines().next().unwrap_or_default());
            if !named {
                wrong.push(format!("{} on {}: {why}", path.display(), target.name()));
            }
        }
        println!("{backend}:{chip}: {refused} of {} are refused", sources().len());
        if refused > most {
            wrong.push(format!("{refused} kernels are refused on {}, more than {most}", target.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a word is a type, alone or after the lanes of a vector: `i8`, `8xi8`.
fn ends_with(word: &str, ty: &str) -> bool {
    word == ty || word.strip_suffix(ty).is_some_and(|lanes| lanes.ends_with('x'))
}

const VIEWS: &str = "
cube.kernel @k(%p: !cube.array<i32>, %x: !cube.array<i32>, %y: !cube.array<i32>, %z: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %six = arith.constant 6 : i32
  %at = arith.muli %i, %six : i32
LOADS  %layout = layout.make #layout.layout<(?,?):(?,?)>(%p0, %p1, %p2, %p3)
  %v = layout.view %x, %layout : !cube.array<i32> -> !layout.view<i32>
  %e = layout.load %v at <(?,?)>(%p4, %p5) : !layout.view<i32> -> i32
  cube.store %e, %y[%i] : i32, !cube.array<i32>
  %f = layout.load %v at <?>(%p4) : !layout.view<i32> -> i32
  cube.store %f, %z[%i] : i32, !cube.array<i32>
  cube.return
}
";

/// Layout offsets that are known only at launch are computed in saturating 32-bit arithmetic. If a product or a sum
/// exceeds 32 bits, the offset is out of bounds, as in 64-bit arithmetic.
#[test]
fn offsets_with_and_without_i64_are_equal() {
    let loads = (0..6).map(|n| {
        format!(
            "  %n{n} = arith.constant {n} : i32\n  %a{n} = arith.addi %at, %n{n} : i32\n  \
             %p{n} = cube.load %p[%a{n}] : !cube.array<i32> -> i32\n"
        )
    });
    let text = VIEWS.replace("LOADS", &loads.collect::<String>());
    let edges = [0u32, 1, 2, 3, 5, 0xffff, 0x1_0000, 0x1_0001, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe];
    let mut state = 0x1a70u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    // Half of the numbers are small, so that many indices are in bounds.
    let numbers: Vec<u32> =
        (0..4096 * 6).map(|_| if random(2) == 0 { random(9) as u32 } else { edges[random(edges.len())] }).collect();
    let data = |name: &str, numbers: Vec<u32>| Data {
        name: name.into(),
        elem: elem("i32"),
        ty: "i32".into(),
        bytes: numbers.iter().flat_map(|n| n.to_le_bytes()).collect(),
        ulp: 0,
    };
    let buffers =
        [data("p", numbers), data("x", (1..65).collect()), data("y", vec![7; 4096]), data("z", vec![7; 4096])];
    for (backend, chip) in [("wgsl", "core"), ("spirv", "vulkan1.1"), ("nvptx", "sm_80")] {
        let target = Target::known(backend, chip).expect("a chip of the table");
        assert_eq!(differences_on(&text, &buffers, 64, &target), Ok(vec![]), "{chip}");
    }
}
