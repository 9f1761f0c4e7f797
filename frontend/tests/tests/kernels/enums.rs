//! Enums whose variant is known at run time, patterns with numbers in them, `let else`, `while let`.
use crate::common::*;
use cubecl::prelude::*;

#[derive(CubeType, Clone, Copy, Debug, PartialEq)]
enum Shape {
    Nothing,
    Circle(u32),
    Rect { w: u32, h: u32 },
}

#[cube]
impl Shape {
    fn area(&self) -> u32 {
        match self {
            Shape::Nothing => 0u32.runtime(),
            Shape::Circle(r) => 3 * *r * *r,
            Shape::Rect { w, h } => *w * *h,
        }
    }
}

#[cube]
fn choose(kind: u32, n: u32) -> Shape {
    if kind == 0 {
        Shape::Nothing
    } else if kind == 1 {
        Shape::Circle(n)
    } else {
        Shape::Rect { w: n, h: n + 1 }
    }
}

#[cube(launch)]
fn areas(out: &mut Array<u32>) {
    let mut shape = Shape::Circle(1);
    let i = ABSOLUTE_POS;
    if i % 2 == 1 {
        shape = choose(i % 3, i);
    }
    let again = choose(i % 3, i + 10);
    let label = match again {
        Shape::Nothing => 1u32.runtime(),
        Shape::Circle(12 | 14) => 2,
        Shape::Circle(n) if n > 15 => n * 100,
        Shape::Circle(n) => n,
        Shape::Rect { w: 0..=13, h } => h + 1000,
        Shape::Rect { w, .. } => w + 2000,
    };
    let width = if let Shape::Rect { w, .. } = again
        && w > 12
    {
        w
    } else {
        7u32
    };
    out[i] = shape.area() * 1_000_000 + again.area() * 10_000 + label * 100 + width;
}

fn host_choose(kind: u32, n: u32) -> Shape {
    match kind {
        0 => Shape::Nothing,
        1 => Shape::Circle(n),
        _ => Shape::Rect { w: n, h: n + 1 },
    }
}

fn host_area(shape: Shape) -> u32 {
    match shape {
        Shape::Nothing => 0,
        Shape::Circle(r) => 3 * r * r,
        Shape::Rect { w, h } => w * h,
    }
}

