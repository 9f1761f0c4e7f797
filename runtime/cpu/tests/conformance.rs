//! Tests the CPU against the rules of all devices.
#[path = "../../core/tests/conformance/mod.rs"]
mod conformance;
mod support;

use conformance::{RULES, Subject};
use cube_runtime_cpu::CpuDevice;

#[test]
fn the_cpu_keeps_the_rules_of_devices() {
    for threads in [1, 3] {
        for (name, rule) in RULES {
            println!("{name}, {threads} threads");
            let device = CpuDevice::with_threads(threads);
            let other = CpuDevice::with_threads(2);
            rule(&Subject { device: &device, other: &other, scale: support::scale(), rounds: 10_000 });
        }
    }
}
