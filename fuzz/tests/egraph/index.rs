//! Counts PTX instructions of kernels that consist of index arithmetic (`benches/kernels/index.mlir`). The test
//! compiles each kernel with and without the division passes, and with and without the variant of `coarsen` for whole
//! rows. A small PTX interpreter counts the instructions that one unit executes for typical shapes.
use cube_artifact::derived::{Arguments, Derived, Property};
use cube_artifact::{Artifact, ParamKind, Target};
use cube_fuzz::without::{OF_INDICES, compile};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// PTX instructions that ptxas expands to a division sequence.
const DIVISIONS: [&str; 4] = ["div.u32", "rem.u32", "div.s32", "rem.s32"];

/// The statements of a PTX entry: labels, and lines that end in a semicolon and are not declarations.
fn statements(ptx: &str) -> Vec<&str> {
    let lines = ptx.lines().map(str::trim);
    lines.filter(|line| line.ends_with(':') || line.ends_with(';') && !line.starts_with('.')).collect()
}

/// A launch: elements of all buffers, scalars by name, cubes along x.
struct Launch {
    kernel: &'static str,
    elements: u64,
    scalars: &'static [(&'static str, u64)],
    cubes: u64,
}

impl Arguments for Launch {
    fn scalar(&self, name: &str) -> Option<u64> {
        self.scalars.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }

    fn of(&self, property: Property, _: &str, _: u32) -> Option<u64> {
        // Allocations begin at multiples of every access.
        Some(if property == Property::Offset { 0 } else { self.elements })
    }

    fn cubes(&self, axis: u32) -> Option<u64> {
        Some(if axis == 0 { self.cubes } else { 1 })
    }
}

/// The number of all instructions, and the number of divisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    all: u64,
    divisions: u64,
}

/// The state of one unit that executes a PTX entry. Loads return 0, and stores are dropped.
struct Unit<'a> {
    registers: HashMap<&'a str, u64>,
    parameters: Vec<u64>,
    carry: u64,
    /// The addresses of loads and stores.
    addresses: Vec<u64>,
}

impl<'a> Unit<'a> {
    fn value(&self, operand: &str) -> u64 {
        match operand {
            "%tid.x" => 5,
            "%ctaid.x" => 1,
            "%nctaid.x" => 64,
            "%nctaid.y" | "%nctaid.z" | "%ntid.y" | "%ntid.z" => 1,
            "%ctaid.y" | "%ctaid.z" | "%tid.y" | "%tid.z" => 0,
            _ if operand.starts_with('%') => self.registers[operand],
            _ if operand.starts_with("0f") => u64::from_str_radix(&operand[2..], 16).expect("bits of a float"),
            _ => operand.parse::<i64>().unwrap_or_else(|_| panic!("operand {operand}")) as u64,
        }
    }

    // Records the address `[%rd1+8]` of an access.
    fn access(&mut self, operands: &str) {
        let address = operands.split_once('[').and_then(|(_, rest)| rest.split_once(']')).expect("an address").0;
        let (base, offset) = address.split_once('+').unwrap_or((address, "0"));
        let address = self.value(base).wrapping_add(self.value(offset));
        self.addresses.push(address);
    }

    // The value of an instruction on integers and predicates.
    fn compute(&self, name: &str, args: &[&str]) -> u64 {
        let wide = [".b64", ".u64", ".s64"].iter().any(|ty| name.ends_with(ty));
        let mask = if wide { u64::MAX } else { u64::from(u32::MAX) };
        let v: Vec<u64> = args.iter().map(|arg| self.value(arg)).collect();
        let w = |n: usize| v[n] & mask;
        let low = |n: usize| v[n] & u64::from(u32::MAX);
        let root = name.split('.').next().unwrap_or_default();
        let kind = name.split('.').nth(1).unwrap_or_default();
        let value = match (root, kind) {
            ("mov", _) => v[0],
            ("cvt", _) => {
                if name == "cvt.u32.u64" || name == "cvt.u64.u32" {
                    low(0)
                } else {
                    panic!("{name}")
                }
            }
            ("add", _) => v[0].wrapping_add(v[1]),
            ("sub", _) => v[0].wrapping_sub(v[1]),
            ("neg", _) => v[0].wrapping_neg(),
            ("mul", "wide") => return low(0) * low(1),
            ("mul", "hi") => {
                return ((u128::from(w(0)) * u128::from(w(1))) >> if wide { 64 } else { 32 }) as u64;
            }
            ("mad", "wide") => return (low(0) * low(1)).wrapping_add(v[2]),
            ("mul", "lo") => v[0].wrapping_mul(v[1]),
            ("mad", "lo") => v[0].wrapping_mul(v[1]).wrapping_add(v[2]),
            ("shl", _) => w(0).checked_shl(v[1] as u32).unwrap_or(0),
            ("shr", _) => w(0).checked_shr(v[1] as u32).unwrap_or(0),
            ("and", "pred") => v[0] & v[1],
            ("or", "pred") => v[0] | v[1],
            ("not", "pred") => v[0] ^ 1,
            ("and", _) => v[0] & v[1],
            ("or", _) => v[0] | v[1],
            ("xor", _) => v[0] ^ v[1],
            ("min", _) => w(0).min(w(1)),
            ("max", _) => w(0).max(w(1)),
            ("div", _) => w(0) / w(1),
            ("rem", _) => w(0) % w(1),
            ("selp", _) => {
                if v[2] == 1 {
                    v[0]
                } else {
                    v[1]
                }
            }
            ("setp", "eq") => return (w(0) == w(1)).into(),
            ("setp", "ne") => return (w(0) != w(1)).into(),
            ("setp", "lt") => return (w(0) < w(1)).into(),
            ("setp", "le") => return (w(0) <= w(1)).into(),
            ("setp", "gt") => return (w(0) > w(1)).into(),
            ("setp", "ge") => return (w(0) >= w(1)).into(),
            _ => panic!("no instruction {name} {args:?}"),
        };
        value & mask
    }

