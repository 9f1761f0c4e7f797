//! Accesses to the elements of a line by index. A compile-time index must be in bounds. A run-time index out of
//! bounds reads 0 and writes nothing.
use crate::common::{R, client, one};
use cubecl::prelude::*;
use cubecl::server::Handle;

#[cube(launch)]
fn computed(lines: &mut Array<Line<f32>>, at: &Array<u32>, out: &mut Array<f32>) {
    let mut line = lines[0];
    out[ABSOLUTE_POS] = line[at[ABSOLUTE_POS]];
    line[at[ABSOLUTE_POS]] = 9.0;
    lines[1 + ABSOLUTE_POS] = line;
}

const AT: [u32; 7] = [0, 1, 3, 4, 7, 1 << 31, u32::MAX];

fn lines(handle: &Handle, count: usize, size: u8) -> ArrayArg<'_, R> {
    // SAFETY: the handle has that many lines of that size.
    unsafe { ArrayArg::from_raw_parts::<f32>(handle, count * size as usize, size) }
}

#[test]
fn out_of_range_computed_index_reads_zero_and_skips_writes() {
    for size in [1u8, 2, 4] {
        let (client, n) = (client(), usize::from(size));
        let mut memory = vec![0.0f32; n * (1 + AT.len())];
        (0..n).for_each(|i| memory[i] = 1.0 + i as f32);
        let (buffer, at) = (client.create(f32::as_bytes(&memory)), client.create(u32::as_bytes(&AT)));
        let out = client.create(f32::as_bytes(&[7.0; AT.len()]));
        let (a, b, c) = (lines(&buffer, 1 + AT.len(), size), crate::common::array::<u32>(&at, AT.len()), AT.len());
        let c = crate::common::array::<f32>(&out, c);
        computed::try_launch::<R>(&client, one(), CubeDim::new_1d(AT.len() as u32), a, b, c).unwrap();
        let line = memory[..n].to_vec();
        let read: Vec<f32> = AT.iter().map(|at| line.get(*at as usize).copied().unwrap_or(0.0)).collect();
        assert_eq!(f32::from_bytes(&client.read_one(out)), read, "lines of {size}");
        let written = AT.iter().flat_map(|at| {
            let mut line = line.clone();
            line.iter_mut().skip(*at as usize).take(1).for_each(|element| *element = 9.0);
            line
        });
        let written: Vec<f32> = line.iter().copied().chain(written).collect();
        assert_eq!(f32::from_bytes(&client.read_one(buffer)), written, "lines of {size}");
    }
}

#[cube(launch)]
fn read_known(lines: &mut Array<Line<f32>>, #[comptime] at: u32) {
    let line = lines[0];
    lines[0] = Line::new(line[at]);
}

#[cube(launch)]
fn written_known(lines: &mut Array<Line<f32>>, #[comptime] at: u32) {
    let mut line = lines[0];
    line[at] = 1.0;
    lines[0] = line;
}

#[test]
fn a_known_index_outside_is_an_error_at_its_line() {
    let client = client();
    let buffer = client.create(f32::as_bytes(&[1.0, 2.0, 3.0, 4.0]));
    for (size, at, fits) in
        [(4u8, 3, true), (4, 4, false), (4, 7, false), (2, 1, true), (2, 2, false), (1, 0, true), (1, 1, false)]
    {
        let arg = || lines(&buffer, 1, size);
        let dim = CubeDim::new_1d(1);
        let line_of =
            |text: &str| 1 + include_str!("line_elements.rs").lines().position(|line| line.trim() == text).unwrap();
        let read = read_known::try_launch::<R>(&client, one(), dim, arg(), at);
        let read = (read, line_of("lines[0] = Line::new(line[at]);"));
        let written = (written_known::try_launch::<R>(&client, one(), dim, arg(), at), line_of("line[at] = 1.0;"));
        for (outcome, line) in [read, written] {
            let Err(error) = outcome else {
                assert!(fits, "element {at} of a line of {size}");
                continue;
            };
            let text = error.to_string();
            assert!(!fits && text.contains(&format!("element {at} is outside of a line of {size}")), "{text}");
            assert!(text.contains(&format!("line_elements.rs:{line}:")), "{text}, not at line {line}");
        }
    }
}
