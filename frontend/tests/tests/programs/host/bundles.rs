//! Bundles of compiled kernels, from `cubec bundle` to the launch.
use crate::common::*;
use cubecl::prelude::*;
use std::path::PathBuf;
use std::process::Command;

#[cube(launch)]
fn bundled<F: Float>(out: &mut Array<F>, #[comptime] by: u32) {
    out[ABSOLUTE_POS] = F::cast_from(ABSOLUTE_POS * by + 1);
}

fn launch(client: &Client, out: &cubecl::server::Handle, len: usize, by: u32) {
    bundled::launch::<f32, R>(client, one(), CubeDim::new_1d(4), array::<f32>(out, len), by);
}

/// A child process, which other tests start. The child process prints the source of each kernel's code, and checks a
/// result.
#[test]
fn a_program_of_three_kernels() {
    let Some(api) = std::env::var_os("TEST_BUNDLE") else { return };
    let client = client();
    if !api.is_empty() {
        match client.load_bundle(&api) {
            Ok(()) => {}
            Err(error) => println!("refused {error}"),
        }
    }
    let none = client.empty(0);
    let report = client.precompile(|| (1..4).for_each(|by| launch(&client, &none, 0, by)));
    for kernel in &report.kernels {
        match &kernel.outcome {
            Ok(origin) => println!("kernel {origin:?}"),
            Err(error) => println!("kernel failed {error}"),
        }
    }
    if report.failures().count() == 0 {
        let out = client.empty(16);
        launch(&client, &out, 4, 3);
        assert_eq!(f32::from_bytes(&client.read_one(out)), [1.0, 4.0, 7.0, 10.0]);
    }
}

struct Case(PathBuf);

impl Case {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("cube-bundles-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Case(folder)
    }