    fn run(&mut self, code: &[&'a str]) -> Count {
        let labels: HashMap<&str, usize> =
            code.iter().enumerate().filter_map(|(n, line)| Some((line.strip_suffix(':')?, n))).collect();
        let (mut count, mut at) = (Count::default(), 0);
        while let Some(line) = code.get(at) {
            at += 1;
            let Some(line) = line.strip_suffix(';') else { continue };
            count.all += 1;
            assert!(count.all < 100_000, "the unit does not end");
            let (guard, line) = match line.strip_prefix('@') {
                Some(guarded) => guarded.split_once(' ').map_or((None, guarded), |(p, rest)| (Some(p), rest)),
                None => (None, line),
            };
            let taken = guard.is_none_or(|guard| match guard.strip_prefix('!') {
                Some(not) => self.value(not) == 0,
                None => self.value(guard) == 1,
            });
            if !taken {
                continue;
            }
            let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let rest = rest.trim();
            count.divisions += u64::from(DIVISIONS.contains(&name));
            match name {
                "ret" => break,
                "bra" | "bra.uni" => at = labels[rest],
                _ if name.starts_with("st.") => self.access(rest),
                _ if name.starts_with("ld.param") => {
                    let (to, from) = rest.split_once(", ").expect("two operands");
                    let number = from.trim_matches(['[', ']']).rsplit('_').next().and_then(|n| n.parse::<usize>().ok());
                    let value = self.parameters[number.expect("a parameter has a number")];
                    let value = if name.ends_with("64") { value } else { value & u64::from(u32::MAX) };
                    self.registers.insert(to, value);
                }
                _ if name.starts_with("ld.") => {
                    self.access(rest);
                    let to = rest.split(", [").next().unwrap_or_default().trim_matches(['{', '}']);
                    to.split(", ").for_each(|to| _ = self.registers.insert(to, 0));
                }
                // The halves of a pair.
                "mov.b64" if rest.starts_with('{') => {
                    let (halves, from) = rest[1..].split_once("}, ").expect("two operands");
                    let (low, high) = halves.split_once(", ").expect("two halves");
                    let value = self.value(from);
                    self.registers.extend([(low, value & u64::from(u32::MAX)), (high, value >> 32)]);
                }
                "mad.lo.cc.u32" | "madc.hi.u32" => {
                    let operands: Vec<&str> = rest.split(", ").collect();
                    let [a, b, c] = [1, 2, 3].map(|n| self.value(operands[n]) & u64::from(u32::MAX));
                    let (shift, carry) = if name == "madc.hi.u32" { (32, self.carry) } else { (0, 0) };
                    let sum = (((a * b) >> shift) & u64::from(u32::MAX)) + c + carry;
                    self.carry = sum >> 32;
                    self.registers.insert(operands[0], sum & u64::from(u32::MAX));
                }
                _ => {
                    let mut operands = rest.split(", ");
                    let to = operands.next().unwrap_or_default();
                    let args: Vec<&str> = operands.collect();
                    let value = self.compute(name, &args);
                    self.registers.insert(to, value);
                }
            }
        }
        count
    }
}

/// Shapes that are usual in neural networks: 128 channels, 3 by 3 filters, and windows of 7 by 7 tokens with
/// 96 channels.
const LAUNCHES: [Launch; 3] = [
    Launch {
        kernel: "permute",
        elements: 1 << 22,
        scalars: &[("n1", 16), ("n2", 64), ("n3", 128), ("s0", 1), ("s1", 64), ("s2", 1024), ("s3", 65536)],
        cubes: 1 << 14,
    },
    Launch {
        kernel: "im2col",
        elements: 1 << 22,
        scalars: &[("channels", 128), ("h", 56), ("w", 56), ("oh", 56), ("ow", 56), ("kh", 3), ("kw", 3), ("pad", 1)],
        cubes: 1 << 14,
    },
    Launch {
        kernel: "window",
        elements: 1 << 22,
        scalars: &[("h", 56), ("w", 56), ("win", 7), ("ch", 96), ("shift", 3)],
        cubes: 1 << 14,
    },
];

fn compiled(kernel: &str, target: (&str, &str), with: bool) -> Artifact {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the checkout");
    let text = std::fs::read(root.join("benches/kernels/index.mlir")).expect("it is there");
    let target = Target { backend: target.0.into(), chip: Some(target.1.into()) };
    compile(&text, kernel, &target, if with { &[] } else { OF_INDICES }).expect("it compiles")
}

/// The number of instructions in the PTX text, the number of instructions that one unit executes, and the number of
/// elements that the unit processes, and the sorted addresses of its accesses. If `rows` is false, the unit runs the variant
/// of the kernel for rows of any length.
fn counted(artifact: &Artifact, launch: &Launch, rows: bool) -> (usize, Count, u64, Vec<u64>) {
    let ptx = std::str::from_utf8(&artifact.code).expect("PTX is text");
    let code = statements(ptx);
    let mut parameters = Vec::new();
    for param in &artifact.params {
        match param.kind {
            ParamKind::Buffer { .. } => parameters.extend([1 << 20, launch.elements]),
            ParamKind::Scalar { .. } => parameters.push(launch.scalar(&param.name).expect("an argument")),
        }
    }
    let mut taken = 1;
    for derived in &artifact.derived {
        let value = Derived::parse(&derived.expression).and_then(|e| e.evaluate(launch)).expect("an expression");
        if derived.name == "unit_elements" {
            taken = value;
        }
        parameters.push(if derived.name == "whole_rows" && !rows { 0 } else { value });
    }
    let mut unit = Unit { registers: HashMap::new(), parameters, carry: 0, addresses: vec![] };
    let mut count = unit.run(&code);
    unit.addresses.sort_unstable();
    // The argument, its comparison and its branch.
    count.all -= if rows { 0 } else { 3 };
    (code.iter().filter(|line| line.ends_with(';')).count(), count, taken, unit.addresses)
}

#[test]
fn units_of_index_kernels_execute_less() {
    for launch in &LAUNCHES {
        let count = |with| counted(&compiled(launch.kernel, ("nvptx", "sm_90a"), with), launch, with);
        let [with, without] = [true, false].map(count);
        // ptxas 13.0 writes a division of 32 bits with about 20 instructions.
        let [weight, weight_without] = [with.1, without.1].map(|count| count.all + 19 * count.divisions);
        println!(
            "{}: {} instructions of PTX in the text instead of {}; a unit with {} elements executes {} instead of {} with {} divisions",
            launch.kernel, with.0, without.0, with.2, with.1.all, without.1.all, without.1.divisions
        );
        assert_eq!((with.2, without.2, with.1.divisions), (4, 4, 0), "{}", launch.kernel);
        // A load outside of the image does not run. The store of four elements always runs.
        assert!(!with.3.is_empty(), "{}", launch.kernel);
        assert_eq!(with.3, without.3, "{}: addresses of the accesses", launch.kernel);
        assert!(weight * 2 < weight_without, "{}: {weight} instead of {weight_without}", launch.kernel);
    }
}

#[test]
#[ignore = "a tool: writes artifacts of index kernels with and without the passes of division to CUBE_OUT, for timing and for ptxas"]
fn index_kernels_with_and_without() {
    let out = PathBuf::from(std::env::var_os("CUBE_OUT").expect("CUBE_OUT names a folder"));
    for kernel in LAUNCHES.iter().map(|launch| launch.kernel) {
        for target in [("nvptx", "sm_90a"), ("cpu", "native")] {
            for with in [true, false] {
                let artifact = compiled(kernel, target, with);
                let name = format!("{kernel}.{}.{}", target.0, if with { "with" } else { "without" });
                std::fs::write(out.join(format!("{name}.artifact")), artifact.to_bytes()).expect("it can be written");
                if let Ok(ptx) = std::str::from_utf8(&artifact.code) {
                    std::fs::write(out.join(format!("{name}.ptx")), ptx).expect("it can be written");
                }
            }
        }
    }
}
