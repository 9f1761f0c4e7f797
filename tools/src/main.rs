//! `cube`: one binary with all tools. If the binary is called by the name of a tool, such as `cube-opt`, `cubec` or
//! `cube-run`, this name selects the tool. If the binary is called as `cube`, the first argument is the short name
//! of the tool, as in `cube opt`, `cube c`, `cube run`, `cube demo` and `cube docs`.
#![forbid(unsafe_code)]
mod bundle;
mod child;
mod cubec;
mod demo;
mod docs;
mod explain_cost;
mod hints;
mod input;
mod lsp;
mod new;
mod opt;
mod program;
mod program_bundle;
mod reduce;
mod remarks;
mod reproducer;
mod run;
mod say;

use cube_artifact::diagnostic;
use std::{ffi::OsString, io::Write, path::Path, process::ExitCode};

/// A tool: the name of its link, its short name, its summary, and its main function.
struct Tool {
    link: &'static str,
    short: &'static str,
    summary: &'static str,
    main: fn(Vec<String>) -> ExitCode,
}

const TOOLS: &[Tool] = &[
    Tool {
        link: "cube-opt",
        short: "opt",
        summary: "run passes on MLIR text and print their changes",
        main: opt::main,
    },
    Tool { link: "cubec", short: "c", summary: "compile a kernel for a target", main: cubec::main },
    Tool {
        link: "cube-run",
        short: "run",
        summary: "run a kernel of a .mlir file and print its results",
        main: run::main,
    },
    Tool {
        link: "cube-layout",
        short: "layout",
        summary: "evaluate CuTe layout expressions, print and draw them",
        main: cube_layout_cli::main,
    },
    Tool {
        link: "cube-reduce",
        short: "reduce",
        summary: "reduce a failing kernel to a smaller one that still fails",
        main: reduce::main,
    },
    Tool {
        link: "cube-lsp-server",
        short: "lsp-server",
        summary: "diagnostics, hover and definitions for editors",
        main: lsp::main,
    },
    Tool {
        link: "cube-demo",
        short: "demo",
        summary: "compile and run the example kernels, and check their results",
        main: demo::main,
    },
    Tool {
        link: "cube-docs",
        short: "docs",
        summary: "write the generated pages of docs/, or check them",
        main: docs::main,
    },
];

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(Some(arguments)) => arguments,
        Ok(None) => return ExitCode::SUCCESS,
        Err(error) => return say::error("cube", diagnostic!(CUBE0600.server { error })),
    };
    // All tools can recurse over a module: parsers, passes, printers, the interpreter.
    cube_ir::on_deep_stack(|| tool(arguments))
        .unwrap_or_else(|e| say::error("cube", diagnostic!(CUBE0108.tool { error: e })))
}

/// The arguments of this process; `None` for a test server that has ended.
fn arguments() -> std::io::Result<Option<Vec<String>>> {
    let all = |words: &mut dyn Iterator<Item = OsString>| words.map(|a| a.to_string_lossy().into_owned()).collect();
    #[cfg(target_os = "linux")]
    {
        let words: Vec<OsString> = std::env::args_os().collect();
        if let [_, word, socket] = &words[..]
            && word == "test-server"
        {
            // The server's children are copies of the server, and share the tables that these calls compute. The tables are
            // computed by a thread, because the C library gives a thread a separate heap. A child therefore takes no
            // memory from the gaps between the tables, where each allocation would copy a page.
            let prepared = std::thread::spawn(|| {
                cube_rules::graph::prepare();
                cube_target::Target::generic();
                cube_driver::register();
                // A session registers the passes of MLIR. Its context ends here, so that a child loads the dialects that it
                // needs by itself.
                drop(cube_ir::Session::new());
            });
            prepared.join().map_err(|_| std::io::Error::other("the server cannot compute its tables"))?;
            cube_test_server::drivers::load();
            cube_test_server::pages::copy_mapped_files(&["libLLVM", "libMLIR", "libvulkan"]);
            return Ok(cube_test_server::serve(socket.as_ref())?.map(|words| all(&mut words.into_iter())));
        }
    }
    Ok(Some(all(&mut std::env::args_os())))
}

fn tool(args: Vec<String>) -> ExitCode {
    cube_run_cli::serve_if_asked();
    cube_run_cli::output::end_quietly();
    cube_ir::quiet_panics();
    cube_driver::exit_on_fatal_errors(|error| {
        // The program ends even if standard error is closed.
        let _ = writeln!(std::io::stderr(), "{error}");
    });
    if std::env::var_os("CUBE_TEST_PASSES").is_some() {
        cube_passes::register_test_passes();
    }
    let called = args.first().map(Path::new).and_then(|p| p.file_name()).map(|n| n.to_string_lossy().into_owned());
    let called = called.unwrap_or_default();
    // A child is called by the program's real name, which can also be the name of a tool.
    let by_link = !child::is_child();
    if let Some(tool) = TOOLS.iter().find(|t| by_link && t.link == called) {
        return (tool.main)(args);
    }
    let Some(word) = args.get(1) else { return usage(None) };
    if word == "serve" {
        // The runtime starts a compiler by this argument, for any name of the program.
        return cubec::main(vec!["cubec".into(), "serve".into()]);
    }
    match TOOLS.iter().find(|t| t.short == word || t.link == word) {
        Some(tool) => {
            let rest = std::iter::once(tool.link.to_string()).chain(args.iter().skip(2).cloned()).collect();
            (tool.main)(rest)
        }
        None => usage(Some(word)),
    }
}

fn usage(wrong: Option<&str>) -> ExitCode {
    let help = matches!(wrong, Some("--help" | "-h" | "help"));
    let mut text = String::from(
        "cube: the tools of the Cube kernel compiler\n\nusage: cube TOOL ARGUMENTS, and cube TOOL --help\n\n",
    );
    for tool in TOOLS {
        text += &format!("  {:8} {:10} {}\n", tool.short, tool.link, tool.summary);
    }
    if help {
        print!("{text}");
        return ExitCode::SUCCESS;
    }
    if let Some(word) = wrong {
        let known = TOOLS.iter().map(|t| t.short);
        let hint = cube_backend::suggestion(word, known).map(|s| format!("; did you mean {s}?")).unwrap_or_default();
        say::error("cube", diagnostic!(CUBE0600.tool { word, hint }));
        eprintln!();
    }
    eprint!("{text}");
    ExitCode::from(say::USAGE)
}
