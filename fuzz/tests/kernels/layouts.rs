//! Random views: compares the interpreter's result for the source kernel with the results at levels flat and
//! legal, and with the result on the CPU. For the source kernel, the interpreter evaluates layouts by their
//! definition. Seeds are fixed; `CUBE_FUZZ_SEED` selects other seeds.
use cube_artifact::ElemType;
use cube_fuzz::judge::{Data, differences};
use std::fmt::Write;

/// A generator of numbers that depend only on a seed (Steele, Lea, Flood: SplitMix, 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n.max(1)
    }
}

/// Elements of the input buffer.
const LENGTH: u64 = 150;

/// A mode of a layout: the text of its shape, the text of its stride, and its size.
fn mode(random: &mut Random, nested: bool) -> (String, String, u64) {
    if nested && random.below(3) == 0 {
        let (a, b) = (mode(random, false), mode(random, false));
        return (format!("({},{})", a.0, b.0), format!("({},{})", a.1, b.1), a.2 * b.2);
    }
    let extent = 1 + random.below(6);
    let stride = [0, 1, 1, 2, 4, 8, 16, 3, 5, 9][random.below(10) as usize];
    (extent.to_string(), stride.to_string(), extent)
}

/// A kernel that slices a random view with a coordinate, and stores the elements of the remaining modes
/// contiguously.
fn kernel(random: &mut Random) -> (String, u64) {
    let rank = 1 + random.below(3) as usize;
    let modes: Vec<_> = (0..rank).map(|_| mode(random, true)).collect();
    let join = |of: &dyn Fn(&(String, String, u64)) -> String| {
        let all: Vec<String> = modes.iter().map(of).collect();
        format!("({})", all.join(","))
    };
    let (shape, stride) = (join(&|m| m.0.clone()), join(&|m| m.1.clone()));
    let swizzle = ["", "", "Sw<2,0,3> o 0 o ", "Sw<1,2,2> o 4 o ", "Sw<2,1,-2> o 0 o "][random.below(5) as usize];
    let mut body = String::new();
    let unknown = swizzle.is_empty() && modes.iter().all(|m| !m.0.contains('(')) && random.below(3) == 0;
    if unknown {
        // The first stride and the first extent are known at launch only.
        let shape = format!("(?{}", &shape[1 + modes[0].0.len()..]);
        let stride = format!("(?{}", &stride[1 + modes[0].1.len()..]);
        let _ = writeln!(body, "  %l = layout.make #layout.layout<{shape}:{stride}>(%n, %s)");
    } else {
        let _ = writeln!(body, "  %l = layout.constant #layout.layout<{swizzle}{shape}:{stride}>");
    }
    let _ = writeln!(body, "  %v0 = layout.view %x, %l : !cube.array<i32> -> !layout.view<i32>");
    let mut coordinate: Vec<(String, u64)> = modes.iter().map(|m| ("_".to_string(), m.2)).collect();
    let mut view = "%v0";
    let leaves = modes.iter().all(|m| !m.0.contains('('));
    let tiles = if leaves && random.below(2) == 0 {
        let tile: Vec<u64> = modes.iter().map(|_| 1 + random.below(4)).collect();
        let list = |words: Vec<String>| words.join(",");
        let extents = list(tile.iter().map(u64::to_string).collect());
        let ones = list(tile.iter().map(|_| "1".to_string()).collect());
        let _ = writeln!(body, "  %t = layout.constant #layout.layout<({extents}):({ones})>");
        let _ = writeln!(body, "  %v1 = layout.zipped_divide %v0 by modes %t ragged : !layout.view<i32>");
        view = "%v1";
        coordinate = tile.iter().map(|n| ("_".to_string(), *n)).collect();
        Some(modes.iter().zip(&tile).map(|(m, t)| m.2.div_ceil(*t)).collect::<Vec<u64>>())
    } else {
        None
    };
    let mut operands: Vec<&str> = Vec::new();
    let mut count = 1;
    let mut pick = |random: &mut Random, size: u64, keep: bool, operands: &mut Vec<&str>| match random.below(4) {
        0 if keep => {
            count *= size;
            "_".to_string()
        }
        1 if size > 0 => random.below(size).to_string(),
        2 => {
            operands.push("%j");
            "?".to_string()
        }
        _ => {
            operands.push("%i");
            "?".to_string()
        }
    };
    // A mode whose size is unknown cannot be indexed by a constant or selected completely.
    let mut parts = Vec::new();
    for (k, (_, size)) in coordinate.iter().enumerate() {
        let known = !(unknown && k == 0 && tiles.is_none());
        parts.push(pick(random, if known { *size } else { 0 }, known, &mut operands));
    }
    let mut text = format!("({})", parts.join(","));
    if let Some(rests) = &tiles {
        let mut parts = Vec::new();
        for (k, size) in rests.iter().enumerate() {
            parts.push(pick(random, if unknown && k == 0 { 0 } else { *size }, false, &mut operands));
        }
        text = format!("({text},({}))", parts.join(","));
    }
    let keeps = text.contains('_');
    let ty = if keeps && count > 1 { format!("vector<{count}xi32>") } else { "i32".to_string() };
    let places = if operands.is_empty() { String::new() } else { format!("({})", operands.join(", ")) };
    let _ = writeln!(body, "  %e = layout.load {view} at <{text}>{places} : !layout.view<i32> -> {ty}");
    let _ = writeln!(body, "  %count = arith.constant {count} : i32\n  %row = arith.muli %i, %count : i32");
    for k in 0..count {
        let _ = writeln!(body, "  %k{k} = arith.constant {k} : i32\n  %at{k} = arith.addi %row, %k{k} : i32");
        let value = match ty.starts_with('v') {
            true => {
                let _ = writeln!(body, "  %e{k} = vector.extract %e[{k}] : i32 from {ty}");
                format!("%e{k}")
            }
            false => "%e".to_string(),
        };
        let _ = writeln!(body, "  cube.store {value}, %y[%at{k}] : i32, !cube.array<i32>");
    }
    let (n, s) = (modes[0].0.parse().unwrap_or(1), modes[0].1.parse().unwrap_or(1u64));
    let (n, s): (u64, u64) = (n, s);
    let text = format!(
        "cube.kernel @k(%x: !cube.array<i32> {{cube.align = 16 : i32}}, %y: !cube.array<i32>) cube_dim(16) {{\n  %i = cube.topology \
         absolute_pos\n  %three = arith.constant 3 : i32\n  %j = cube.remui %i, %three : i32\n  %zero = arith.constant 0 : i32\n  \
         %base = cube.len %x : !cube.array<i32>\n  %nothing = arith.subi %base, %base : i32\n  %cn = arith.constant {n} : i32\n  \
         %cs = arith.constant {s} : i32\n  %n = arith.addi %nothing, %cn : i32\n  %s = arith.addi %nothing, %cs : i32\n{body}  \
         cube.return\n}}\n"
    );
    (text, count)
}

#[test]
fn random_views_mean_the_same_at_every_level() {
    let seed = cube_fuzz::settings::number("CUBE_FUZZ_SEED", 7);
    println!("seed {seed}");
    let mut random = Random(seed);
    let mut wrong = Vec::new();
    for number in 0..150 {
        let (text, count) = kernel(&mut random);
        let x: Vec<u8> = (0..LENGTH).flat_map(|i| (i as i32 * 7 + 1).to_le_bytes()).collect();
        let data = |name: &str, bytes| Data { name: name.into(), elem: ElemType::I32, ty: "i32".into(), bytes, ulp: 0 };
        let buffers = vec![data("x", x), data("y", vec![0; 2 * 16 * count as usize * 4])];
        match differences(&text, &buffers, 2, false) {
            Ok(found) => wrong.extend(found.into_iter().map(|f| format!("{number}: {f}\n{text}"))),
            Err(why) => wrong.push(format!("{number}: {why}\n{text}")),
        }
    }
    assert!(wrong.is_empty(), "{} differences, seed {seed}:\n{}", wrong.len(), wrong[..wrong.len().min(4)].join("\n"));
}