    /// Runs the program. The result has the standard output and the notices.
    fn run(&self, variables: &[(&str, &str)]) -> (String, String) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "host::bundles::a_program_of_three_kernels", "--nocapture"]).current_dir(&self.0);
        // The developer's own cache is not part of the test.
        command.env_remove("CUBE_CACHE").env("TEST_BUNDLE", "");
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }

    /// The sources of the three kernels' code, and the notices.
    fn origins(&self, variables: &[(&str, &str)]) -> (Vec<String>, String) {
        let (output, notices) = self.run(variables);
        let origins =
            output.lines().filter_map(|line| line.split_once("kernel ").map(|(_, origin)| origin.to_string()));
        (origins.collect(), notices)
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_file_that_is_not_a_bundle_is_ignored_with_a_notice() {
    let case = Case::new("wrong");
    std::fs::write(case.0.join("wrong.bundle"), "nothing").unwrap();
    for (file, words) in [("wrong.bundle", "is not a bundle"), ("none.bundle", "cannot be read")] {
        let (origins, notices) = case.origins(&[("CUBE_BUNDLE", file)]);
        assert_eq!(origins, vec!["Compiled".to_string(); 3]);
        let text = format!("{file} {words}");
        assert!(notices.contains(&text) && notices.contains("; the bundle is ignored"), "{notices}");
        assert_eq!(notices.matches("CUBE0926").count(), 1, "{notices}");
        let (output, _) = case.run(&[("TEST_BUNDLE", file)]);
        assert!(output.contains(&format!("refused error[CUBE0926]: {text}")), "{output}");
    }
}

/// Tests of bundles with code for the CPU.
#[cfg(not(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu")))]
mod on_the_cpu {
    use super::*;
    use cubecl::precompile::KernelOrigin;
    use std::process::Output;

    /// A compiler that does not exist.
    const NO_COMPILER: (&str, &str) = ("CUBE_COMPILER", "/no/such/cubec");

    impl Case {
        fn cubec(&self, args: &[&str]) -> Output {
            self.cubec_under("", args)
        }

        /// Runs the compiler after the commands `limits` of the shell.
        fn cubec_under(&self, limits: &str, args: &[&str]) -> Output {
            let exe = std::env::current_exe().unwrap();
            let cube = exe.parent().and_then(std::path::Path::parent).unwrap().join("cube");
            let compiler = std::env::var_os("CUBE_COMPILER").map_or(cube, PathBuf::from);
            let mut command = Command::new("sh");
            command.arg("-c").arg(format!("{limits} exec \"$0\" \"$@\"")).arg(compiler).arg("c");
            command.args(args).current_dir(&self.0).output().unwrap()
        }
    }

    #[test]
    fn a_program_with_a_bundle_needs_no_compiler() {
        let case = Case::new("whole");
        let dumped = case.origins(&[("CUBE_DUMP", "kernels")]);
        assert_eq!(dumped.0, vec![format!("{:?}", KernelOrigin::Compiled); 3], "{}", dumped.1);
        let made = case.cubec(&["bundle", "kernels", "--target", "cpu:x86-64-v2", "-o", "general.bundle"]);
        assert!(made.status.success(), "{made:?}");
        let made =
            case.cubec(&["bundle", "kernels", "--target", "cpu", "--target", "nvptx:sm_90", "-o", "kernels.bundle"]);
        assert!(made.status.success(), "{made:?}");

        let of_bundle = vec!["Bundle".to_string(); 3];
        // A load from a bundle is on the timeline.
        let profiled = [NO_COMPILER, ("CUBE_BUNDLE", "kernels.bundle"), ("CUBE_PROFILE", "trace.json")];
        assert_eq!(case.origins(&profiled).0, of_bundle);
        let trace = std::fs::read_to_string(case.0.join("trace.json")).unwrap();
        let slices = trace.lines().filter(|line| line.contains("\"cat\":\"load\"") && line.contains("bundled"));
        assert_eq!(slices.count(), 3, "{trace}");
        assert_eq!(case.origins(&[NO_COMPILER, ("CUBE_BUNDLE", "kernels.bundle")]).0, of_bundle);
        assert_eq!(case.origins(&[NO_COMPILER, ("TEST_BUNDLE", "kernels.bundle")]).0, of_bundle);
        // Code for a named chip runs on this CPU, if the CPU has the chip's features.
        #[cfg(target_arch = "x86_64")]
        assert_eq!(case.origins(&[NO_COMPILER, ("CUBE_BUNDLE", "general.bundle")]).0, of_bundle);
        std::fs::write(case.0.join("cube.toml"), "[compilation]\nbundles = [\"kernels.bundle\"]\n").unwrap();
        assert_eq!(case.origins(&[NO_COMPILER]).0, of_bundle);
        // A bundle precedes the disk cache, and code for a debugger is never taken from a bundle.
        let compiled = vec!["Compiled".to_string(); 3];
        assert_eq!(case.origins(&[("CUBE_CACHE", "cache"), ("CUBE_BUNDLE", "")]).0, compiled);
        assert_eq!(case.origins(&[("CUBE_CACHE", "cache")]).0, of_bundle);
        assert_eq!(case.origins(&[("CUBE_CACHE", "cache"), ("CUBE_BUNDLE", "")]).0, vec!["Disk".to_string(); 3]);
        assert_eq!(case.origins(&[("CUBE_DEBUG", "1")]).0, compiled);

        // The damage of one kernel affects this kernel only. The damaged kernel is compiled.
        let bundle = case.0.join("kernels.bundle");
        let good = std::fs::read(&bundle).unwrap();
        let mut bad = good.clone();
        *bad.last_mut().unwrap() ^= 1;
        std::fs::write(&bundle, &bad).unwrap();
        let listed = String::from_utf8(case.cubec(&["bundle", "--list", "kernels.bundle"]).stdout).unwrap();
        assert!(listed.trim_end().ends_with("bundled nvptx:sm_90"), "{listed}");
        assert_eq!(case.origins(&[NO_COMPILER]).0, of_bundle, "the damaged kernel is for another target");
        let size = good.len();
        let made = case.cubec(&["bundle", "kernels", "--target", "cpu", "-o", "kernels.bundle"]);
        assert!(made.status.success(), "{made:?}");
        let mut bad = std::fs::read(&bundle).unwrap();
        assert!(bad.len() < size);
        *bad.last_mut().unwrap() ^= 1;
        std::fs::write(&bundle, &bad).unwrap();
        let (origins, notices) = case.origins(&[]);
        let count = |name: &str| origins.iter().filter(|origin| *origin == name).count();
        assert_eq!((count("Bundle"), count("Compiled")), (2, 1), "{origins:?}");
        let words = ["CUBE0926", "a kernel of kernels.bundle is damaged", "the kernel of the bundle is ignored"];
        assert!(words.iter().all(|word| notices.contains(word)), "{notices}");
    }

    /// An interrupted write does not change an earlier bundle, and creates no bundle if there was none.
    #[test]
    #[cfg(target_os = "linux")]
    fn interrupted_writes_of_a_bundle_leave_the_earlier_one() {
        let case = Case::new("interrupted");
        case.origins(&[("CUBE_DUMP", "kernels")]);
        let names = || {
            let entries = std::fs::read_dir(&case.0).unwrap().map(|entry| entry.unwrap().file_name());
            entries.filter(|name| name.to_string_lossy().contains("bundle")).count()
        };
        let args = ["bundle", "kernels", "--target", "cpu", "-o", "kernels.bundle"];
        // A file has at most one block of 512 or 1024 bytes. A process that ignores the signal gets an error, as on a full
        // disk. The signal kills any other process in the middle of its write.
        let (full, killed) = ("trap '' XFSZ; ulimit -f 1;", "ulimit -c 0; ulimit -f 1;");
        for limits in [full, killed] {
            assert!(!case.cubec_under(limits, &args).status.success());
            assert_eq!(names(), 0, "{limits}");
        }
        assert!(case.cubec(&args).status.success());
        let good = std::fs::read(case.0.join("kernels.bundle")).unwrap();
        let other = ["bundle", "kernels", "--target", "cpu", "--target", "nvptx:sm_90", "-o", "kernels.bundle"];
        let output = case.cubec_under(full, &other);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && error.contains("error[CUBE0603]") && error.contains("kernels.bundle"),
            "{error}"
        );
        let output = case.cubec_under(killed, &other);
        assert!(std::os::unix::process::ExitStatusExt::signal(&output.status).is_some(), "{output:?}");
        assert_eq!(std::fs::read(case.0.join("kernels.bundle")).unwrap(), good);
        assert_eq!(case.origins(&[NO_COMPILER, ("CUBE_BUNDLE", "kernels.bundle")]).0, vec!["Bundle".to_string(); 3]);
    }
}
