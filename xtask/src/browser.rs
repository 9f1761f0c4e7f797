//! `cargo xtask browser`: runs `examples/embed/browser` in headless Chromium.
//!
//! The task compiles the kernel to a bundle for `wgsl:core` and the example to WebAssembly, writes a page to
//! `target/browser/page`, serves the page on this machine, and prints the result that the page sends back. Chromium runs WebGPU
//! on SwiftShader, its Vulkan device for the CPU. `PATH` must contain `chromium`, and rustc must have the target
//! `wasm32-unknown-unknown`.

use crate::phase::phase;
use crate::shell::{Machine, cargo, run as run_command};
use crate::workspace::{root, target_folder};
use crate::{Outcome, links};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

const WASM: &str = "wasm32-unknown-unknown";

/// Options of Chromium. A page of the host `localhost` may use WebGPU.
const OPTIONS: [&str; 5] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
];

/// Maximum time from the start of Chromium to the result.
const LIMIT: Duration = Duration::from_secs(60);

pub fn run(_: &[String]) -> Outcome {
    let (root, machine) = (root(), Machine::this());
    let chromium = machine.program("chromium").ok_or("no `chromium` on PATH: apt-get install chromium")?;
    let folder = target_folder(&root).join("browser");
    let page = folder.join("page");
    phase("building the tools", || {
        run_command(&mut cargo(&root, &["build", "-p", "cube-tools"]))?;
        links::make(&root).map(drop)
    })?;
    write_page(&root, &page)?;
    phase("building the example for WebAssembly", || build(&root, &folder, &page))?;
    let result = phase("opening the page", || open(&chromium, &folder, page))?;
    println!("{result}");
    if result.contains(" passed: ") { Ok(()) } else { Err("the example failed in the browser".into()) }
}

/// Copies the page, and compiles its bundle.
fn write_page(root: &Path, page: &Path) -> Outcome {
    let kernels = page.join("kernels");
    let failed = |error| format!("cannot write {}: {error}", page.display());
    std::fs::create_dir_all(&kernels).map_err(failed)?;
    let copies = [
        ("examples/embed/browser/index.html", page.join("index.html")),
        ("examples/kernels/gelu.mlir", kernels.join("gelu.mlir")),
        ("Cargo.lock", root.join("examples/embed/browser/Cargo.lock")),
    ];
    copies.iter().try_for_each(|(from, to)| std::fs::copy(root.join(from), to).map(drop)).map_err(failed)?;
    let mut cubec = Command::new(target_folder(root).join("debug/cubec"));
    cubec.arg("bundle").arg(&kernels).args(["--target", "wgsl:core", "-o"]).arg(page.join("kernels.bundle"));
    run_command(&mut cubec)
}

/// Compiles the example, and writes its WebAssembly module and the glue code in JavaScript.
fn build(root: &Path, folder: &Path, page: &Path) -> Outcome {
    let example = root.join("examples/embed/browser");
    let mut compile = cargo(&example, &["build", "--release", "--target", WASM]);
    run_command(compile.env("CARGO_TARGET_DIR", folder))
        .map_err(|error| format!("{error}; `rustup target add {WASM}` installs the target"))?;
    let lock = example.join("Cargo.lock");
    let text = std::fs::read_to_string(&lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    let version = version_of(&text, "wasm-bindgen").ok_or("the lock file has no wasm-bindgen")?;
    // Without `--locked`: a registry can lack a version of the tool's lock file that was withdrawn later.
    let mut install = cargo(root, &["install", "wasm-bindgen-cli", "--version", &version, "--root"]);
    run_command(install.arg(folder).env("CARGO_TARGET_DIR", folder))?;
    let mut bindgen = Command::new(folder.join("bin/wasm-bindgen"));
    bindgen.args(["--target", "web", "--no-typescript", "--out-dir"]).arg(page);
    run_command(bindgen.arg(folder.join(WASM).join("release/embed_browser.wasm")))
}

/// Serves the page, and returns the result that the page sends.
fn open(chromium: &Path, folder: &Path, page: PathBuf) -> Result<String, String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(|error| format!("no port: {error}"))?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    let (sender, receiver) = channel();
    // The thread ends with this process.
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| _ = serve(stream, &page, &sender)));
    let mut browser = Command::new(chromium);
    browser.args(OPTIONS).arg(format!("--user-data-dir={}", folder.join("profile").display()));
    browser.arg(format!("http://localhost:{port}/index.html")).stdout(Stdio::null()).stderr(Stdio::null());
    let mut browser = browser.spawn().map_err(|error| format!("{} did not start: {error}", chromium.display()))?;
    let result = receiver.recv_timeout(LIMIT);
    browser.kill().and_then(|()| browser.wait()).map_err(|error| format!("Chromium did not end: {error}"))?;
    result.map_err(|_| format!("the page sent no result within {} s", LIMIT.as_secs()))
}

/// Answers one request: sends a file of the page, or passes on the result in the body of `POST /result`.
fn serve(stream: TcpStream, page: &Path, results: &Sender<String>) -> std::io::Result<()> {
    let mut reader = BufReader::new(&stream);
    let (mut request, mut length) = (String::new(), 0);
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        length = content_length(&header).unwrap_or(length);
        header.clear();
    }
    let mut words = request.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let name = path.trim_start_matches('/');
    let body = if (method, name) == ("POST", "result") {
        let mut result = String::new();
        reader.take(length).read_to_string(&mut result)?;
        _ = results.send(result);
        Some(vec![])
    } else if name.contains('/') {
        None
    } else {
        std::fs::read(page.join(name)).ok()
    };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
    let body = body.unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut answer = &stream;
    answer.write_all(head.as_bytes())?;
    answer.write_all(&body)
}

/// The number in a header line `Content-Length: NUMBER`.
fn content_length(header: &str) -> Option<u64> {
    let (name, value) = header.split_once(':')?;
    if name.eq_ignore_ascii_case("content-length") { value.trim().parse().ok() } else { None }
}

/// The version of a crate in a lock file.
fn version_of(lock: &str, name: &str) -> Option<String> {
    let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    Some(rest.split_once('"')?.0.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_received() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let (sender, receiver) = channel();
        let mut client = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        client.write_all(b"POST /result HTTP/1.1\r\nHost: x\r\ncontent-length: 6\r\n\r\npassed").expect("sent");
        let (stream, _) = listener.accept().expect("a client");
        serve(stream, Path::new("no page"), &sender).expect("an answer");
        assert_eq!(receiver.try_recv().as_deref(), Ok("passed"));
        let mut answer = String::new();
        client.read_to_string(&mut answer).expect("the answer");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    }

    #[test]
    fn versions_are_found() {
        let lock = "[[package]]\nname = \"wasm-bindgen-shared\"\nversion = \"1\"\n\n[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_of(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
    }
}
