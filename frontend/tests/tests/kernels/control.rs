//! Variables, branches, loops, early exits, functions.
#![allow(clippy::manual_is_multiple_of)] // Kernels are written as their users write them.
use crate::common::*;
use cubecl::prelude::*;

#[cube(launch)]
fn collatz(out: &mut Array<u32>) {
    let mut n = ABSOLUTE_POS + 1;
    let mut steps = 0;
    while n != 1 {
        if n % 2 == 0 {
            n /= 2;
        } else {
            n = 3 * n + 1;
        }
        steps += 1;
    }
    out[ABSOLUTE_POS] = steps;
}

fn collatz_host(n: u32) -> u32 {
    let (mut n, mut steps) = (n, 0);
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[test]
fn variables_in_while() {
    let got = outputs::<u32>(64, |c, out| collatz::launch::<R>(c, one(), CubeDim::new_1d(64), out));
    assert_eq!(got, (1..=64).map(collatz_host).collect::<Vec<_>>());
}

#[cube]
fn find(table: &Array<u32>, searched: u32) -> u32 {
    for i in 0..table.len() {
        if table[i] == searched {
            return i;
        }
    }
    999
}

#[cube]
fn classify(x: u32) -> u32 {
    if x < 3 {
        return 10;
    }
    if x < 6 {
        return 20;
    }
    match x {
        6 | 7 => 30,
        8..=9 => 40,
        n if n % 2 == 1 => 50,
        _ => 60,
    }
}

#[cube(launch)]
fn searches(table: &Array<u32>, out: &mut Array<u32>) {
    if ABSOLUTE_POS >= out.len() {
        terminate!();
    }
    out[ABSOLUTE_POS] = find(table, ABSOLUTE_POS) * 1000 + classify(ABSOLUTE_POS);
}

#[test]
fn functions_return_early() {
    let client = client();
    let table = client.create(u32::as_bytes(&[5, 3, 8, 1]));
    let got =
        outputs::<u32>(12, |c, out| searches::launch::<R>(c, one(), CubeDim::new_1d(16), array::<u32>(&table, 4), out));
    let host = |x: u32| {
        let at = [5, 3, 8, 1].iter().position(|v| *v == x).map_or(999, |i| i as u32);
        let class = match x {
            0..3 => 10,
            3..6 => 20,
            6 | 7 => 30,
            8 | 9 => 40,
            n if n % 2 == 1 => 50,
            _ => 60,
        };
        at * 1000 + class
    };
    assert_eq!(got, (0..12).map(host).collect::<Vec<_>>());
}

#[cube(launch)]
fn exits(out: &mut Array<u32>) {
    let mut sum = 0;
    'outer: for i in 0..10u32 {
        if i == ABSOLUTE_POS {
            continue;
        }
        for j in 0..10u32 {
            if j > i {
                continue 'outer;
            }
            if i * j > 40 {
                break 'outer;
            }
            sum += i * 10 + j;
        }
    }
    let found = loop {
        sum += 1;
        if sum % 7 == 0 {
            break sum;
        }
    };
    out[ABSOLUTE_POS] = found;
}

fn exits_host(at: u32) -> u32 {
    let mut sum = 0;
    'outer: for i in 0..10u32 {
        if i == at {
            continue;
        }
        for j in 0..10u32 {
            if j > i {
                continue 'outer;
            }
            if i * j > 40 {
                break 'outer;
            }
            sum += i * 10 + j;
        }
    }
    loop {
        sum += 1;
        if sum % 7 == 0 {
            break sum;
        }
    }
}

#[test]
fn labels_and_values_of_loops() {
    let got = outputs::<u32>(16, |c, out| exits::launch::<R>(c, one(), CubeDim::new_1d(16), out));
    assert_eq!(got, (0..16).map(exits_host).collect::<Vec<_>>());
}

#[cube(launch)]
fn unrolled(out: &mut Array<u32>, #[comptime] n: u32, #[comptime] whole: bool) {
    let mut sum = 0;
    #[unroll]
    for i in 0..n {
        if i == ABSOLUTE_POS {
            continue;
        }
        sum += comptime!(i * i);
        if sum > 20 {
            break;
        }
    }
    #[unroll(whole)]
    for i in 0..n {
        sum += i;
    }
    out[ABSOLUTE_POS] = sum;
}

#[test]
fn loops_of_the_host_can_be_left() {
    let host = |at: u32| {
        let mut sum = 0;
        for i in 0..6 {
            if i == at {
                continue;
            }
            sum += i * i;
            if sum > 20 {
                break;
            }
        }
        sum + 15
    };
    for whole in [true, false] {
        let got = outputs::<u32>(8, |c, out| unrolled::launch::<R>(c, one(), CubeDim::new_1d(8), out, 6, whole));
        assert_eq!(got, (0..8).map(host).collect::<Vec<_>>(), "whole {whole}");
    }
}

