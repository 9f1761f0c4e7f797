//! wip
pub mod batch;
/// main
pub fn main(_args: Vec<String>) -> std::process::ExitCode {
    let _ = batch::batch(std::io::stdin().lock(), std::io::stdout().lock());
    std::process::ExitCode::SUCCESS
}
