//! `cargo xtask bench`: the figures of the CPU path, as ratios to its peers in the same run.
//!
//! The peers are other implementations of the same tasks. The peers are compiled with `-C target-cpu=native`, which `cargo xtask bench`
//! sets. Cube and its peers alternate, so that all run under the same conditions. The result of an implementation is
//! the time of its best round. The benchmark also prints the spread of Cube's rounds. `cargo xtask bench PART` measures
//! one part: elementwise, together, first, launches, pocl, tools, wgpu; `cpu` is all parts but the last two.
#![deny(unsafe_code)]
mod compare;
mod device;
mod elementwise;
mod first;
mod launches;
mod pocl;
mod together;
mod tools;
mod wgpu;

use cube_runtime_cpu::CpuDevice;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let part = std::env::args().nth(1).unwrap_or_default();
    let is_selected =
        |name: &str| part.is_empty() || part == name || part == "cpu" && !["tools", "wgpu"].contains(&name);
    let device = CpuDevice::new(&cube_artifact::Variables::of_process())?;
    println!(
        "{} threads, best of {} alternating rounds; above 1x Cube is faster",
        rayon::current_num_threads(),
        compare::ROUNDS
    );
    if is_selected("elementwise") {
        elementwise::run(&device)?;
    }
    if is_selected("together") {
        together::run(&device)?;
    }
    if is_selected("first") {
        first::run(&device)?;
    }
    if is_selected("launches") {
        launches::run(&device)?;
    }
    if is_selected("pocl") {
        pocl::run()?;
    }
    if is_selected("tools") {
        tools::run()?;
    }
    if is_selected("wgpu") { wgpu::run() } else { Ok(()) }
}
