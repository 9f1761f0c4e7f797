//! Tests that a program that the server runs behaves like a program that is started directly.
#![cfg(target_os = "linux")]

use cube_test_server::SOCKET;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const CLIENT: &str = env!("CARGO_BIN_EXE_cube-client");

/// The program `test-program`, running as a server.
struct Server {
    child: Child,
    socket: PathBuf,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let mut command = Command::new(env!("CARGO_BIN_EXE_test-program"));
        let mut child = command.arg(&socket).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Server { child, socket, _folder: folder }
    }

    fn client(&self, words: &[&str]) -> Command {
        let mut command = Command::new(CLIENT);
        command.args(words).env(SOCKET, &self.socket);
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
        assert!(!self.socket.exists(), "the server has not removed its socket");
    }
}

fn is_running(process: &str) -> bool {
    Path::new("/proc").join(process).join("stat").metadata().is_ok()
        && std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|state| !state.contains(") Z "))
}

#[test]
fn child_has_the_arguments_variables_folder_and_streams_of_the_client() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let mut command = server.client(&["show", "a b", ""]);
    command.env_clear().env(SOCKET, &server.socket).env("ONE", "1=1").current_dir(folder.path());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("[\"show\", \"a b\", \"\"]"), "{shown}");
    assert!(shown.contains("(\"ONE\", \"1=1\")") && !shown.contains("(\"PATH\""), "{shown}");
    assert!(shown.contains(&format!("{:?}", folder.path().canonicalize().unwrap())), "{shown}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "to standard error\n");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn client_ends_by_the_signal_that_ended_its_child() {
    let server = Server::start();
    let ended = server.client(&["abort"]).stderr(Stdio::null()).status().unwrap();
    assert_eq!(ended.signal(), Some(6));
}

#[test]
fn child_has_the_resource_limits_of_the_client() {
    let server = Server::start();
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("ulimit -n 33; exec {CLIENT} limit")]).env(SOCKET, &server.socket);
    assert_eq!(String::from_utf8(shell.output().unwrap().stdout).unwrap(), "Some(33)\n");
}

#[test]
fn child_has_the_open_files_of_the_client_under_the_same_numbers() {
    let server = Server::start();
    let mut shell = Command::new("/bin/bash");
    shell.args(["-c", &format!("exec {CLIENT} cat /dev/fd/63 63< <(echo through)")]).env(SOCKET, &server.socket);
    assert_eq!(String::from_utf8(shell.output().unwrap().stdout).unwrap(), "through\n");
}

/// Starts a client whose child process runs until somebody ends it, with the number of the child process.
fn waiting(server: &Server) -> (Child, String) {
    let mut client = server.client(&["wait"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(client.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (client, line.trim().to_string())
}

#[test]
fn killed_client_ends_only_its_child() {
    let server = Server::start();
    let ((mut one, first), (mut other, second)) = (waiting(&server), waiting(&server));
    one.kill().unwrap();
    one.wait().unwrap();
    let since = Instant::now();
    while is_running(&first) {
        assert!(since.elapsed() < Duration::from_secs(20), "the child process {first} has not ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(is_running(&second));
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn server_that_ends_also_ends_its_children() {
    let server = Server::start();
    let (mut client, child) = waiting(&server);
    drop(server);
    assert!(!is_running(&child));
    assert_eq!(client.wait().unwrap().code(), Some(2));
}

#[test]
fn invalid_client_does_not_stop_the_server() {
    let server = Server::start();
    std::io::Write::write_all(&mut std::os::unix::net::UnixStream::connect(&server.socket).unwrap(), b"hello").unwrap();
    drop(std::os::unix::net::UnixStream::connect(&server.socket).unwrap());
    assert_eq!(server.client(&["limit"]).stdout(Stdio::null()).status().unwrap().code(), Some(0));
}

#[test]
fn client_without_server_reports_an_error() {
    let output = Command::new(CLIENT).env(SOCKET, "/no/such/socket").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("cube-client: cube did not run: "));
}
