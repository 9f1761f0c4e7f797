//! Tests launches of handwritten code. Each kind of failure has its own error, and no failure ends the program.
//! Without an adapter, each test is skipped.
#![forbid(unsafe_code)]
use cube_vulkan_test::{Binding, Code, Error, Gpu, Launch, float_controls};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::process::ExitCode;

type Check = fn(&Gpu) -> Result<(), Failed>;

const CHECKS: &[(&str, Check)] = &[
    ("a launch adds one, and empty buffers are allowed", adds),
    ("the words of SPIR-V run as the text does", passes_words_through),
    ("x - x of an infinite x is NaN under float controls", keeps_nan),
    ("text that is not WGSL is refused", text),
    ("a missing entry point is refused", entry),
    ("a store to a read-only binding is refused", read_only),
    ("a missing feature is named", feature),
    ("limits are named with their numbers", limits),
    ("a store behind the end is found", overrun),
    ("a lost device stays lost", lost),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = |(name, check): &(&'static str, Check)| {
        let check = *check;
        Trial::ignorable_test(*name, move || match Gpu::open() {
            Ok(gpu) => check(&gpu).map(|()| Completion::Completed),
            Err(Error::NoAdapter) => Ok(Completion::ignored_with(Error::NoAdapter.to_string())),
            Err(other) => Err(other.into()),
        })
    };
    libtest_mimic::run(&arguments, CHECKS.iter().map(trial).collect()).exit_code()
}

const ADD: &str = "
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
struct Words { len_x: u32, len_y: u32 }
@group(0) @binding(2) var<uniform> words: Words;
@compute @workgroup_size(4) fn k(@builtin(global_invocation_id) id: vec3<u32>) {
  if id.x < words.len_y { y[id.x] = x[id.x] + 1u; }
}";

fn launch(text: &str) -> Launch {
    let x = (0..8u32).flat_map(u32::to_le_bytes).collect();
    Launch {
        code: Code::Wgsl(text.into()),
        entry: "k".into(),
        first: None,
        features: vec![],
        cube_dim: [4, 1, 1],
        shared_bytes: 0,
        bindings: vec![Binding { bytes: x, writes: false }, Binding { bytes: vec![0; 24], writes: true }],
        words: vec![8, 6],
        cubes: [2, 1, 1],
    }
}

fn expect<T: PartialEq + std::fmt::Debug + ?Sized>(actual: &T, expected: &T) -> Result<(), Failed> {
    if actual == expected { Ok(()) } else { Err(format!("{actual:?}, and not {expected:?}").into()) }
}

fn sums(count: u32) -> Vec<u8> {
    (1..=count).flat_map(u32::to_le_bytes).collect()
}

fn adds(gpu: &Gpu) -> Result<(), Failed> {
    let mut launch = launch(ADD);
    expect(&gpu.run(&launch)?[1], &sums(6))?;
    launch.cubes = [0, 1, 1];
    expect(&gpu.run(&launch)?[1], &vec![0; 24])?;
    launch.bindings[1].bytes.clear();
    (launch.words[1], launch.cubes) = (0, [1, 1, 1]);
    expect(&gpu.run(&launch)?[1], &vec![])
}

fn words_of(text: &str) -> Result<Vec<u32>, Failed> {
    let module = naga::front::wgsl::parse_str(text)?;
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    let info = validator.validate(&module).map_err(|e| e.to_string())?;
    let options = naga::back::spv::Options::default();
    Ok(naga::back::spv::write_vec(&module, &info, &options, None)?)
}

fn passes_words_through(gpu: &Gpu) -> Result<(), Failed> {
    let code = Code::Spirv(words_of(ADD)?);
    expect(&gpu.run(&Launch { code, ..launch(ADD) })?[1], &sums(6))
}

/// In WGSL, the expression `x - x` can return 0 for a NaN `x`, for example with lavapipe of Mesa 22.3.
fn keeps_nan(gpu: &Gpu) -> Result<(), Failed> {
    let text = ADD.replace("x[id.x] + 1u", "bitcast<u32>(bitcast<f32>(x[id.x]) - bitcast<f32>(x[id.x]))");
    let mut launch = launch(&text);
    launch.bindings[0].bytes = [f32::INFINITY, 1.0, f32::NAN, -0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    launch.bindings[1].bytes = vec![0xff; 16];
    launch.words = vec![4, 4];
    let is_nan = |bytes: &[u8]| -> Vec<bool> {
        bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word).is_nan()).collect()
    };
    launch.code = float_controls(&text, "k")?;
    expect(&is_nan(&gpu.run(&launch)?[1]), &vec![true, false, true, false])
}

fn refused(gpu: &Gpu, launch: &Launch, words: &str) -> Result<(), Failed> {
    match gpu.run(launch) {
        Err(Error::Invalid(why)) if why.contains(words) => Ok(()),
        other => Err(format!("{other:?}, and not a refusal with `{words}`").into()),
    }
}

fn text(gpu: &Gpu) -> Result<(), Failed> {
    refused(gpu, &launch("fn k( {"), "expected")?;
    // The device still works.
    adds(gpu)
}

fn entry(gpu: &Gpu) -> Result<(), Failed> {
    refused(gpu, &Launch { entry: "other".into(), ..launch(ADD) }, "entry point")
}

fn read_only(gpu: &Gpu) -> Result<(), Failed> {
    let mut launch = launch(ADD);
    launch.bindings[1].writes = false;
    refused(gpu, &launch, "doesn't match the shader")
}

fn feature(gpu: &Gpu) -> Result<(), Failed> {
    let launch = Launch { features: vec!["cooperative-fish".into()], ..launch(ADD) };
    expect(&gpu.run(&launch), &Err(Error::MissingFeature("cooperative-fish".into())))
}

fn limits(gpu: &Gpu) -> Result<(), Failed> {
    let named = |launch: Launch, name: &str, needed: u64| match gpu.run(&launch) {
        Err(Error::Limit { name: reported, needed: n, limit }) if reported == name && n == needed && limit < needed => {
            Ok(())
        }
        other => Err(Failed::from(format!("{other:?}, and not the limit {name}"))),
    };
    let most = u32::MAX;
    named(Launch { cubes: [1, most, 1], ..launch(ADD) }, "maxComputeWorkgroupsPerDimension", most.into())?;
    named(Launch { shared_bytes: most, ..launch(ADD) }, "maxComputeWorkgroupStorageSize", most.into())?;
    named(Launch { cube_dim: [1 << 20, 1, 1], ..launch(ADD) }, "maxComputeInvocationsPerWorkgroup", 1 << 20)
}

fn overrun(gpu: &Gpu) -> Result<(), Failed> {
    let text = ADD.replace("if id.x < words.len_y ", "");
    let mut launch = launch(&text);
    expect(&gpu.run(&launch), &Err(Error::Overrun { binding: 1 }))?;
    launch.cubes = [1, 1, 1];
    expect(&gpu.run(&launch)?[1][..16], &sums(4)[..])
}

fn lost(gpu: &Gpu) -> Result<(), Failed> {
    gpu.lose();
    for _ in 0..2 {
        match gpu.run(&launch(ADD)) {
            Err(Error::Lost(_)) => {}
            other => return Err(format!("{other:?}, and not a lost device").into()),
        }
    }
    Ok(())
}
