//! Refuses an option that has no effect in combination with the other options of the command line.
use crate::args::{Args, CompilerMode};
use crate::backends::{BISECTED, INTERPRETER};
use crate::failure::Failure;
use clap::{ArgMatches, parser::ValueSource};

/// The kind of run that a command line requests.
struct Run {
    interpreter: bool,
    bisect: bool,
    /// Whether the run compares against the interpreter.
    against: bool,
    device: bool,
    compares: bool,
    /// Whether the results of compiled code are compared: a bisection compares them on the CPU, and ends earlier with `--ring`.
    has_results: bool,
}

/// An option, the condition under which the option has an effect on a run, and a text that describes the
/// condition.
struct Rule {
    option: &'static str,
    used: fn(&Run) -> bool,
    with: &'static str,
}

const RULES: &[Rule] = &[
    Rule { option: "find", used: |r| r.interpreter || r.bisect, with: "--backend interp or --bisect" },
    Rule { option: "uninit", used: |r| r.interpreter, with: "--backend interp" },
    Rule { option: "plane_dim", used: |r| r.interpreter, with: "--backend interp" },
    Rule { option: "ring", used: |r| r.interpreter || r.bisect, with: "--backend interp or --bisect" },
    Rule { option: "level", used: |r| r.interpreter || r.against, with: "--backend interp or --against interp" },
    Rule {
        option: "max_steps",
        used: |r| r.interpreter || r.bisect || r.against,
        with: "--backend interp, --bisect or --against interp",
    },
    Rule {
        option: "seed",
        used: |r| r.interpreter || r.bisect || r.against,
        with: "--backend interp, --bisect or --against interp",
    },
    Rule { option: "bisect_folder", used: |r| r.bisect, with: "--bisect" },
    Rule { option: "ulp", used: |r| r.compares, with: "--check NAME=FILE or --against" },
    Rule {
        option: "check",
        used: |r| r.has_results || !r.compares,
        with: "--backend cpu with --bisect, and no --ring",
    },
    Rule { option: "out", used: |r| !r.bisect, with: "a run without --bisect" },
    Rule { option: "print", used: |r| !r.bisect, with: "a run without --bisect" },
    Rule { option: "time", used: |r| !r.bisect, with: "a run without --bisect" },
    Rule { option: "against", used: |r| r.has_results, with: "--backend cpu with --bisect, and no --ring" },
    Rule { option: "target", used: |r| r.device, with: "a backend that runs compiled code, without --bisect" },
    Rule { option: "compiler", used: |r| r.device, with: "a backend that runs compiled code, without --bisect" },
];

/// Checks that every option of the command line has an effect.
///
/// # Errors
/// The error names the option that has no effect.
pub fn check(args: &Args, given: &ArgMatches) -> Result<(), Failure> {
    let interpreter = args.backend == INTERPRETER && !args.bisect;
    let run = Run {
        interpreter,
        bisect: args.bisect,
        against: args.against.as_deref() == Some(INTERPRETER),
        device: !interpreter && !args.bisect,
        compares: args.against.is_some() || args.check.iter().any(|check| check.contains('=')),
        has_results: !args.bisect || args.backend == BISECTED && !args.ring,
    };
    let is_given = |rule: &&Rule| match rule.option {
        // `--compiler in-process` sets the default explicitly, and is accepted with every run.
        "compiler" => args.compiler == CompilerMode::Serve,
        option => given.value_source(option) == Some(ValueSource::CommandLine),
    };
    match RULES.iter().filter(is_given).find(|rule| !(rule.used)(&run)) {
        None => Ok(()),
        Some(rule) => {
            let option = rule.option.replace('_', "-");
            let message = format!(
                "--{option} has no effect here: the option requires {}; omit --{option}, or change the run",
                rule.with
            );
            Err(Failure::Usage(message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, FromArgMatches};

    fn message_of(words: &str) -> Option<String> {
        let words = format!("cube-run k.mlir {words}");
        let matches =
            Args::command().try_get_matches_from(words.split_whitespace()).expect("words of the command line");
        let args = Args::from_arg_matches(&matches).expect("words of the command line");
        check(&args, &matches).err().map(|failure| failure.to_string())
    }

    #[test]
    fn every_option_of_a_rule_is_one() {
        let command = Args::command();
        for rule in RULES {
            assert!(command.get_arguments().any(|a| a.get_id() == rule.option), "{}", rule.option);
        }
    }

    #[test]
    fn options_without_an_effect_are_rejected() {
        for fine in [
            "",
            "--backend interp --find races --level legal --seed 1 --max-steps 9 --plane-dim 8 --uninit x --ring",
            "--bisect --find all --seed 1 --max-steps 9 --ring --bisect-folder f",
            "--bisect --check x=a.npy --ulp 2 --against interp --level source",
            "--against interp --level source --seed 1 --max-steps 9 --ulp 1",
            "--check x=a.npy --ulp 0 --print x --time --target cpu:x86-64 --compiler serve",
            "--backend interp --compiler in-process",
        ] {
            assert_eq!(message_of(fine), None, "{fine}");
        }
        for (words, option) in [
            ("--find races", "find"),
            ("--seed 3", "seed"),
            ("--level source", "level"),
            ("--uninit x", "uninit"),
            ("--max-steps 5", "max-steps"),
            ("--plane-dim 32", "plane-dim"),
            ("--ring", "ring"),
            ("--bisect-folder f", "bisect-folder"),
            ("--ulp 4", "ulp"),
            ("--against interp --find races", "find"),
            ("--bisect --print x", "print"),
            ("--bisect --out x=x.npy", "out"),
            ("--bisect --time", "time"),
            ("--bisect --ring --against interp", "against"),
            ("--bisect --backend cuda --against interp", "against"),
            ("--bisect --ring --check x=a.npy", "check"),
            ("--bisect --ulp 1", "ulp"),
            ("--backend interp --target cpu", "target"),
            ("--backend interp --compiler serve", "compiler"),
        ] {
            let message = message_of(words).unwrap_or_else(|| panic!("{words} is taken"));
            assert!(message.starts_with(&format!("--{option} has no effect here: the option requires ")), "{message}");
        }
    }
}
