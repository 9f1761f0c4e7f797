//! Tests that the commands in docs/layouts.md print the output that the page shows. `BLESS=1` rewrites the
//! page.

use std::path::Path;
use std::process::Command;

#[test]
fn documented_commands_print_the_documented_output() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/layouts.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let tool = Path::new(env!("CARGO_BIN_EXE_cube-layout"));
    let path = format!("{}:{}", tool.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut blessed = String::new();
    let (mut inside, mut commands) = (false, 0);
    for line in text.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, _) => {
                if let Some(command) = line.strip_prefix("$ ") {
                    let shell = format!("{{ {command}\n}} 2>&1");
                    let output =
                        Command::new("sh").args(["-c", &shell]).current_dir(&folder).env("PATH", &path).output();
                    let stdout = String::from_utf8(output.unwrap().stdout).unwrap();
                    blessed.push_str(&format!("{line}\n{stdout}"));
                    commands += 1;
                }
                continue;
            }
            (false, _) => {}
        }
        blessed.push_str(&format!("{line}\n"));
    }
    assert!(commands >= 10, "the page shows {commands} commands");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&page, &blessed).unwrap();
    } else {
        assert!(blessed == text, "docs/layouts.md is out of date; run with BLESS=1:\n{blessed}");
    }
}
