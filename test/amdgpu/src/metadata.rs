//! Reads the metadata, the kernel descriptors and the instructions of code objects with LLVM's tools.
use object::{Object, ObjectSection, ObjectSymbol};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The metadata of a code object.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// The field `amdhsa.target`.
    pub target: String,
    /// The flags of the ELF header, as `llvm-readelf` names them.
    pub flags: Vec<String>,
    /// `amdhsa.version`.
    pub version: Vec<u32>,
    /// The field `amdhsa.kernels`.
    pub kernels: Vec<Kernel>,
}

/// The metadata of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    fields: BTreeMap<String, String>,
    /// The 64 bytes of the kernel descriptor, and the fields that depend on their address.
    pub(crate) descriptor: Vec<u8>,
    pub(crate) entry: Entry,
    /// `.args`.
    pub arguments: Vec<Argument>,
    /// The field `.reqd_workgroup_size`.
    pub required: Vec<u32>,
}

/// The addresses of a kernel in its code object, and the length of its code in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) descriptor: u64,
    pub(crate) code: u64,
    pub(crate) bytes: u64,
}

/// An argument of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// The field `.name`; empty for hidden arguments.
    pub name: String,
    /// The field `.value_kind`.
    pub kind: String,
    /// The field `.offset`, in bytes.
    pub offset: u64,
    /// The field `.size`, in bytes.
    pub size: u64,
    /// `.address_space`; empty for values.
    pub space: String,
}

/// A command that runs a program of LLVM.
pub fn tool(name: &str) -> Command {
    let prefix = std::env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    Command::new(Path::new(&prefix).join("bin").join(name))
}

/// Compiles OpenCL to a code object with the clang of the LLVM installation whose tools read the metadata.
///
/// # Errors
/// The message of clang.
pub fn clang(source: &Path, chip: &str, object: &Path) -> Result<(), String> {
    let mut command = tool("clang");
    command.args(["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-O3", "-w"]);
    command.args(["-mcode-object-version=5", "-ffp-contract=off", &format!("-mcpu={chip}")]);
    command.args(chip.starts_with("gfx1").then_some("-mcumode")).arg(source).arg("-o").arg(object);
    // Clang searches for lld beside itself and on the path.
    let path = std::env::var("PATH").unwrap_or_default();
    let own = Path::new(tool("clang").get_program()).parent().map(|bin| bin.display().to_string()).unwrap_or_default();
    command.env("PATH", format!("{own}:{path}"));
    stdout_of(command).map(drop)
}

fn stdout_of(mut command: Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() && output.stderr.is_empty() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// The metadata of code objects, in the order of `files`.
///
/// # Errors
/// The message of `llvm-readelf`. A warning of the program is also an error.
pub fn notes(files: &[&Path]) -> Result<Vec<Notes>, String> {
    let mut command = tool("llvm-readelf");
    command.args(["--file-headers", "--notes", "--dyn-symbols"]).args(files);
    Ok(stdout_of(command)?.split("ELF Header:").skip(1).map(parse).collect())
}

/// The names of the instructions of each code object, up to the last `s_endpgm`. The result omits the instruction
/// `s_delay_alu`, which is only a hint.
///
/// # Errors
/// The message of `llvm-objdump`. A warning of the program is also an error.
pub fn instructions(files: &[&Path]) -> Result<Vec<Vec<String>>, String> {
    let mut command = tool("llvm-objdump");
    command.arg("-d").args(files);
    Ok(stdout_of(command)?.split("file format").skip(1).map(listed).collect())
}

/// The instructions in the output of `llvm-objdump` for one code object.
pub fn listed(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix('\t')?.split_whitespace().next());
    let mut all: Vec<String> = lines.map(String::from).collect();
    all.truncate(all.iter().rposition(|op| op == "s_endpgm").map_or(0, |at| at + 1));
    all.retain(|op| op != "s_delay_alu");
    all
}

fn parse(text: &str) -> Notes {
    let mut notes = Notes::default();
    let mut list = String::new();
    let flags = text.lines().find_map(|line| line.trim().strip_prefix("Flags:")).unwrap_or_default();
    notes.flags = flags.split(',').skip(1).map(|flag| flag.trim().into()).collect();
    let metadata = text.lines().skip_while(|line| *line != "amdhsa.kernels:").skip(1);
    for line in metadata.take_while(|line| *line != "...") {
        let indent = line.len() - line.trim_start().len();
        let (starts, rest) = match line.trim_start().strip_prefix("- ") {
            Some(rest) => (true, rest.trim()),
            None => (false, line.trim()),
        };
        let (key, value) = rest.split_once(':').map_or(("", rest), |(key, value)| (key, value.trim()));
        match (indent, starts, key) {
            (2, true, key) if key.starts_with('.') => notes.kernels.push(Kernel::default()),
            (6, true, key) if key.starts_with('.') => {
                if let Some(kernel) = notes.kernels.last_mut() {
                    kernel.arguments.push(Argument::default());
                }
            }
            (2, true, _) if list == "amdhsa.version" => notes.version.extend(value.parse::<u32>()),
            (0, false, "amdhsa.target") => notes.target = value.into(),
            _ => {}
        }
        if value.is_empty() {
            list = key.into();
        }
        let Some(kernel) = notes.kernels.last_mut() else { continue };
        match (indent, key.trim_start_matches('.')) {
            (6, "") if list == ".reqd_workgroup_size" => kernel.required.extend(value.parse::<u32>()),
            (2 | 4, key) if !value.is_empty() => _ = kernel.fields.insert(key.into(), value.into()),
            (6.., key) => {
                let Some(argument) = kernel.arguments.last_mut() else { continue };
                match key {
                    "name" => argument.name = value.into(),
                    "value_kind" => argument.kind = value.into(),
                    "offset" => argument.offset = value.parse().unwrap_or(u64::MAX),
                    "size" => argument.size = value.parse().unwrap_or(0),
                    "address_space" => argument.space = value.into(),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    notes
}

impl Kernel {
    /// The text of the field with this name (without the dot); empty if the field is absent.
    pub fn text(&self, field: &str) -> String {
        self.fields.get(field).cloned().unwrap_or_default()
    }

    /// The number in a field; `u64::MAX` if the field is absent.
    pub fn number(&self, field: &str) -> u64 {
        self.text(field).parse().unwrap_or(u64::MAX)
    }

    /// Adds the kernel descriptor of the code object to the metadata.
    #[must_use]
    pub fn with_descriptor(self, code: &[u8], entry: &str) -> Kernel {
        let found = object::File::parse(code).ok().and_then(|file| {
            let symbol = |name: &str| file.dynamic_symbols().find(|own| own.name() == Ok(name));
            let (descriptor, code) = (symbol(&format!("{entry}.kd"))?, symbol(entry)?);
            let section = file.section_by_index(descriptor.section_index()?).ok()?;
            let bytes = section.data_range(descriptor.address(), 64).ok()??.to_vec();
            Some((bytes, Entry { descriptor: descriptor.address(), code: code.address(), bytes: code.size() }))
        });
        let (descriptor, entry) = found.unwrap_or_default();
        Kernel { descriptor, entry, ..self }
    }

    /// The kernel with one changed bit of its descriptor.
    #[must_use]
    pub fn with_flipped_bit(&self, bit: usize) -> Kernel {
        let mut other = self.clone();
        if let Some(byte) = other.descriptor.get_mut(bit / 8) {
            *byte ^= 1 << (bit % 8);
        }
        other
    }
}
