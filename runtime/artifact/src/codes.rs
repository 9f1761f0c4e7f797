//! The error codes of the runtime side, which `--explain CODE` describes.

/// An error code and its explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The error code in messages, for example `CUBE0904`.
    pub code: &'static str,
    /// One line that names the failure.
    pub title: &'static str,
    /// Cause and fix. The code, the title and this explanation fit on two lines of 100 columns.
    pub explanation: &'static str,
    /// Additional facts about the error; can be empty.
    pub notes: &'static str,
}

impl Code {
    /// The page for an error: code and title, then the explanation, then the notes, each on one line.
    pub fn page(&self) -> String {
        let title = format!("{}: {}", self.code, self.title);
        let paragraphs =
            [&title, self.explanation, self.notes].map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        paragraphs.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// Whether the code, title and explanation fit on two lines of 100 columns.
    pub fn fits(&self) -> bool {
        crate::messages::fits(&format!("{}: {}: {}", self.code, self.title, self.explanation))
    }
}

/// No compiler program was found.
pub const NO_COMPILER: &str = "CUBE0900";
/// The compiler program could not be started.
pub const COMPILER_START: &str = "CUBE0901";
/// The started program does not use the protocol.
pub const NOT_A_COMPILER: &str = "CUBE0902";
/// The compiler program has another version, or is another build of the same version.
pub const COMPILER_VERSION: &str = "CUBE0903";
/// The compiler process ended before it answered.
pub const COMPILER_CRASH: &str = "CUBE0904";
/// The compiler process sent an invalid answer.
pub const GARBLED: &str = "CUBE0905";
/// The compiler process did not answer in time.
pub const TIME_OUT: &str = "CUBE0906";
/// A request or an answer exceeds the size limit of a frame.
pub const TOO_LARGE: &str = "CUBE0907";
/// The compiler panicked while it compiled a kernel, and continues to run.
pub const COMPILER_PANIC: &str = "CUBE0908";
/// The kernel does not accept the arguments of a launch.
pub const LAUNCH_ARGUMENT: &str = "CUBE0920";
/// An artifact is inconsistent: it refers to a missing part, or its code cannot be loaded.
pub const INVALID_ARTIFACT: &str = "CUBE0921";
/// A request exceeds a limit of the device.
pub const DEVICE_LIMIT: &str = "CUBE0922";
/// An environment variable has an invalid value.
pub const ENVIRONMENT: &str = "CUBE0923";
/// A compiled kernel could not be cached on disk.
pub const KERNEL_CACHE: &str = "CUBE0924";
/// A call of the C interface has invalid arguments.
pub const C_CALL: &str = "CUBE0925";
/// A bundle of compiled kernels cannot be used.
pub const BUNDLE: &str = "CUBE0926";
/// A host data file could not be read, written or compared.
pub const HOST_DATA: &str = "CUBE0930";
/// The device or its driver does not exist.
pub const NO_DEVICE: &str = "CUBE0940";
/// A kernel faulted, and the device's context is lost.
pub const KERNEL_FAULT: &str = "CUBE0941";
/// The driver of the device refused a valid call.
pub const DRIVER: &str = "CUBE0942";
/// A kernel stopped itself, because its units diverged at a barrier.
pub const KERNEL_STOPPED: &str = "CUBE0943";
/// A launch exceeded its time limit.
pub const TIME_LIMIT: &str = "CUBE0944";
/// A kernel in Rust cannot be compiled with the values of its launch.
pub const KERNEL_MISTAKE: &str = "CUBE0950";

/// All codes of the runtime side, in order.
pub const CODES: &[Code] = &[
    Code {
        code: NO_COMPILER,
        title: "no cube compiler was found",
        explanation: "Install cubec with the command in the message, or set CUBE_COMPILER to its path.",
        notes: "The program cubec compiles kernels. A program searches for cubec in this order: the environment variable CUBE_COMPILER, the folders of PATH, the folder of the running program, cargo's folder of programs, and the checkout of the program's library.",
    },
    Code {
        code: COMPILER_START,
        title: "the compiler could not be started",
        explanation: "The operating system refused to start the compiler. The message contains the reason of the operating system.",
        notes: "Check that the file of the compiler is executable and made for this machine.",
    },
    Code {
        code: NOT_A_COMPILER,
        title: "the program on the pipe is not a cube compiler",
        explanation: "The program was started with the argument `serve`, but did not send cubec's greeting.",
        notes: "A frequent cause is that CUBE_COMPILER or PATH leads to another program. The message shows the output of this program.",
    },
    Code {
        code: COMPILER_VERSION,
        title: "the compiler is of another version or build",
        explanation: "The program and the compiler must have the same version and be built from the same sources. Install the matching cubec.",
        notes: "Before version 1.0, artifacts and the protocol can change between builds. The compiler's greeting contains a hash of both layouts, which can differ between two builds of one version. Build the compiler again from the sources of the program.",
    },
    Code {
        code: COMPILER_CRASH,
        title: "the compiler process ended before it answered",
        explanation: "The compiler process was killed, often for lack of memory, or has a bug. Report the kernel with the message.",
        notes: "The compiler runs in a separate process, so that its crash does not end the program. The next kernel starts a new compiler process. The message contains the exit status and the last output of the compiler.",
    },
    Code {
        code: GARBLED,
        title: "bytes on the compiler's pipe were damaged",
        explanation: "A message of the protocol did not match its checksum, or was neither a request nor an answer.",
        notes: "The program is not cubec, or other code in the compiler's process writes to the standard output. The compiler process is ended, and the next kernel starts a new compiler process.",
    },
    Code {
        code: TIME_OUT,
        title: "the compiler did not answer in time",
        explanation: "The compiler exceeded its time limit, which is 120 seconds by default, and was terminated.",
        notes: "The next kernel starts a new compiler process. Raise the time limit for very large kernels; otherwise, report the kernel.",
    },
    Code {
        code: TOO_LARGE,
        title: "a kernel or its artifact is too large for the compiler's pipe",
        explanation: "Requests to the compiler and answers of the compiler have at most 256 MiB.",
        notes: "Split the module, or compile in the process of the program with the feature embedded-compiler.",
    },
    Code {
        code: COMPILER_PANIC,
        title: "the compiler hit an internal error",
        explanation: "The compiler caught a panic; the process of the compiler continues.",
        notes: "The panic is a bug of the compiler; report it with the kernel and the message.",
    },
    Code {
        code: LAUNCH_ARGUMENT,
        title: "invalid arguments of a launch",
        explanation: "The arguments of the launch do not match the declaration of the kernel. The message names the argument and the rule.",
        notes: "Each launch checks the number, kind, element type, size and sharing of the arguments. The kernel was not run.",
    },
    Code {
        code: INVALID_ARTIFACT,
        title: "an artifact contradicts itself",
        explanation: "A compiled kernel refers to a missing part, or its code cannot be loaded. Compile the kernel again.",
        notes: "Use the cubec that matches the program. If the error remains with the matching cubec, report the kernel.",
    },
    Code {
        code: DEVICE_LIMIT,
        title: "limit of the device",
        explanation: "A launch or an allocation exceeds a limit of the device, or a required feature is missing.",
        notes: "The message contains the limit and the requested value. The kernel was not run.",
    },
    Code {
        code: ENVIRONMENT,
        title: "invalid value of an environment variable",
        explanation: "The message names the environment variable, its value and the accepted values. No kernel was run.",
        notes: "docs/variables.md lists all environment variables.",
    },
    Code {
        code: KERNEL_CACHE,
        title: "a compiled kernel cannot be kept",
        explanation: "The cache folder cannot be created or written. The message names the file and the system's reason.",
        notes: "CUBE_CACHE or the program's configuration names the cache folder. The kernel runs now, and is compiled again by the next process. A damaged cache entry is not an error: the runtime replaces the entry.",
    },
    Code {
        code: C_CALL,
        title: "invalid call of the C interface",
        explanation: "An argument of a function of cube.h is invalid. The message names the function, the argument and the rule.",
        notes: "The argument is a null pointer, a text that is not UTF-8, or a structure with contradictory fields. The call had no effect.",
    },
    Code {
        code: BUNDLE,
        title: "a bundle of compiled kernels cannot be used",
        explanation: "The file is missing, damaged, truncated, or written by another version of Cube. Write it again with cubec bundle.",
        notes: "CUBE_BUNDLE, or bundles in [compilation] of cube.toml, names the file. A client that cannot use a bundle sends a notice, and takes its kernels from the disk cache or from the compiler. client.load_bundle returns the error.",
    },
    Code {
        code: HOST_DATA,
        title: "a data file could not be used",
        explanation: "A .npy or .png file is missing, damaged, or of an unsupported kind.",
        notes: "The message names the file, the cause and the fix. An output file is written completely or not at all.",
    },
    Code {
        code: NO_DEVICE,
        title: "the device does not exist on this machine",
        explanation: "The device's driver is not installed, does not start, or finds no device. The message names the cause.",
        notes: "`cube-run --list-backends` lists the backends that can run kernels on this machine.",
    },
    Code {
        code: KERNEL_FAULT,
        title: "a kernel faulted on the device",
        explanation: "A kernel accessed memory out of bounds, or the driver stopped the kernel. The contents of all buffers are lost.",
        notes: "The faulty kernel was launched after the last wait for the device. \
            Check the safety requirements of launch_unchecked, or run the kernel under compute-sanitizer. Checked accesses do not fault. \
            Every read of an existing buffer returns this error; new buffers and new launches work. \
            After a fault, CUDA does not execute further work of the process, so a child process uses the device. The child is this program if its main begins with serve_if_asked, and otherwise cube-launch from PATH. \
            On the CPU, cube-run and CpuDevice::catch_faults report divisions by zero and accesses outside a buffer; buffers keep the values that were written before the fault.",
    },
    Code {
        code: DRIVER,
        title: "the device's driver refused a call",
        explanation: "The driver refused a valid call. The message contains the driver's name for the error.",
        notes: "A frequent cause is that another program uses the device or its memory. If the error occurs again, report the error.",
    },
    Code {
        code: KERNEL_STOPPED,
        title: "the kernel stopped",
        explanation: "Units diverged at a barrier that all units of the cube must reach. Put the accesses into the branch, and keep the barrier outside.",
        notes: "The condition around the barrier depends on a value of the launch, such as a length, so the kernel compares the condition between units at run time. The message has the location of the barrier and the number of units that diverged. \
            Writes of the kernel before the error remain in the buffers. Let units without work continue to the barrier.",
    },
    Code {
        code: TIME_LIMIT,
        title: "a launch took too long and was terminated",
        explanation: "The variable CUBE_CPU_TIME_LIMIT=SECONDS, or CpuDevice::limit_time, limits the time of a launch on the CPU.",
        notes: "After the time limit, the launch ends at the next iteration of a loop that is not proven to terminate, or before its next cubes. Writes of the kernel before the error remain in the buffers. A non-terminating loop is a mistake of the kernel: the message has the line of the loop.",
    },
    Code {
        code: KERNEL_MISTAKE,
        title: "a kernel in Rust cannot be expanded",
        explanation: "The kernel is invalid for the comptime values of this launch. The message has the line and the fix. Nothing was compiled.",
        notes: "Examples are an unrolled loop with a bound that is known only at run time, an operation on lines of two sizes, and shared memory whose size is known only at run time. All mistakes of a kernel are reported together.",
    },
];

/// Finds the entry of an error code. The comparison of codes ignores case.
pub fn explain(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_unique_and_explained() {
        for pair in CODES.windows(2) {
            assert!(pair[0].code < pair[1].code, "{} before {}", pair[0].code, pair[1].code);
        }
        for entry in CODES {
            assert!(entry.code.starts_with("CUBE09") && entry.code.len() == 8, "{}", entry.code);
            assert!(!entry.title.ends_with('.') && entry.explanation.len() > 40, "{}", entry.code);
            assert!(entry.fits(), "{} needs more than two lines of 100 columns; move facts to the notes", entry.code);
        }
    }

    #[test]
    fn explain_finds_any_case_and_refuses_others() {
        assert_eq!(explain("cube0904").map(|c| c.code), Some(COMPILER_CRASH));
        assert_eq!(explain("CUBE0999"), None);
    }
}