#[test]
fn the_kernel_finds_out_the_variant() {
    let got = outputs::<u32>(9, |c, out| areas::launch::<R>(c, one(), CubeDim::new_1d(9), out));
    let host = (0..9).map(|i| {
        let shape = if i % 2 == 1 { host_choose(i % 3, i) } else { Shape::Circle(1) };
        let again = host_choose(i % 3, i + 10);
        let label = match again {
            Shape::Nothing => 1,
            Shape::Circle(12 | 14) => 2,
            Shape::Circle(n) if n > 15 => n * 100,
            Shape::Circle(n) => n,
            Shape::Rect { w: 0..=13, h } => h + 1000,
            Shape::Rect { w, .. } => w + 2000,
        };
        let width = match again {
            Shape::Rect { w, .. } if w > 12 => w,
            _ => 7,
        };
        host_area(shape) * 1_000_000 + host_area(again) * 10_000 + label * 100 + width
    });
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[derive(CubeType, Clone, Copy)]
enum State {
    Counting(u32),
    Doubling { value: u32, left: u32 },
    Done,
}

#[cube(launch)]
fn machine(out: &mut Array<u32>) {
    let i = ABSOLUTE_POS;
    let mut state = State::Counting(i);
    let mut trace = 0u32;
    while let State::Counting(n) = state {
        trace = trace * 3 + n;
        state = if n >= 4 { State::Doubling { value: n, left: 2 } } else { State::Counting(n + 2) };
    }
    loop {
        match state {
            State::Doubling { value, left: 0 } => {
                trace += value * 1000;
                state = State::Done;
            }
            State::Doubling { value, left } => state = State::Doubling { value: value * 2, left: left - 1 },
            State::Counting(_) => trace = 999,
            State::Done => break,
        }
    }
    out[i] = trace;
}

#[test]
fn a_state_machine() {
    let got = outputs::<u32>(6, |c, out| machine::launch::<R>(c, one(), CubeDim::new_1d(6), out));
    let host = (0..6).map(|i| {
        let (mut state, mut trace) = (State::Counting(i), 0);
        while let State::Counting(n) = state {
            trace = trace * 3 + n;
            state = if n >= 4 { State::Doubling { value: n, left: 2 } } else { State::Counting(n + 2) };
        }
        loop {
            match state {
                State::Doubling { value, left: 0 } => {
                    trace += value * 1000;
                    state = State::Done;
                }
                State::Doubling { value, left } => state = State::Doubling { value: value * 2, left: left - 1 },
                State::Counting(_) => trace = 999,
                State::Done => break trace,
            }
        }
    });
    assert_eq!(got, host.collect::<Vec<u32>>());
}

const LIMIT: u32 = 3;

#[cube]
fn classify(x: u32, y: i32) -> u32 {
    let kind = match x {
        0 => 10u32,
        LIMIT => 20,
        1 | 2 => 30,
        4..=6 => 40,
        n if n % 2 == 0 => n,
        _ => 50,
    };
    let sign = match (x > 2, y) {
        (true, -1) => 1u32,
        (false, 0..) => 2,
        (_, v @ -5..=-2) => (-v) as u32 + 10,
        _ => 4,
    };
    kind * 100 + sign
}

#[cube(launch)]
fn numbers(out: &mut Array<u32>) {
    let x = ABSOLUTE_POS;
    out[x] = classify(x, (x as i32) - 6);
}

#[test]
fn numbers_in_patterns() {
    let got = outputs::<u32>(12, |c, out| numbers::launch::<R>(c, one(), CubeDim::new_1d(12), out));
    let host = (0..12u32).map(|x| {
        let y = x as i32 - 6;
        let kind = match x {
            0 => 10,
            LIMIT => 20,
            1 | 2 => 30,
            4..=6 => 40,
            n if n % 2 == 0 => n,
            _ => 50,
        };
        let sign = match (x > 2, y) {
            (true, -1) => 1,
            (false, 0..) => 2,
            (_, v @ -5..=-2) => (-v) as u32 + 10,
            _ => 4,
        };
        kind * 100 + sign
    });
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[cube]
fn half(x: u32) -> Shape {
    if x % 2 == 0 { Shape::Circle(x / 2) } else { Shape::Nothing }
}

#[cube(launch)]
fn let_else(out: &mut Array<u32>, #[comptime] extra: Option<u32>) {
    let i = ABSOLUTE_POS;
    out[i] = 77;
    let Some(extra) = extra else {
        terminate!();
    };
    let Shape::Circle(n) = half(i) else {
        return;
    };
    out[i] = n + extra;
}

#[test]
fn unmatched_let_else_leaves_the_kernel() {
    let run = |extra| outputs::<u32>(5, |c, out| let_else::launch::<R>(c, one(), CubeDim::new_1d(5), out, extra));
    assert_eq!(run(None), [77; 5]);
    assert_eq!(run(Some(5)), [5, 77, 6, 77, 7]);
}

#[derive(CubeType, Clone, Copy)]
struct Pair {
    shape: Shape,
    weight: u32,
}

#[cube(launch)]
fn inside(out: &mut Array<u32>) {
    let i = ABSOLUTE_POS;
    let pair = Pair { shape: choose(i % 3, i), weight: i * 2 };
    let other = choose((i + 1) % 3, i);
    out[i] = match (pair, other) {
        (Pair { shape: Shape::Circle(r), weight }, Shape::Rect { w, .. }) => r * 10_000 + weight * 100 + w,
        (Pair { shape: Shape::Rect { .. }, .. }, _) => 1,
        (_, Shape::Circle(r)) => r + 50,
        _ => 9,
    };
}

#[test]
fn enums_inside_of_structs_and_tuples() {
    let got = outputs::<u32>(6, |c, out| inside::launch::<R>(c, one(), CubeDim::new_1d(6), out));
    let host = (0..6).map(|i| match (host_choose(i % 3, i), host_choose((i + 1) % 3, i)) {
        (Shape::Circle(r), Shape::Rect { w, .. }) => r * 10_000 + i * 2 * 100 + w,
        (Shape::Rect { .. }, _) => 1,
        (_, Shape::Circle(r)) => r + 50,
        _ => 9,
    });
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[derive(CubeType, Clone, Copy)]
enum Turn {
    Pair { a: u32, b: u32 },
    End(u32),
}

#[cube]
impl Turn {
    fn grow(&mut self) {
        match self {
            Turn::Pair { a, b } => {
                *a += 1;
                *b += *a;
            }
            Turn::End(n) => *n *= 2,
        }
    }
}

#[cube(launch)]
fn swapped(out: &mut Array<u32>) {
    let i = ABSOLUTE_POS;
    let mut state = Turn::Pair { a: i, b: 100 };
    let mut seen = 0;
    for k in 0..5u32 {
        match state {
            Turn::Pair { a, b } => {
                let before = a;
                state = Turn::Pair { a: b, b: a };
                seen = seen * 7 + before + a;
                if k == 3 {
                    state = Turn::End(before);
                }
            }
            Turn::End(n) => seen += n,
        }
        state.grow();
    }
    out[i] = seen;
}

#[test]
fn pattern_bindings_are_copies() {
    let got = outputs::<u32>(4, |c, out| swapped::launch::<R>(c, one(), CubeDim::new_1d(4), out));
    let host = (0..4u32).map(|i| {
        let (mut pair, mut end, mut seen) = (Some((i, 100)), 0, 0);
        for k in 0..5 {
            match pair {
                Some((a, b)) => {
                    pair = Some((b, a));
                    seen = seen * 7 + a + a;
                    if k == 3 {
                        (pair, end) = (None, a);
                    }
                }
                None => seen += end,
            }
            match &mut pair {
                Some((a, b)) => {
                    *a += 1;
                    *b += *a;
                }
                None => end *= 2,
            }
        }
        seen
    });
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[derive(CubeType, Clone, Copy)]
enum Move {
    Up,
    Down,
    Stay,
}

#[derive(CubeType, Clone, Copy)]
enum Code {
    Low = 3,
    High = 10,
    Below = -4,
}

#[cube(launch)]
fn numbers_of_variants(out: &mut Array<i32>) {
    let i = ABSOLUTE_POS;
    let (mut state, mut code) = (Move::Up, Code::Low);
    if i == 1 {
        state = Move::Down;
        code = Code::High;
    } else if i == 2 {
        state = Move::Stay;
        code = Code::Below;
    }
    let known = Code::High;
    out[i] = state as i32 * 100 + code as i32 + Move::Stay as i32 * 1000 + known as i32 * 10_000;
    out[i + 3] = (code as u8) as i32;
}

#[test]
fn a_variant_without_fields_is_a_number() {
    let got = outputs::<i32>(6, |c, out| numbers_of_variants::launch::<R>(c, one(), CubeDim::new_1d(3), out));
    let host = |state: Move, code: Code| state as i32 * 100 + code as i32 + 2000 + 100_000;
    let sums = [host(Move::Up, Code::Low), host(Move::Down, Code::High), host(Move::Stay, Code::Below)];
    assert_eq!(got[..3], sums);
    assert_eq!(got[3..], [3, 10, 252]);
}
