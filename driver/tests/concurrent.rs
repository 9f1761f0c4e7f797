//! Tests that concurrent compilations collect their remarks separately.
use cube_artifact::{CompileOptions, Compiler, Reports, Target};
use cube_driver::Driver;
use std::sync::Barrier;

/// A kernel named `name` with `accesses` memory accesses, so that the reports of two kernels differ.
fn kernel(name: &str, accesses: usize) -> String {
    let one = "  %v = cube.load %x[%i] : !cube.array<f32> -> f32\n";
    let loads: String = (0..accesses).map(|n| one.replace("%v", &format!("%v{n}"))).collect();
    let stores: String =
        (0..accesses).map(|n| format!("  cube.store %v{n}, %y[%i] : f32, !cube.array<f32>\n")).collect();
    format!(
        "cube.kernel @{name}(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {{\n  %i = cube.topology absolute_pos\n{loads}{stores}  cube.return\n}}\n"
    )
}

fn report(source: &str, trace: Option<&std::path::Path>) -> (String, String) {
    let reports = Reports {
        explain: true,
        trace: trace.map(|folder| folder.to_string_lossy().into_owned()),
        notes: vec!["7:3 a note of the source".into()],
        ..Reports::default()
    };
    let options = CompileOptions { reports, file_name: Some("k.mlir".into()), ..CompileOptions::default() };
    let (_, report) =
        Driver.compile_and_report(source.as_bytes(), &Target::cpu(), &options).expect("the kernel is right");
    let remarks = trace.map(|folder| std::fs::read_to_string(folder.join("remarks.txt")).expect("a trace has remarks"));
    (report, remarks.unwrap_or_default())
}

#[test]
fn concurrent_reports_are_separate() {
    let sources = [kernel("one", 1), kernel("many", 5)];
    let folder = tempfile::tempdir().expect("a folder");
    let trace = |thread: usize, round: &str| folder.path().join(format!("{thread}-{round}"));
    let alone: Vec<(String, String)> =
        sources.iter().enumerate().map(|(n, source)| report(source, Some(&trace(n, "alone")))).collect();
    assert!(alone.iter().all(|(_, remarks)| remarks.contains(": ")), "nothing to mix up: {alone:?}");
    assert_ne!(alone[0].1, alone[1].1);
    let start = Barrier::new(sources.len());
    std::thread::scope(|scope| {
        for (n, source) in sources.iter().enumerate() {
            let (start, alone, trace) = (&start, &alone, &trace);
            scope.spawn(move || {
                for round in 0..12 {
                    start.wait();
                    let (text, remarks) = report(source, Some(&trace(n, &round.to_string())));
                    assert_eq!(remarks, alone[n].1, "thread {n}, round {round}");
                    // Times and folders differ from run to run.
                    let explained = |text: &str| text.lines().filter(|l| l.contains("k.mlir")).count();
                    assert_eq!(explained(&text), explained(&alone[n].0), "thread {n}, round {round}");
                }
            });
        }
    });
}

#[test]
fn a_compilation_without_reports_leaves_no_remarks_to_the_next() {
    let source = kernel("one", 1);
    let (screen, before) = {
        let folder = tempfile::tempdir().expect("a folder");
        report(&source, Some(folder.path()))
    };
    assert!(screen.contains("  not done\n    7:3 a note of the source\n"), "{screen}");
    Driver.compile(kernel("many", 5).as_bytes(), &Target::cpu(), &CompileOptions::default()).expect("right");
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(report(&source, Some(folder.path())).1, before);
}
