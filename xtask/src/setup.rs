//! `cargo xtask setup`: installs the missing requirements with apt, or lists what to install.

use crate::Outcome;
use crate::links;
use crate::phase::elapsed;
use crate::requirements::{Finding, LLVM_MAJOR, REQUIREMENTS, Requirement, all_packages, prefix_lines, unique};
use crate::shell::{Machine, PREFIX_VARIABLES};
use crate::workspace::root;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Number of retries after a failed download or for a locked package database.
const RETRIES: u32 = 2;

/// Runs the task.
pub fn run(_: &[String]) -> Outcome {
    ensure(&Machine::this())?;
    let made = links::make(&root())?;
    if made > 0 {
        println!("setup: {made} tool names linked beside the `cube` binary");
    }
    Ok(())
}

/// Installs every missing requirement. If the task cannot install a requirement, the error explains the
/// reason.
pub fn ensure(machine: &Machine) -> Outcome {
    let broken = not_met(machine);
    if broken.is_empty() {
        let llvm = machine.prefix().join("bin/llvm-config");
        let version = machine.ask(&llvm, &["--version"]).unwrap_or_default();
        println!("setup: LLVM/MLIR {version} in {}, nothing to install", machine.prefix().display());
        return Ok(());
    }
    if let Some(message) = unmet_by_packages(&broken) {
        return Err(message);
    }
    let packages = unique(broken.iter().map(|(requirement, _)| *requirement));
    let names: Vec<_> = broken.iter().map(|(requirement, _)| requirement.name).collect();
    println!("setup: missing on this machine: {}", names.join("; "));
    install(machine, &packages)?;
    match not_met(machine).first() {
        None => Ok(()),
        Some((requirement, finding)) => Err(format!(
            "apt installed the packages, but {} is still unusable: {}; run `cargo xtask doctor` to list all requirements",
            requirement.name,
            text_of(finding)
        )),
    }
}

