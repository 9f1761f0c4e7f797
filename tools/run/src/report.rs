//! Formats the output of `cube-run`: the description of a kernel, buffers, results of comparisons, and times.
use cube_artifact::{Artifact, BufferAccess, Param, ParamKind};
use cube_runtime::hostdata::{HostArray, Report};
use std::fmt::Write;
use std::time::Duration;

/// Maximum number of elements of a buffer that is printed completely. If a buffer has more elements, only the
/// first and last elements are printed.
const PRINTED: usize = 1000;

/// The parameters and properties of a kernel.
pub fn describe(artifact: &Artifact) -> String {
    let [x, y, z] = artifact.cube_dim;
    let mut text = format!("kernel {} for {}\n", artifact.kernel, artifact.target);
    let _ = writeln!(text, "  cube dim     {x}, {y}, {z}");
    let bounds = if artifact.checked { "checked" } else { "promised by the caller" };
    let _ = writeln!(text, "  accesses     {bounds}");
    let hash: String = artifact.content_hash().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let _ = writeln!(text, "  code         {} bytes, artifact {hash}", artifact.code.len());
    if !artifact.features.is_empty() {
        let _ = writeln!(text, "  needs        {}", artifact.features.join(" "));
    }
    for param in &artifact.params {
        let _ = writeln!(text, "  --arg {:12} {}", format!("{}=..", param.name), kind(param));
    }
    text
}

fn kind(param: &Param) -> String {
    match param.kind {
        ParamKind::Scalar { elem } => format!("scalar of {elem}"),
        ParamKind::Buffer { elem, line, access, .. } => {
            let lines = if line == 1 { String::new() } else { format!(" in lines of {line}") };
            let word = match access {
                BufferAccess::Read => "read",
                BufferAccess::Write => "written",
                BufferAccess::ReadWrite => "read and written",
                BufferAccess::Unaccessed => "not accessed",
            };
            format!("buffer of {elem}{lines}, {word}")
        }
    }
}

/// Formats a buffer: its name, type and shape, then one line per row.
pub fn array(name: &str, array: &HostArray) -> String {
    let shape = array.shape().iter().map(u64::to_string).collect::<Vec<_>>().join(" x ");
    let mut text = format!("{name}: {} of {}\n", shape, array.elem());
    let total = array.len();
    let row = array.shape().last().map_or(1, |n| (*n as usize).max(1));
    let show = |i: usize| array.show(i).unwrap_or_default();
    if total > PRINTED {
        let ends = |range: std::ops::Range<usize>| range.map(show).collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "{} ... {}", ends(0..8), ends(total - 8..total));
        return text;
    }
    for start in (0..total).step_by(row) {
        let line: Vec<String> = (start..total.min(start + row)).map(show).collect();
        let _ = writeln!(text, "{}", line.join(" "));
    }
    text
}

/// The result of a buffer's comparison, on one line.
pub fn verdict(name: &str, report: &Report, ulp: u64, actual: &HostArray, expected: &HostArray) -> String {
    let mut text = format!("check {name}: ");
    match report.worst {
        None => text += "equal",
        Some(worst) => {
            let distance = if report.max_ulp == u64::MAX { "beyond any".into() } else { report.max_ulp.to_string() };
            let show = |array: &HostArray| array.show(worst).unwrap_or_default();
            let at = position(worst, actual.shape());
            let _ = write!(text, "max {distance} ulp at {at}: {}, expected {}", show(actual), show(expected));
        }
    }
    let _ = write!(text, "; {} of {} elements beyond {ulp} ulp", report.count, report.total);
    text
}

// The index of an element along each dimension.
fn position(mut index: usize, shape: &[u64]) -> String {
    let mut parts = Vec::new();
    for side in shape.iter().rev().map(|n| (*n as usize).max(1)) {
        parts.push((index % side).to_string());
        index /= side;
    }
    parts.reverse();
    format!("[{}]", parts.join(", "))
}

/// The times of a run, one line per step.
#[derive(Default)]
pub struct Times(Vec<(String, Duration, String)>);

