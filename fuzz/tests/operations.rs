//! Every elementwise operation on edge values: the interpreter at levels source, flat and legal, and the CPU's code.
#![forbid(unsafe_code)]
use cube_fuzz::judge::differences;
use cube_fuzz::table::groups;

#[test]
fn all_levels_and_the_cpu_agree_on_every_operation() {
    let mut wrong = Vec::new();
    let only = std::env::var("CUBE_FUZZ_ONLY").unwrap_or_default();
    for group in groups().iter().filter(|g| !g.operands.is_empty() && g.name.contains(&only)) {
        for line in [1, 4] {
            let (text, buffers, cubes) = group.kernel(line);
            match differences(&text, &buffers, cubes, false) {
                Ok(found) => wrong.extend(found),
                Err(why) => wrong.push(format!("{} in lines of {line}: {why}", group.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
