use std::process::ExitCode;
pub fn main(_: Vec<String>) -> ExitCode {
    ExitCode::SUCCESS
}
