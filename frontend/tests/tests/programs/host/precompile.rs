//! Compilation of kernels before their first launch.
use crate::common::*;
use cubecl::precompile::KernelOrigin;
use cubecl::prelude::*;

#[cube(launch, launch_unchecked)]
fn times<F: Float>(out: &mut Array<F>, #[comptime] by: u32) {
    out[ABSOLUTE_POS] = F::cast_from(ABSOLUTE_POS * by);
}

/// A kernel that fails in the expansion or in the compilation.
#[cube(launch)]
fn fails(out: &mut Array<u32>, #[comptime] in_compiler: bool) {
    if comptime!(!in_compiler) {
        panic!("as asked");
    }
    if UNIT_POS < 2 {
        sync_cube();
    }
    out[UNIT_POS] = 1;
}

#[cube(launch)]
fn add_one(values: &mut Array<u32>) {
    values[ABSOLUTE_POS] += 1;
}

fn launch_times(client: &Client, out: &cubecl::server::Handle, len: usize, by: u32) {
    times::launch::<f32, R>(client, one(), CubeDim::new_1d(4), array::<f32>(out, len), by);
}

#[test]
fn kernels_of_a_list_are_compiled_once_and_later_launches_find_them() {
    let client = client();
    let none = client.empty(0);
    let list = || {
        for by in [61, 62, 63, 61] {
            launch_times(&client, &none, 0, by);
        }
        let out = array::<f32>(&none, 0);
        times::launch::<f32, R>(&client, one(), CubeDim::new_1d(8), out, 61);
    };
    let report = client.precompile(list);
    assert_eq!(report.kernels.len(), 4, "{report}");
    assert_eq!(report.kernels[1].instance, "times<F = f32>(by = 62)");
    assert_eq!(report.failures().count() + report.count(KernelOrigin::Memory), 0, "{report}");
    let again = client.precompile(list);
    assert_eq!((again.kernels.len(), again.count(KernelOrigin::Memory)), (4, 4), "{again}");
    let out = client.empty(16);
    launch_times(&client, &out, 4, 63);
    assert_eq!(f32::from_bytes(&client.read_one(out)), [0.0, 63.0, 126.0, 189.0]);
}

#[test]
fn launches_of_a_list_do_not_run_and_their_outputs_cannot_be_read() {
    let client = client();
    let values = client.create(u32::as_bytes(&[5]));
    let add = || add_one::launch::<R>(&client, one(), CubeDim::new_1d(1), array::<u32>(&values, 1));
    let mut inside = None;
    let report = client.precompile(|| {
        add();
        inside = Some(client.try_read_one(values.clone()).unwrap_err().to_string());
        add();
    });
    assert_eq!(report.kernels.len(), 1, "{report}");
    let inside = inside.unwrap();
    assert!(inside.contains("was only recorded and did not run"), "{inside}");
    assert_eq!(u32::from_bytes(&client.read_one(values.clone())), [5]);
    add();
    assert_eq!(u32::from_bytes(&client.read_one(values)), [6]);
}

#[test]
fn an_error_of_one_kernel_is_an_entry_of_the_report() {
    let client = client();
    let none = client.empty(0);
    let values = client.create(u32::as_bytes(&[5]));
    let report = client.precompile(|| {
        for in_compiler in [false, true] {
            fails::launch::<R>(&client, one(), CubeDim::new_1d(4), array::<u32>(&values, 1), in_compiler);
        }
        launch_times(&client, &none, 0, 71);
        // SAFETY: a launch refuses elements of another size.
        let wrong = unsafe { ArrayArg::from_raw_parts::<u64>(&none, 0, 1) };
        add_one::launch::<R>(&client, one(), CubeDim::new_1d(1), wrong);
    });
    let outcomes: Vec<_> = report.kernels.iter().map(|kernel| (kernel.name, kernel.outcome.is_ok())).collect();
    assert_eq!(outcomes, [("fails", false), ("fails", false), ("times", true), ("add_one", false)], "{report}");
    let errors: Vec<_> = report.failures().map(|kernel| kernel.outcome.clone().unwrap_err()).collect();
    for (error, text) in errors.iter().zip(["CUBE0950", "CUBE0315", "elements of 8 bytes"]) {
        assert!(error.to_string().contains(text), "{error}");
        assert!(error.kernel.is_some() && error.location.as_ref().is_some_and(|at| at.file.ends_with("precompile.rs")));
    }
    // The recorded error marks no memory.
    assert_eq!(u32::from_bytes(&client.read_one(values)), [5]);
}

#[test]
fn a_warm_up_compiles_in_the_background() {
    let client = client();
    let none = client.empty(0);
    let warm_up = client.warm_up(|| (81..84).for_each(|by| launch_times(&client, &none, 0, by)));
    let out = client.empty(16);
    launch_times(&client, &out, 4, 83);
    assert_eq!(f32::from_bytes(&client.read_one(out)), [0.0, 83.0, 166.0, 249.0]);
    let report = warm_up.wait();
    assert_eq!((report.kernels.len(), report.failures().count()), (3, 0), "{report}");
    let again = client.warm_up(|| (81..84).for_each(|by| launch_times(&client, &none, 0, by))).wait();
    assert_eq!(again.count(KernelOrigin::Memory), 3, "{again}");
}

#[test]
fn a_panic_in_the_list_ends_the_recording() {
    let client = client();
    let values = client.create(u32::as_bytes(&[5]));
    let list = || {
        client.precompile(|| {
            add_one::launch::<R>(&client, one(), CubeDim::new_1d(1), array::<u32>(&values, 1));
            panic!("in the list");
        })
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(list)).is_err());
    add_one::launch::<R>(&client, one(), CubeDim::new_1d(1), array::<u32>(&values, 1));
    assert_eq!(u32::from_bytes(&client.read_one(values)), [6]);
}
