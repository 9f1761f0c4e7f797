//! The compiler's end of the pipe.
use super::{
    Encoded, Peer, ProtocolError, Request, Response, Wanted, decode, encode, read_frame, read_hello, write_frame,
    write_hello,
};
use crate::{CompileError, Compiler};
use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Implements `cubec serve`: answers requests over standard input and output until the client closes the pipe.
///
/// If the compiler panics, the answer to the request is an error. The panic does not affect later requests.
///
/// # Errors
/// The client does not use this protocol, the versions of the client and of this program differ, a frame is damaged,
/// or the pipe is broken. The caller prints this error and exits with a non-zero status.
pub fn serve(compiler: &dyn Compiler, mut input: impl Read, mut output: impl Write) -> Result<(), ProtocolError> {
    // The server sends its greeting before it reads, so that a waiting client can identify this program.
    write_hello(&mut output, Peer::Server)?;
    read_hello(&mut input, Peer::Client)?;
    while let Some(payload) = read_frame(&mut input)? {
        let request: Request = decode(&payload)?;
        drop(payload);
        let result = compile(compiler, &request);
        let response = encode(&Response { id: request.id, result });
        match write_frame(&mut output, &response) {
            Err(error @ ProtocolError::TooLarge { .. }) => {
                let result = Err(CompileError::from(crate::diagnostic!(CUBE0907.frame { error })));
                write_frame(&mut output, &encode(&Response { id: request.id, result }))?;
            }
            other => other?,
        }
    }
    Ok(())
}

fn compile(compiler: &dyn Compiler, request: &Request) -> Result<Encoded, CompileError> {
    let Request { source, target, options, .. } = request;
    let compiled = catch_unwind(AssertUnwindSafe(|| match request.wanted {
        Wanted::Code => compiler
            .compile_and_report(source, target, options)
            .map(|(artifact, report)| (artifact.to_bytes().into(), report)),
        Wanted::Profile => {
            compiler.profile(source, target, options).map(|profile| (encode(&profile).into(), String::new()))
        }
    }));
    compiled.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into());
        Err(CompileError::from(crate::diagnostic!(CUBE0908.panic { what: text })))
    })
}
