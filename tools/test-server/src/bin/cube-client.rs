//! `cube-client`: runs `cube` with the same arguments, on the server that `CUBE_TEST_SERVER` names. Without a server,
//! the client starts `cube` itself.
#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus};

fn main() -> ExitCode {
    let ended = match ended() {
        Ok(ended) => ended,
        Err(error) => {
            eprintln!("cube-client: cube did not run: {error}");
            return ExitCode::from(2);
        }
    };
    #[cfg(target_os = "linux")]
    if let Some(signal) = ended.signal().and_then(rustix::process::Signal::from_named_raw) {
        // The client ends itself with the signal that ended `cube`, so that the waiting parent sees this signal. `cube`
        // has already written its core file, if core files are enabled.
        let _ = rustix::process::setrlimit(
            rustix::process::Resource::Core,
            rustix::process::Rlimit { current: Some(0), maximum: None },
        );
        let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    }
    ExitCode::from(ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2))
}

fn ended() -> std::io::Result<ExitStatus> {
    #[cfg(target_os = "linux")]
    if let Some(socket) = std::env::var_os(cube_test_server::SOCKET) {
        return cube_test_server::client::run(socket.as_ref());
    }
    Command::new(std::env::current_exe()?.with_file_name("cube")).args(std::env::args_os().skip(1)).status()
}
