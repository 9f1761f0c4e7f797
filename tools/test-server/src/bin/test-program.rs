//! A program that the server starts in the tests of this crate. The first argument is the socket; in a child
//! process, the first argument is the task of the child.
#![forbid(unsafe_code)]

use std::process::ExitCode;

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let socket = std::env::args_os().nth(1).unwrap_or_default();
    let words = match cube_test_server::serve(socket.as_ref()) {
        Ok(Some(words)) => {
            words.into_iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>()
        }
        Ok(None) => return ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    match words.first().map(String::as_str) {
        Some("show") => {
            println!("{words:?}");
            println!("{:?}", std::env::vars().collect::<Vec<_>>());
            println!("{:?}", std::env::current_dir());
            eprintln!("to standard error");
            return ExitCode::from(7);
        }
        Some("abort") => std::process::abort(),
        Some("limit") => println!("{:?}", rustix::process::getrlimit(rustix::process::Resource::Nofile).current),
        Some("cat") => print!("{}", std::fs::read_to_string(&words[1]).unwrap_or_else(|error| error.to_string())),
        Some("wait") => {
            println!("{}", std::process::id());
            std::thread::sleep(std::time::Duration::from_secs(300));
        }
        _ => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}