impl Times {
    pub fn add(&mut self, step: &str, time: Duration, remark: impl Into<String>) {
        self.0.push((step.into(), time, remark.into()));
    }

    /// Appends the step times of another list.
    pub fn append(&mut self, more: Times) {
        self.0.extend(more.0);
    }

    pub fn table(&self) -> String {
        let line = |(step, time, remark): &(String, Duration, String)| {
            format!("{step:14} {:>12}  {remark}", milliseconds(*time)).trim_end().to_string() + "\n"
        };
        self.0.iter().map(line).collect()
    }
}

/// Formats a time in milliseconds with three decimals.
pub fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

/// Minimum number of bytes that a launch moves: each read buffer is read once, and each written buffer is
/// written once.
pub fn bytes_moved(artifact: &Artifact, bytes: &[u64]) -> u64 {
    let one = |(param, bytes): (&Param, &u64)| match param.kind {
        ParamKind::Buffer { access: BufferAccess::ReadWrite, .. } => 2 * bytes,
        ParamKind::Buffer { access: BufferAccess::Unaccessed, .. } => 0,
        ParamKind::Buffer { .. } => *bytes,
        ParamKind::Scalar { .. } => 0,
    };
    artifact.params.iter().zip(bytes).map(one).sum()
}

/// The bandwidth in GB/s, as text for users.
pub fn bandwidth(bytes: u64, time: Duration) -> String {
    format!("{:.2} GB/s", bytes as f64 / time.as_secs_f64().max(1e-9) / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_artifact::ElemType;
    use cube_runtime::hostdata::{Fill, compare};

    fn iota(elem: ElemType, shape: &[u64]) -> HostArray {
        Fill::Iota.array(elem, shape.to_vec()).unwrap()
    }

    #[test]
    fn small_buffers_are_printed_in_rows_and_large_ones_by_their_ends() {
        assert_eq!(array("y", &iota(ElemType::F32, &[2, 3])), "y: 2 x 3 of f32\n0 1 2\n3 4 5\n");
        assert_eq!(array("y", &iota(ElemType::U8, &[0])), "y: 0 of u8\n");
        let large = array("y", &iota(ElemType::U32, &[1001]));
        assert_eq!(large, "y: 1001 of u32\n0 1 2 3 4 5 6 7 ... 993 994 995 996 997 998 999 1000\n");
    }

    #[test]
    fn a_verdict_names_the_worst_element_and_counts_the_others() {
        let expected = iota(ElemType::F32, &[2, 3]);
        let mut actual = expected.clone();
        // One ULP above 5.0, the last element.
        actual.bytes_mut()[20] += 1;
        let verdict_of = |ulp| verdict("y", &compare(&actual, &expected, ulp).unwrap(), ulp, &actual, &expected);
        assert_eq!(verdict_of(0), "check y: max 1 ulp at [1, 2]: 5.0000005, expected 5; 1 of 6 elements beyond 0 ulp");
        assert!(verdict_of(1).ends_with("; 0 of 6 elements beyond 1 ulp"));
        let same = compare(&expected, &expected, 0).unwrap();
        assert_eq!(verdict("y", &same, 0, &expected, &expected), "check y: equal; 0 of 6 elements beyond 0 ulp");
        actual.bytes_mut()[20..].copy_from_slice(&f32::NAN.to_le_bytes());
        let nan = verdict("y", &compare(&actual, &expected, 9).unwrap(), 9, &actual, &expected);
        assert!(nan.starts_with("check y: max beyond any ulp at [1, 2]: NaN"), "{nan}");
    }

    #[test]
    fn read_and_written_bytes_count_twice() {
        let buffer = |access| Param {
            name: String::new(),
            kind: ParamKind::Buffer { elem: ElemType::F32, line: 1, align: 1, access },
        };
        let mut artifact = crate::tests::empty_artifact();
        artifact.params =
            vec![buffer(BufferAccess::Read), buffer(BufferAccess::ReadWrite), buffer(BufferAccess::Write)];
        assert_eq!(bytes_moved(&artifact, &[1, 10, 100]), 121);
        assert_eq!(bandwidth(3_000_000_000, Duration::from_millis(1500)), "2.00 GB/s");
    }
}