#[cube(launch)]
fn stepped(out: &mut Array<i32>) {
    let mut sum = 0;
    for i in (0..20).step_by(3) {
        sum += i;
    }
    for i in range_stepped(10, -1, -2) {
        sum = sum * 2 + i;
    }
    for i in 1..=4 {
        sum -= i;
    }
    for i in (0..3).rev() {
        sum = sum * 3 + i;
    }
    out[0] = sum;
}

#[test]
fn ranges_with_steps() {
    let mut sum = 0;
    (0..20).step_by(3).for_each(|i| sum += i);
    [10, 8, 6, 4, 2, 0].iter().for_each(|i| sum = sum * 2 + i);
    (1..=4).for_each(|i| sum -= i);
    (0..3).rev().for_each(|i| sum = sum * 3 + i);
    assert_eq!(outputs::<i32>(1, |c, out| stepped::launch::<R>(c, one(), CubeDim::new_1d(1), out)), [sum]);
}

#[cube]
fn bump(x: &mut u32, by: u32) -> u32 {
    *x += by;
    *x
}

#[cube]
fn by_value(mut x: u32) -> u32 {
    x += 100;
    x
}

#[cube(launch)]
fn references(out: &mut Array<u32>) {
    let mut a = 1;
    let b = bump(&mut a, 5);
    let c = by_value(a);
    let mut k = 3 / 2;
    k += a;
    let shown = |x: u32| x * 2 + a;
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = k;
    out[4] = shown(k);
}

#[test]
fn arguments_by_value_are_copies() {
    let got = outputs::<u32>(5, |c, out| references::launch::<R>(c, one(), CubeDim::new_1d(1), out));
    assert_eq!(got, [6, 6, 106, 7, 20]);
}

#[cube(launch)]
fn short_circuit(input: &Array<u32>, out: &mut Array<u32>) {
    let i = ABSOLUTE_POS;
    let mut count = 0;
    if i < 3 && bump(&mut count, input[i]) > 10 {
        count += 1000;
    }
    if i > 1 || bump(&mut count, 1) == 0 {
        count += 10_000;
    }
    out[i] = count;
}

#[test]
fn the_right_operand_is_evaluated_only_if_needed() {
    let client = client();
    let input = client.create(u32::as_bytes(&[5, 50, 7, 100]));
    let got = outputs::<u32>(4, |c, out| {
        short_circuit::launch::<R>(c, one(), CubeDim::new_1d(4), array::<u32>(&input, 4), out)
    });
    assert_eq!(got, [6, 1051, 10_007, 10_000]);
}

#[cube(launch)]
fn edges(input: &Array<i32>, out: &mut Array<u32>) {
    let (step, from, to) = (input[0], input[1], input[2]);
    let mut steps = 0;
    for i in range_stepped(from, to, step) {
        steps = steps * 100 + (i as u32);
    }
    out[0] = steps;
    let last = (input[3] as u32) | 0xff00_0000;
    let mut count = 0;
    for i in 0xffff_fffc..=last {
        count += i & 0xf;
    }
    out[1] = count;
    let mut bytes = 0;
    for i in 250u8..=(last as u8) {
        bytes += i as u32;
    }
    out[2] = bytes;
    let mut back = 0;
    for i in (0..(last & 7)).rev() {
        back = back * 10 + i;
    }
    out[3] = back;
}

#[test]
fn ranges_up_to_the_last_number_and_by_steps_that_are_found() {
    let run = |input: [i32; 4]| {
        let client = client();
        let input = client.create(i32::as_bytes(&input));
        outputs::<u32>(4, |c, out| edges::launch::<R>(c, one(), CubeDim::new_1d(1), array::<i32>(&input, 4), out))
    };
    let (count, bytes) = (0xc + 0xd + 0xe + 0xf, (250..=255).sum::<u32>());
    assert_eq!(run([-3, 10, 0, -1]), [10_070_401, count, bytes, 6_543_210]);
    assert_eq!(run([4, 1, 10, -1]), [10_509, count, bytes, 6_543_210]);
    assert_eq!(run([0, 1, 10, -8]), [0, 0, 0, 0]);
}

#[cube(launch)]
fn parted_planes(out: &mut Array<u32>) {
    let mut totals = SharedMemory::<u32>::new(64u32);
    let own = UNIT_POS / PLANE_DIM;
    let total = plane_sum(UNIT_POS);
    if UNIT_POS_PLANE == 0 {
        totals[own] = total;
    }
    sync_cube();
    // One lane for each plane of the cube.
    if UNIT_POS < CUBE_DIM / PLANE_DIM {
        totals[UNIT_POS] = plane_exclusive_sum(totals[UNIT_POS]);
    }
    sync_cube();
    out[2 * UNIT_POS] = totals[own];
    let mut others = 0;
    let mut left = UNIT_POS_PLANE;
    while left > 0 {
        left -= 1;
        if left % 3 == 1 {
            continue;
        }
        others += plane_sum(1u32);
    }
    out[2 * UNIT_POS + 1] = others;
}

