//! Runs the programs of `examples/rust` on wgpu, with WGSL and with SPIR-V. Each program compares its results with
//! the results of plain Rust code. A table lists each program that requires a missing feature, with the message of
//! the refusal. Without an adapter each test is skipped with the reason.
// External programs use this crate name.
extern crate cubecl as cube;

use cube::prelude::*;
use cube::wgpu::{PLANES_VARIABLE, WgpuCode, WgpuDevice, WgpuRuntime, with_code};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::panic::catch_unwind;
use std::process::ExitCode;

macro_rules! programs {
    ($($name:ident $file:literal $run:expr),* $(,)?) => {
        $(#[path = $file] #[allow(dead_code, unused_imports)] mod $name;)*
        const PROGRAMS: &[(&str, fn(&WgpuDevice))] = &[$((stringify!($name), $run)),*];
    };
}

programs! {
    comptime "../../../examples/rust/comptime.rs" comptime::run::<WgpuRuntime>,
    integers "../../../examples/rust/integers.rs" integers::run::<WgpuRuntime>,
    kmeans "../../../examples/rust/kmeans.rs" kmeans::run::<WgpuRuntime>,
    layouts "../../../examples/rust/layouts.rs" layouts::run::<WgpuRuntime>,
    matmul "../../../examples/rust/matmul.rs" |device| matmul::run::<WgpuRuntime>(device, &[[1, 1, 1], [33, 20, 17]]),
    recipes "../../../examples/rust/recipes.rs" recipes::run::<WgpuRuntime>,
    reduction "../../../examples/rust/reduction.rs" reduction::run::<WgpuRuntime>,
    rows "../../../examples/rust/rows.rs" rows::run::<WgpuRuntime>,
    sums "../../../examples/rust/sums.rs" sums::run::<WgpuRuntime>,
    topology "../../../examples/rust/topology.rs" topology::run::<WgpuRuntime>,
    types "../../../examples/rust/types.rs" types::run::<WgpuRuntime>,
}

/// Programs that cannot run with a format of code, each with a part of the expected message.
const REFUSED: &[(WgpuCode, &str, &str)] = &[
    (
        WgpuCode::Wgsl,
        "integers",
        "error[CUBE0412]: this kernel requires type i64, which wgsl:core-f16-subgroups does not support",
    ),
    // llvmpipe of Mesa 22.3 ends the loops of a unit after 65,536 iterations. The first variant has one unit.
    (WgpuCode::Wgsl, "reduction", "assertion `left == right` failed: Plain"),
    (WgpuCode::Spirv, "reduction", "assertion `left == right` failed: Plain"),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for code in [WgpuCode::Wgsl, WgpuCode::Spirv] {
        for (name, program) in PROGRAMS {
            let test = move || match with_code(&WgpuDevice::DefaultDevice, code) {
                Ok(device) => ran(code, name, *program, device).map(|()| Completion::Completed),
                Err(error) => Ok(Completion::ignored_with(error.message)),
            };
            trials.push(Trial::ignorable_test(format!("{name} as {code:?}"), test));
        }
    }
    for code in ["Wgsl", "Spirv"] {
        trials.push(Trial::ignorable_test(format!("planes through shared memory as {code}"), move || {
            shared_planes(code)
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Runs the programs with plane operations in a process whose configuration selects planes through shared memory.
fn shared_planes(code: &str) -> Result<Completion, Failed> {
    if let Err(error) = WgpuRuntime::try_client(&WgpuDevice::DefaultDevice) {
        return Ok(Completion::ignored_with(error.message));
    }
    for program in ["recipes", "sums"] {
        let name = format!("{program} as {code}");
        let mut command = std::process::Command::new(std::env::current_exe()?);
        let output = command.env(PLANES_VARIABLE, "shared").args(["--exact", &name]).output()?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() || !stdout.contains(" 1 passed") {
            return Err(format!("{name}: {stdout}{}", String::from_utf8_lossy(&output.stderr)).into());
        }
    }
    Ok(Completion::Completed)
}

fn ran(code: WgpuCode, name: &str, program: fn(&WgpuDevice), device: WgpuDevice) -> Result<(), Failed> {
    let client = WgpuRuntime::client(&device);
    assert!(WgpuRuntime::name(&client).contains(&format!("{code:?}").to_lowercase()));
    if std::env::var(PLANES_VARIABLE).is_ok_and(|planes| planes == "shared") {
        let hardware = &client.properties().hardware;
        assert_eq!([hardware.plane_size_min, hardware.plane_size_max], [32; 2], "planes of shared memory");
    }
    let outcome = catch_unwind(|| program(&device)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
    });
    let refusal = REFUSED.iter().find(|(of, program, _)| *of == code && *program == name);
    // A failed comparison prints all numbers.
    let outcome = outcome.map_err(|text| text.chars().take(400).collect::<String>());
    match (outcome, refusal) {
        (Ok(()), None) => Ok(()),
        (Err(text), Some((.., part))) if text.contains(part) => Ok(()),
        (Ok(()), Some(_)) => Err("it runs now; take it out of the list".into()),
        (Err(text), _) => Err(text.into()),
    }
}
