//! The error codes of the runtime side, for `--explain CODE`.

/// An error code and its explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The code as messages print it, for example `CUBE0904`.
    pub code: &'static str,
    /// One line that names the failure.
    pub title: &'static str,
    /// Cause and remedy.
    pub explanation: &'static str,
}

/// No compiler program was found.
pub const NO_COMPILER: &str = "CUBE0900";
/// The compiler program could not be started.
pub const COMPILER_START: &str = "CUBE0901";
/// The started program does not use the protocol.
pub const NOT_A_COMPILER: &str = "CUBE0902";
/// The compiler program has another version, or is another build of this version.
pub const COMPILER_VERSION: &str = "CUBE0903";
/// The compiler process ended before it answered.
pub const COMPILER_CRASH: &str = "CUBE0904";
/// The compiler process sent an invalid answer.
pub const GARBLED: &str = "CUBE0905";
/// The compiler process did not answer in time.
pub const TIME_OUT: &str = "CUBE0906";
/// A request or an answer exceeds the size limit of a frame.
pub const TOO_LARGE: &str = "CUBE0907";
/// The compiler panicked and continued.
pub const COMPILER_PANIC: &str = "CUBE0908";
/// Arguments of a launch that the kernel does not accept.
pub const LAUNCH_ARGUMENT: &str = "CUBE0920";
/// An artifact that is invalid for this version of the compiler.
pub const INVALID_ARTIFACT: &str = "CUBE0921";
/// A request exceeds a limit of the device.
pub const DEVICE_LIMIT: &str = "CUBE0922";
/// An environment variable has an invalid value.
pub const ENVIRONMENT: &str = "CUBE0923";
/// A compiled kernel could not be cached on disk.
pub const KERNEL_CACHE: &str = "CUBE0924";
/// Invalid arguments of a call of the C interface.
pub const C_CALL: &str = "CUBE0925";
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
/// A kernel in Rust is invalid for the values of its launch.
pub const KERNEL_MISTAKE: &str = "CUBE0950";