type Broken = (&'static Requirement, Finding);

fn not_met(machine: &Machine) -> Vec<Broken> {
    let needed = REQUIREMENTS.iter().filter(|requirement| !requirement.optional);
    let looked = needed.map(|requirement| (requirement, requirement.look(machine)));
    looked.filter(|(_, finding)| !matches!(finding, Finding::Present(_))).collect()
}

fn text_of(finding: &Finding) -> &str {
    let (Finding::Present(text) | Finding::Missing(text) | Finding::Unfit(text)) = finding;
    text
}

/// The error about requirements that no package can satisfy: a prefix variable that points at another LLVM version,
/// an unset variable, or a missing rustup.
fn unmet_by_packages(broken: &[Broken]) -> Option<String> {
    let (requirement, finding) = broken
        .iter()
        .find(|(requirement, finding)| matches!(finding, Finding::Unfit(_)) || requirement.packages.is_empty())?;
    let remedy = match finding {
        Finding::Unfit(_) => format!(
            "unset {}, {} and {}, or point all three at an LLVM {LLVM_MAJOR}",
            PREFIX_VARIABLES[0], PREFIX_VARIABLES[1], PREFIX_VARIABLES[2]
        ),
        _ => requirement.remedy.to_string(),
    };
    Some(format!("{}: {}; {remedy}", requirement.name, text_of(finding)))
}

/// Installs packages as root, or with `sudo` if it does not ask for a password.
fn install(machine: &Machine, packages: &[&str]) -> Outcome {
    let Some(apt) = Apt::on(machine) else { return Err(manual_steps("this system has no apt-get")) };
    if machine.prefix() != machine.package_prefix {
        return Err(manual_steps(&format!("{} is not the prefix of Debian's packages", machine.prefix().display())));
    }
    let Some(apt) = apt.with_rights(machine) else {
        let list = packages.join(" ");
        return Err(format!(
            "the installation of packages requires root, and `sudo -n` is not allowed here; run this command once, then run the task again:\n  \
             sudo apt-get install -y --no-install-recommends {list}"
        ));
    };
    println!("setup: Cube is built on LLVM/MLIR {LLVM_MAJOR}; installing with apt: {}", packages.join(" "));
    if !apt.has_candidates(machine, packages) {
        apt.update()?;
        if let Some(unknown) = packages.iter().find(|package| !apt.has_candidates(machine, &[package])) {
            return Err(format!(
                "apt has no package `{unknown}` (Debian 12 has it in its security suite); enable this suite, or add the \
                 suite of https://apt.llvm.org for LLVM {LLVM_MAJOR}, and run the task again"
            ));
        }
    }
    apt.install(packages)
}

/// The advice for a system on which this task cannot install packages.
fn manual_steps(why: &str) -> String {
    format!(
        "{why}, so xtask cannot install LLVM/MLIR {LLVM_MAJOR} here. Cube requires the contents of these Debian packages:\n  \
         {}\nInstall the same software, set the prefix of LLVM {LLVM_MAJOR}, and run the task again:\n{}",
        all_packages().join(" "),
        prefix_lines().trim_end()
    )
}

/// The path of apt-get on a machine, with the command prefix that gives it root rights.
struct Apt {
    apt_get: PathBuf,
    before: Vec<PathBuf>,
    log: PathBuf,
}

impl Apt {
    fn on(machine: &Machine) -> Option<Self> {
        Some(Apt {
            apt_get: machine.program("apt-get")?,
            before: Vec::new(),
            log: machine.scratch.join("xtask-apt.log"),
        })
    }

    /// Determines the command prefix: empty for root, otherwise `sudo -n`. The result is `None` if `sudo -n`
    /// does not work.
    fn with_rights(mut self, machine: &Machine) -> Option<Self> {
        let user = machine.ask(&machine.program("id")?, &["-u"])?;
        if user != "0" {
            let sudo = machine.program("sudo")?;
            machine.ask(&sudo, &["-n", "true"])?;
            self.before = vec![sudo, "-n".into()];
        }
        Some(self)
    }

    /// Whether apt's current package lists contain a candidate for each package.
    fn has_candidates(&self, machine: &Machine, packages: &[&str]) -> bool {
        let Some(cache) = machine.program("apt-cache") else { return false };
        let policy = machine.ask(&cache, &[&["policy"], packages].concat()).unwrap_or_default();
        let candidates = policy.lines().filter_map(|line| line.trim().strip_prefix("Candidate: "));
        candidates.filter(|candidate| *candidate != "(none)").count() == packages.len()
    }

    fn update(&self) -> Outcome {
        self.with_retries(&["update"])
    }

    /// Installs packages. Outdated package lists are the most frequent cause of a failure. The method therefore
    /// updates the package lists before it tries the installation again.
    fn install(&self, packages: &[&str]) -> Outcome {
        let arguments = [&["install", "-y", "--no-install-recommends"], packages].concat();
        let Err(first) = self.once(&arguments) else { return Ok(()) };
        println!("    {}; reading the package lists again before a second try", first.trim_end());
        self.update()?;
        self.with_retries(&arguments)
    }

    /// Runs apt-get with retries, because a package mirror can fail temporarily.
    fn with_retries(&self, arguments: &[&str]) -> Outcome {
        for attempt in 1..=RETRIES {
            let Err(message) = self.once(arguments) else { return Ok(()) };
            println!("    {message}; retry {attempt} of {RETRIES}");
            std::thread::sleep(Duration::from_secs(u64::from(attempt) * 2));
        }
        self.once(arguments).map_err(|message| {
            let log = std::fs::read_to_string(&self.log).unwrap_or_default();
            let tail: Vec<&str> = log.lines().rev().take(8).collect();
            let tail: Vec<&str> = tail.into_iter().rev().collect();
            format!("{message}; the end of {}:\n  {}", self.log.display(), tail.join("\n  "))
        })
    }

    /// Runs apt-get once. The output of apt-get goes to the log, and the terminal shows a progress line from time
    /// to time.
    fn once(&self, arguments: &[&str]) -> Outcome {
        let mut command = self.command(arguments);
        println!("    $ {}", shown(&command));
        let mut log = self.open_log()?;
        let stderr = log.try_clone().map_err(|error| format!("{}: {error}", self.log.display()))?;
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr).spawn();
        let mut child = child.map_err(|error| format!("apt-get did not start: {error}"))?;
        let mut progress = Progress::new();
        let output = child.stdout.take().expect("stdout is piped");
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            // A full disk must not stop the install, because the log is only for later reading.
            let _ = writeln!(log, "{line}");
            progress.see(&line);
        }
        let status = child.wait().map_err(|error| format!("apt-get: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("apt-get {} ended with {status}", arguments[0])) }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let words: Vec<PathBuf> =
            [self.before.clone(), vec!["env".into(), "DEBIAN_FRONTEND=noninteractive".into()]].concat();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(&self.apt_get);
        command.args(["-o", "Acquire::Retries=2", "-o", "DPkg::Lock::Timeout=120"]).args(arguments);
        command
    }

    fn open_log(&self) -> Result<File, String> {
        let folder = self.log.parent().expect("the log is in a folder");
        let opened =
            std::fs::create_dir_all(folder).and_then(|()| File::options().create(true).append(true).open(&self.log));
        opened.map_err(|error| format!("cannot write {}: {error}", self.log.display()))
    }
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Reduces the output of apt-get, which has hundreds of lines, to one line every two seconds.
struct Progress {
    start: Instant,
    last: Instant,
    packages: usize,
    configured: usize,
}

impl Progress {
    fn new() -> Self {
        Progress { start: Instant::now(), last: Instant::now(), packages: 0, configured: 0 }
    }

    fn see(&mut self, line: &str) {
        if let Some(newly) = line.split(", ").find_map(|part| part.strip_suffix(" newly installed")) {
            self.packages = newly.parse().unwrap_or(0);
        }
        self.configured += usize::from(line.starts_with("Setting up "));
        let big = line.starts_with("Need to get ") || line.starts_with("After this operation");
        if big || (self.last.elapsed() > Duration::from_secs(2) && is_change(line)) {
            self.last = Instant::now();
            let short: String = line.chars().take(90).collect();
            println!("    {:>8}  {}/{} set up  {short}", elapsed(self.start), self.configured, self.packages);
        }
    }
}

fn is_change(line: &str) -> bool {
    ["Get:", "Unpacking ", "Setting up ", "Hit:", "Processing "].iter().any(|start| line.starts_with(start))
}

#[cfg(test)]
#[path = "setup_tests.rs"]
mod tests;