#[test]
fn a_plane_operation_applies_to_the_active_lanes() {
    let plane = plane_dim();
    let (planes, units) = (4, 4 * plane);
    let run = |client: &Client, out: ArrayArg<'_, R>| {
        parted_planes::launch::<R>(client, one(), CubeDim::new_1d(units), out);
    };
    let got = outputs::<u32>(2 * units as usize, run);
    let sum_of = |p: u32| (p * plane..(p + 1) * plane).sum::<u32>();
    // In iteration t, lane n has n - 1 - t remaining iterations if n > t.
    let comes = |n: u32, t: u32| n > t && (n - 1 - t) % 3 != 1;
    for unit in 0..units {
        let (number, lane) = (unit / plane, unit % plane);
        assert!(number < planes);
        assert_eq!(got[2 * unit as usize], (0..number).map(sum_of).sum::<u32>(), "unit {unit}");
        let others = |t: u32| (0..plane).filter(|n| comes(*n, t)).count() as u32;
        let expected: u32 = (0..lane).filter(|t| comes(lane, *t)).map(others).sum();
        assert_eq!(got[2 * unit as usize + 1], expected, "unit {unit}");
    }
}

#[cube]
fn offset(by: u32) -> u32 {
    by + 1
}

#[cube]
fn pair() -> u32 {
    7u32.runtime()
}

/// The parameters of `hidden` shadow functions of this module, as in any Rust function.
#[cube]
fn hidden(mut offset: u32, (pair, by): (u32, u32), #[comptime] hides: u32) -> u32 {
    offset += pair * by + hides;
    plus_pair(offset)
}

#[cube]
fn plus_pair(x: u32) -> u32 {
    x + offset(pair())
}

#[cube(launch)]
fn hides(pair: &Array<u32>, hidden_too: &mut Array<u32>, offset: u32) {
    hidden_too[0] = hidden(pair[0], (offset, 10), 3);
}

// This function is never called, because a parameter with the same name hides it.
#[allow(dead_code)]
#[cube]
fn hidden_too() {}

#[test]
fn parameters_hide_functions_of_their_names() {
    let client = client();
    let x = client.create(u32::as_bytes(&[1000]));
    let got = outputs::<u32>(1, |c, out| {
        hides::launch::<R>(c, one(), CubeDim::new_single(), array::<u32>(&x, 1), out, ScalarArg::new(5))
    });
    assert_eq!(got, [1000 + 50 + 3 + 8]);
}

#[cube]
fn times_its_position(of: &Array<u32>, #[comptime] position: u32) -> u32 {
    of[position] * comptime!(position + 1)
}

#[cube(launch)]
fn named_again(input: &Array<u32>, out: &mut Array<u32>, #[comptime] n: u32) {
    let mut values = Sequence::<u32>::new();
    let mut sum = 0u32;
    let hidden = input[0];
    #[unroll]
    for i in 0..n {
        let j = i;
        let k = j;
        values.push(times_its_position(input, k));
        if comptime!(j % 2 == 0) {
            // This variable differs from the variable `hidden` after the branch.
            let hidden = i;
            sum += *values.index(hidden) * (hidden - 1 + 1);
        }
        sum += hidden;
        let mut j = j;
        j += input[k];
        sum += j * 1000;
    }
    out[ABSOLUTE_POS] = sum;
}

#[test]
fn a_loop_counter_can_have_an_alias() {
    let data = [3u32, 1, 4, 1, 5];
    let client = client();
    let input = client.create(u32::as_bytes(&data));
    let got = outputs::<u32>(1, |c, out| {
        named_again::launch::<R>(c, one(), CubeDim::new_1d(1), array::<u32>(&input, 5), out, 5)
    });
    let iteration = |i: u32| {
        let x = data[i as usize];
        x * (i + 1) * i * (1 - i % 2) + data[0] + (i + x) * 1000
    };
    assert_eq!(got, [(0..5).map(iteration).sum::<u32>()]);
}

/// Methods of Rust's integer types, called on compile-time values.
#[cube(launch)]
fn methods_of_the_host(out: &mut Array<u32>, x: u32, #[comptime] n: u32) {
    let most = (5u32).max(3u32) + n.min(2);
    let within = comptime!(n.clamp(1, 6)) + 9u32.clamp(2u32, 4u32);
    out[0] = most + x.max(7).min(u32::max(x, 20)).clamp(1, 30);
    out[1] = within + u32::min(x, 3u32);
}

#[test]
fn methods_of_the_host_are_those_of_rust() {
    let got = outputs::<u32>(2, |client, out| {
        methods_of_the_host::launch::<R>(client, one(), CubeDim::new_single(), out, ScalarArg::new(11), 8);
    });
    assert_eq!(got, [5 + 2 + 11, 6 + 4 + 3]);
}