/// All codes of the runtime side, in order.
pub const CODES: &[Code] = &[
    Code {
        code: NO_COMPILER,
        title: "no cube compiler was found",
        explanation: "Kernels are compiled by the program cubec. It is looked for in the environment variable CUBE_COMPILER \
            (a path), then in the folders of PATH, next to the running program, where cargo installs programs, and in the \
            checkout that the program's library was compiled from. Install it with the command in the message, or set \
            CUBE_COMPILER to where it is.",
    },
    Code {
        code: COMPILER_START,
        title: "the compiler could not be started",
        explanation: "A compiler was found, but the operating system refused to start it; the message carries its reason. \
            Check that the file is executable and made for this machine.",
    },
    Code {
        code: NOT_A_COMPILER,
        title: "the program on the pipe is not a cube compiler",
        explanation: "The program was started with the argument `serve` and did not send cubec's greeting. Most often \
            CUBE_COMPILER or PATH names another program; the message shows what it said.",
    },
    Code {
        code: COMPILER_VERSION,
        title: "the compiler is of another version or build",
        explanation: "Program and compiler must have the same version, because artifacts and protocol carry no \
            compatibility promise before 1.0. Install the matching cubec. One of the same version can come from another build, \
            made before or after artifacts or messages changed: the greeting carries a number of their layout. Build the \
            compiler again from the sources that the program is built from.",
    },
    Code {
        code: COMPILER_CRASH,
        title: "the compiler process ended before it answered",
        explanation: "The compiler runs in a separate process, so that its crash does not end the program. It was \
            killed (often for lack of memory), or has a bug. The next kernel gets a new process. Report the kernel: the \
            message carries the exit status and the last output of the compiler.",
    },
    Code {
        code: GARBLED,
        title: "bytes on the compiler's pipe were damaged",
        explanation: "A frame did not match its checksum, or was neither a request nor an answer. Some code in \
            the compiler process writes to its standard output beside the protocol, or it is not cubec. The process is \
            ended and the next kernel gets a new one.",
    },
    Code {
        code: TIME_OUT,
        title: "the compiler did not answer in time",
        explanation: "The compiler process was ended because it took longer than the limit (120 seconds unless set \
            otherwise). The next kernel gets a new process. Raise the limit for very large kernels; otherwise report the \
            kernel.",
    },
    Code {
        code: TOO_LARGE,
        title: "a kernel or its artifact is too large for the compiler's pipe",
        explanation: "Requests and answers are limited to 256 MiB. Split the module, or compile in process with the \
            feature embedded-compiler.",
    },
    Code {
        code: COMPILER_PANIC,
        title: "the compiler hit an internal error",
        explanation: "A panic in the compiler was caught; the process continues. It is a bug of the compiler: report it with \
            the kernel and the message.",
    },
    Code {
        code: LAUNCH_ARGUMENT,
        title: "invalid arguments of a launch",
        explanation: "Number, kind, element type, size or sharing of the arguments differ from what the kernel declares; \
            the message names the argument and the rule. Nothing was run.",
    },
    Code {
        code: INVALID_ARTIFACT,
        title: "an artifact contradicts itself",
        explanation: "The compiled form of a kernel refers to things that it does not have, or its code is not an object \
            that can be loaded. Compile the kernel again with the matching cubec; if that does not help, report it.",
    },
    Code {
        code: DEVICE_LIMIT,
        title: "limit of the device",
        explanation: "A launch, an allocation or a required feature is beyond a limit of the device; the message names \
            limit and value. Nothing was run.",
    },
    Code {
        code: ENVIRONMENT,
        title: "invalid value of an environment variable",
        explanation: "CUBE_DEBUG is 1 for code that a debugger can follow, CUBE_CACHE_MIB says how much compiled kernels may take on \
            disk, CUBE_DUMP and CUBE_TRACE name folders that can be written, CUBE_CPU_THREADS is a number of threads, CUBE_CPU_GUARD is 0 or 1, \
            CUBE_CPU_TIME_LIMIT is a number of seconds, CUBE_CUDA_DEVICE is the number of a GPU; the message names the variable, its value and the accepted values. Nothing was run.",
    },
    Code {
        code: KERNEL_CACHE,
        title: "a compiled kernel cannot be kept",
        explanation: "The folder that CUBE_CACHE or the program's configuration names cannot be made or written, or its disk is \
            full; the message names the file and the system's reason. The kernel runs all the same, and is compiled again the \
            next time. Entries that are damaged, cut short or of another compiler are not errors: the runtime writes them again.",
    },
    Code {
        code: C_CALL,
        title: "invalid call of the C interface",
        explanation: "A function of cube.h was given a null pointer, a text that is not UTF-8, or a structure whose fields \
            contradict each other; the message names the function's argument and the rule. Nothing was changed.",
    },
    Code {
        code: HOST_DATA,
        title: "a data file could not be used",
        explanation: "A .npy or .png file is missing, damaged or of a kind that is not read; the message names the file, \
            what is wrong and the way out. Output files are written whole or not at all.",
    },
    Code {
        code: NO_DEVICE,
        title: "the device does not exist on this machine",
        explanation: "The device's driver is not installed, does not start, or finds no device; the message says which. \
            `cube-run --list-backends` tells what can run kernels on this machine.",
    },
    Code {
        code: KERNEL_FAULT,
        title: "a kernel faulted on the device",
        explanation: "A kernel accessed memory out of bounds, or was stopped by the driver. All memory that the \
            device held for this program is lost: existing buffers then return this error; new ones \
            and the next launch work. The kernel is one of those launched since the last time the program waited for the \
            device. CUDA does no more work for a process whose kernel has faulted, so the device is then used from a child \
            process: this program itself, where its main begins with serve_if_asked, or cube-launch, which must be in PATH. \
            Kernels with checked accesses do not fault; look at launch_unchecked promises, or run the kernel under \
            compute-sanitizer. On the CPU, cube-run and devices with CpuDevice::catch_faults report an integer division by zero and \
            an access that leaves its buffers so; there the buffers keep what the kernel wrote till then.",
    },
    Code {
        code: DRIVER,
        title: "the device's driver refused a call",
        explanation: "The driver answered with an error that no argument of the program explains; the message carries its \
            own name for it. Often another program has taken the device or its memory; if it repeats, report it.",
    },
    Code {
        code: KERNEL_STOPPED,
        title: "the kernel stopped",
        explanation: "A barrier waits for all units of a cube. Where the condition around it can differ between units, and only \
            the launch knows its value (a length, a number in memory), units compare it and stop if they diverge. \
            The message gives the location and the number of units that diverged. Writes made before that remain. Guard the \
            accesses around the barrier rather than the barrier, and let units without work continue instead of ending.",
    },
    Code {
        code: TIME_LIMIT,
        title: "a launch took too long and was ended",
        explanation: "CUBE_CPU_TIME_LIMIT=SECONDS, or CpuDevice::limit_time, limits the time of a launch on the CPU. A launch that \
            takes longer ends at the next iteration of a loop that is not proven to terminate, or before its next cubes. Its earlier \
            writes remain. A non-terminating loop is a mistake of the kernel: the message gives its line.",
    },
    Code {
        code: KERNEL_MISTAKE,
        title: "a kernel in Rust cannot be expanded",
        explanation: "rustc accepts the kernel, but the values of this launch make it invalid: a bound of an unrolled \
            loop that is not known, lines of two sizes, a size of shared memory that only the device would know. The message \
            gives the line and the fix. All mistakes of a kernel are reported together. Nothing was compiled.",
    },
];

/// The entry of a code, independent of the case of its letters.
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
            assert!(!entry.title.ends_with('.') && entry.explanation.len() > 60, "{}", entry.code);
            assert!(!entry.explanation.contains("  "), "{}: line continuation left a gap", entry.code);
        }
    }

    #[test]
    fn explain_finds_any_case_and_refuses_others() {
        assert_eq!(explain("cube0904").map(|c| c.code), Some(COMPILER_CRASH));
        assert_eq!(explain("CUBE0999"), None);
    }
}
