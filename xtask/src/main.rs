//! `cargo xtask`: all tasks around the compiler. The crate builds without LLVM, because one of the tasks installs LLVM.
#![forbid(unsafe_code)]

mod bench;
mod binaries;
mod bless;
mod browser;
mod check;
mod code_diff;
mod compat;
mod corpus;
mod demo;
mod doctor;
mod limit;
mod links;
mod package;
mod phase;
mod processor_time;
mod release;
mod requirements;
mod scaffold;
mod sentences;
mod setup;
mod shell;
mod space;
mod suite;
mod tally;
mod test_server;
mod workspace;

use std::process::ExitCode;

/// The result of a task: success, or one error message with the rule and the fix. An empty message means that the task
/// has already printed the error.
type Outcome = Result<(), String>;

/// A task: one subcommand of `cargo xtask`.
struct Task {
    name: &'static str,
    arguments: &'static str,
    summary: &'static str,
    run: fn(&[String]) -> Outcome,
}

/// All tasks, in the order in which a new developer needs them.
const TASKS: &[Task] = &[
    Task {
        name: "demo",
        arguments: "[cube demo arguments]",
        summary: "set up, build, run real kernels on real input, print a table",
        run: demo::run,
    },
    Task {
        name: "test",
        arguments: "[cargo test arguments]",
        summary: "set up, build, run every test, end on one counted line",
        run: suite::run,
    },
    Task {
        name: "run-test",
        arguments: "SECONDS BINARY",
        summary: "run a test binary with a time limit, as `test` does",
        run: limit::run,
    },
    Task {
        name: "check",
        arguments: "[--quick]",
        summary: "layering, pass tests, sizes, unsafe, documents, format, clippy",
        run: check::run,
    },
    Task {
        name: "doctor",
        arguments: "",
        summary: "one screen: what is present, missing or too old, and the command that repairs it",
        run: doctor::run,
    },
    Task {
        name: "setup",
        arguments: "",
        summary: "install LLVM/MLIR 22 and the other packages with apt, or list them",
        run: setup::run,
    },
    Task {
        name: "bench",
        arguments: "",
        summary: "measure against hand-written Rust and mlir-opt, as ratios of one run",
        run: bench::run,
    },
    Task {
        name: "code-diff",
        arguments: "OLD [NEW]",
        summary: "compare the code that two versions of the compiler emit for the kernels of examples and benches",
        run: code_diff::run,
    },
    Task {
        name: "browser",
        arguments: "",
        summary: "run a kernel on WebGPU in headless Chromium, from a bundle that was compiled before",
        run: browser::run,
    },
    Task {
        name: "compat",
        arguments: "[0.8 | 0.11 | time | wgpu | speed [0.8 | 0.11] | sizes]",
        summary: "download CubeCL 0.8.1 and 0.11.1, run their runtime tests on this runtime, or compare times or sizes",
        run: compat::run,
    },
    Task {
        name: "corpus",
        arguments: "layouts FILE | mlir FOLDER | rust FOLDER",
        summary: "run layout rows or kernels that are not part of this tree",
        run: corpus::run,
    },
    Task {
        name: "bless",
        arguments: "[test names]",
        summary: "update pinned outputs from the current output of the tools, show the diff",
        run: bless::run,
    },
    Task {
        name: "sentences",
        arguments: "SEED",
        summary: "draw 100 sentences of documents, messages and comments for a reader",
        run: sentences::run,
    },
    Task {
        name: "new-pass",
        arguments: "PHASE|BACKEND NAME",
        summary: "a pass and its test, from a template",
        run: scaffold::new_pass,
    },
    Task {
        name: "new-op",
        arguments: "NAME",
        summary: "an operation of the cube dialect and its tests",
        run: scaffold::new_op,
    },
    Task {
        name: "new-rule",
        arguments: "FAMILY NAME",
        summary: "a rewrite rule of arithmetic and its test",
        run: scaffold::new_rule,
    },
    Task {
        name: "new-backend",
        arguments: "NAME",
        summary: "a crate for a backend, joined to the workspace",
        run: scaffold::new_backend,
    },
    Task {
        name: "package",
        arguments: "[--build]",
        summary: "package every crate that programs depend on, as a registry would receive it",
        run: package::run,
    },
    Task {
        name: "release",
        arguments: "",
        summary: "the static binary, stripped, in target-static/dist",
        run: release::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        print!("{}", usage());
        return ExitCode::from(2);
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprintln!("error: no task is called `{name}`\n\n{}", usage());
        return ExitCode::from(2);
    };
    match (task.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            if !message.is_empty() {
                eprintln!("error: {message}");
            }
            ExitCode::FAILURE
        }
    }
}

/// The help text, generated from the table of tasks.
fn usage() -> String {
    let mut text = String::from("usage: cargo xtask TASK\n\n");
    for task in TASKS {
        let call = format!("{} {}", task.name, task.arguments);
        text += &format!("  {:<30} {}\n", call.trim_end(), task.summary);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usage_names_every_task_once() {
        let text = usage();
        for task in TASKS {
            let lines = text.lines().filter(|line| line.trim_start().split(' ').next() == Some(task.name));
            assert_eq!(lines.count(), 1, "{} in:\n{text}", task.name);
        }
    }
}
