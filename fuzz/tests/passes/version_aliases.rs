//! A kernel with a gather on the CPU, with equal and with disjoint buffers. If the buffers are equal, a unit writes an
//! element and then reads the same element through another argument. The unit must read the written value.
use cube_artifact::{CompileOptions, Compiler, ElemType, Target};
use cube_driver::Driver;
use cube_runtime::{Arg, Device, Init};
use cube_runtime_cpu::CpuDevice;

/// Unit `i` stores its position in `y[i]`, and copies `x[places[i]]` to `out[i]`.
const KERNEL: &str = "cube.kernel @k(%places: !cube.array<i32>, %x: !cube.array<i32>, %y: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  cube.store %i, %y[%i] checked : i32, !cube.array<i32>
  %place = cube.load %places[%i] checked : !cube.array<i32> -> i32
  %v = cube.load %x[%place] checked : !cube.array<i32> -> i32
  cube.store %v, %out[%i] checked : i32, !cube.array<i32>
  cube.return
}
";

const UNITS: usize = 256;

fn bytes(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

#[test]
fn unit_reads_what_it_wrote_through_an_overlapping_argument() {
    let device = CpuDevice::with_threads(1);
    let artifact = Driver.compile(KERNEL.as_bytes(), &Target::cpu(), &CompileOptions::default()).expect("it compiles");
    let kernel = device.load(&artifact).expect("it loads");
    // Index of the first element of `y` in the common allocation. The runtime refuses partial overlaps.
    for y_first in [0, UNITS] {
        let initial: Vec<u32> = (1000..1000 + 2 * UNITS as u32).collect();
        let memory = device.alloc(4 * initial.len() as u64, Init::Any).expect("memory");
        device.write(&memory, 0, &bytes(&initial)).expect("it is written");
        let part =
            |first: usize| memory.slice(4 * first as u64..4 * (first + UNITS) as u64).expect("the range is inside");
        let (x, y) = (part(0), part(y_first));
        let [table, out] = [(); 2].map(|()| device.alloc(4 * UNITS as u64, Init::Zero).expect("memory"));
        device.write(&table, 0, &bytes(&(0..UNITS as u32).collect::<Vec<_>>())).expect("it is written");
        let [table, x] = [&table, &x].map(|buffer| Arg::buffer(buffer, ElemType::I32));
        let args = [table, x, Arg::in_place(&y, ElemType::I32), Arg::buffer(&out, ElemType::I32)];
        device.launch_kernel(&kernel, &args, [(UNITS / 64) as u32, 1, 1]).expect("it runs");
        let mut result = vec![0; 4 * UNITS];
        device.read(&out, 0, &mut result).expect("it is read");
        let expected: Vec<u32> = if y_first == 0 { (0..UNITS as u32).collect() } else { initial[..UNITS].to_vec() };
        assert_eq!(result, bytes(&expected), "y at {y_first}");
    }
}
