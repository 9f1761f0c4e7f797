//! Tests of complete sessions in memory, without a child process.
use super::*;
use crate::{Compiler, tests::sample};

struct Echo;

impl Compiler for Echo {
    fn compile(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Result<Artifact, CompileError> {
        match source {
            b"panic" => panic!("boom {}", 1),
            b"refuse" => Err(CompileError::from(crate::Message::from("no such op [CUBE0102]"))),
            _ => Ok(Artifact {
                code: source.to_vec(),
                target: target.clone(),
                kernel: options.kernel.clone().unwrap_or_default(),
                ..sample()
            }),
        }
    }
}

fn request(id: u64, source: &[u8]) -> Request {
    let options = CompileOptions { kernel: Some("k".into()), ..Default::default() };
    Request { id, source: source.to_vec(), target: Target::cpu(), options, wanted: Wanted::Code }
}

/// The bytes that a client sends for the given requests.
fn client(requests: &[Request]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_hello(&mut bytes, Peer::Client).unwrap();
    for request in requests {
        request.write(&mut bytes).unwrap();
    }
    bytes
}

#[test]
fn a_server_answers_every_request_in_order_and_survives_a_panic() {
    let input = client(&[request(1, b"code"), request(2, b"panic"), request(3, b"refuse"), request(4, b"more")]);
    let mut output = Vec::new();
    serve(&Echo, &input[..], &mut output).unwrap();
    let mut output = &output[..];
    read_hello(&mut output, Peer::Server).unwrap();
    let code = |encoded| <(Artifact, String)>::decode(encoded).unwrap();
    let (artifact, report) = code(Response::read(&mut output, 1).unwrap().unwrap());
    assert_eq!(report, "");
    assert_eq!((artifact.code, artifact.kernel), (b"code".to_vec(), "k".to_string()));
    let panic = Response::read(&mut output, 2).unwrap().unwrap_err();
    assert_eq!(panic.diagnostics[0].code.as_deref(), Some(crate::codes::COMPILER_PANIC));
    assert!(panic.to_string().contains("panicked: boom 1"), "{panic}");
    assert_eq!(
        Response::read(&mut output, 3).unwrap(),
        Err(CompileError::from(crate::Message::from("no such op [CUBE0102]")))
    );
    assert_eq!(code(Response::read(&mut output, 4).unwrap().unwrap()).0.code, b"more");
    assert!(output.is_empty());
}

/// A compiler that returns the requested report.
struct ReportCompiler;

impl Compiler for ReportCompiler {
    fn compile(&self, _: &[u8], _: &Target, _: &CompileOptions) -> Result<Artifact, CompileError> {
        Ok(sample())
    }

    fn compile_and_report(&self, _: &[u8], _: &Target, options: &CompileOptions) -> Answer {
        Ok((sample(), format!("{:?}", options.reports)))
    }
}

/// A compiler that returns the profile of a kernel, and panics for the source `panic`.
struct ProfileCompiler;

impl Compiler for ProfileCompiler {
    fn compile(&self, _: &[u8], _: &Target, _: &CompileOptions) -> Result<Artifact, CompileError> {
        unreachable!("a profile needs no code")
    }

    fn profile(&self, source: &[u8], _: &Target, _: &CompileOptions) -> Result<Option<Profile>, CompileError> {
        match source {
            b"panic" => panic!("boom 2"),
            b"none" => Ok(None),
            _ => Ok(Some(Profile { kernel: "profiled".into(), ..crate::cost::sample_profile(&[]) })),
        }
    }
}

#[test]
fn profiles_cross_the_pipe_without_code_generation() {
    let wanted = |id, source| Request { wanted: Wanted::Profile, ..request(id, source) };
    let input = client(&[wanted(1, b"code"), wanted(2, b"panic"), wanted(3, b"none")]);
    let mut output = Vec::new();
    serve(&ProfileCompiler, &input[..], &mut output).unwrap();
    let mut output = &output[..];
    read_hello(&mut output, Peer::Server).unwrap();
    let profile = |encoded| Option::<Profile>::decode(encoded).unwrap();
    let expected = Profile { kernel: "profiled".into(), ..crate::cost::sample_profile(&[]) };
    assert_eq!(profile(Response::read(&mut output, 1).unwrap().unwrap()), Some(expected));
    let panic = Response::read(&mut output, 2).unwrap().unwrap_err();
    assert!(panic.to_string().contains("panicked: boom 2"), "{panic}");
    assert_eq!(profile(Response::read(&mut output, 3).unwrap().unwrap()), None);
    // A compiler without profiles answers every request for a profile with `None`.
    let mut output = Vec::new();
    serve(&Echo, &client(&[wanted(1, b"x")])[..], &mut output).unwrap();
    let mut output = &output[..];
    read_hello(&mut output, Peer::Server).unwrap();
    assert_eq!(profile(Response::read(&mut output, 1).unwrap().unwrap()), None);
}

#[test]
fn report_requests_and_results_cross_the_pipe() {
    let mut requested = request(1, b"x");
    requested.options.reports = crate::Reports {
        dump: Some("/d/k".into()),
        trace: Some("/t/k".into()),
        explain: true,
        instance: "k<F = f32>".into(),
        notes: vec!["a note".into()],
    };
    let mut output = Vec::new();
    serve(&ReportCompiler, &client(std::slice::from_ref(&requested))[..], &mut output).unwrap();
    let mut output = &output[..];
    read_hello(&mut output, Peer::Server).unwrap();
    let (_, report) = Response::read(&mut output, 1).unwrap().unwrap();
    assert_eq!(report, format!("{:?}", requested.options.reports));
}

#[test]
fn an_answer_to_another_request_is_garbled() {
    let mut output = Vec::new();
    serve(&Echo, &client(&[request(1, b"x")])[..], &mut output).unwrap();
    let mut output = &output[..];
    read_hello(&mut output, Peer::Server).unwrap();
    let error = Response::read(&mut output, 2).unwrap_err();
    assert_eq!(error, ProtocolError::Garbled("the answer belongs to another request"));
}

#[test]
fn a_server_ends_with_an_error_on_anything_but_requests() {
    let mut noise = client(&[]);
    write_frame(&mut noise, b"\xff\xff\xff").unwrap();
    assert!(matches!(serve(&Echo, &noise[..], Vec::new()), Err(ProtocolError::Garbled(_))));
    assert!(matches!(serve(&Echo, &b"hello"[..], Vec::new()), Err(ProtocolError::NotCube { .. })));
    let cut = client(&[request(1, b"code")]);
    assert_eq!(serve(&Echo, &cut[..cut.len() - 1], Vec::new()), Err(ProtocolError::Closed));
}

#[test]
fn a_damaged_artifact_inside_a_whole_frame_is_garbled() {
    let mut bytes = sample().to_bytes();
    *bytes.last_mut().unwrap() ^= 1;
    let mut output = Vec::new();
    write_frame(&mut output, &encode(&Response { id: 7, result: Ok((bytes.into(), String::new())) })).unwrap();
    let encoded = Response::read(&mut &output[..], 7).unwrap().unwrap();
    assert!(matches!(<(Artifact, String)>::decode(encoded.clone()), Err(ProtocolError::Garbled(_))));
    assert!(matches!(Option::<Profile>::decode(encoded), Err(ProtocolError::Garbled(_))));
}

#[test]
fn trailing_bytes_in_a_frame_are_garbled() {
    let mut payload = encode(&request(1, b"x"));
    payload.push(0);
    assert!(decode::<Request>(&payload).is_err());
}
