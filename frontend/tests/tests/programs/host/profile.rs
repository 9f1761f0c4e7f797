//! The timeline of a program (`CUBE_PROFILE`).
use crate::common::*;
use cubecl::prelude::*;
use serde_json::Value;
use std::process::Command;

#[cube(launch)]
fn profiled(x: &mut Array<u32>, steps: u32) {
    for _ in 0..steps {
        x[ABSOLUTE_POS] = x[ABSOLUTE_POS] * 3 + 1;
    }
}

/// Steps of a launch that takes longer than a millisecond on any device.
const LONG: u32 = 20_000_000;

/// A child process that the test below starts.
#[test]
fn a_profiled_program() {
    let work = |queue: u32| {
        let client = client().on_queue(queue);
        let (data, copied) = (client.create(u32::as_bytes(&[1, 2, 3, 4])), client.empty(16));
        let launch = |client: &Client, steps: u32| {
            let x = array::<u32>(&data, 4);
            profiled::launch::<R>(client, one(), CubeDim::new_1d(4), x, ScalarArg::new(steps));
        };
        [1, 2, LONG].into_iter().for_each(|steps| launch(&client, steps));
        let (graph, ()) = client.graph(|client| launch(client, 2)).unwrap();
        graph.replay().unwrap();
        client.copy(&data, &copied).unwrap();
        client.read_one(copied);
    };
    work(0);
    std::thread::scope(|scope| {
        for queue in [0, 0, 3] {
            scope.spawn(move || work(queue));
        }
    });
}

struct Slice {
    kind: String,
    name: String,
    start: f64,
    end: f64,
    track: (u64, u64),
    args: Value,
}

impl Slice {
    fn of(event: &Value) -> Slice {
        let text = |name: &str| event[name].as_str().unwrap().to_string();
        let (start, number) = (event["ts"].as_f64().unwrap(), |name: &str| event[name].as_u64().unwrap());
        Slice {
            kind: text("cat"),
            name: text("name"),
            start,
            end: start + event["dur"].as_f64().unwrap(),
            track: (number("pid"), number("tid")),
            args: event["args"].clone(),
        }
    }

    fn contains(&self, other: &Slice) -> bool {
        self.start <= other.start + ROUNDED && other.end <= self.end + ROUNDED
    }
}

/// Microseconds by which a rounded time can differ.
const ROUNDED: f64 = 0.003;

#[test]
fn a_timeline_has_the_calls_of_the_host_and_the_commands_of_the_device() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.json");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "host::profile::a_profiled_program"]).env("CUBE_PROFILE", &file).env("CUBE_CACHE", "off");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let events: Vec<Value> = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let names = |what: &str| -> Vec<&str> {
        events.iter().filter(|e| e["name"] == what).map(|e| e["args"]["name"].as_str().unwrap()).collect()
    };
    let processes = names("process_name");
    assert!(processes.len() == 2 && processes[0] == "host" && processes[1].starts_with("device "), "{processes:?}");
    assert!(names("thread_name").contains(&"queue 0") && names("thread_name").contains(&"queue 3"));
    let slices: Vec<Slice> = events.iter().filter(|event| event["ph"] == "X").map(Slice::of).collect();
    assert!(slices.iter().all(|slice| slice.start >= 0.0 && slice.end >= slice.start));
    let (host, device): (Vec<&Slice>, Vec<&Slice>) = slices.iter().partition(|slice| slice.track.0 == 1);
    // Four runs with three launches, a graph, and copies: to the device, on the device, to the host.
    let count = |slices: &[&Slice], kind: &str| slices.iter().filter(|slice| slice.kind == kind).count();
    for slices in [&host, &device] {
        assert_eq!(["launch", "graph", "copy"].map(|kind| count(slices, kind)), [12, 4, 12]);
    }
    assert_eq!(["prepare", "compile", "load"].map(|kind| count(&host, kind)), [1, 1, 1]);
    // Slices of one thread of the host are nested or one after the other.
    for (i, a) in host.iter().enumerate() {
        for b in host[i + 1..].iter().filter(|b| b.track == a.track) {
            let apart = a.end <= b.start + ROUNDED || b.end <= a.start + ROUNDED;
            assert!(apart || a.contains(b) || b.contains(a), "{} {} overlaps {} {}", a.kind, a.name, b.kind, b.name);
        }
    }
    let prepare = host.iter().find(|slice| slice.kind == "prepare").unwrap();
    for inner in host.iter().filter(|slice| ["compile", "load"].contains(&slice.kind.as_str())) {
        assert!(inner.track == prepare.track && prepare.contains(inner) && inner.name == "profiled", "{}", inner.kind);
    }
    // Commands of one queue follow each other in the file, and each is inside of the call that submitted it.
    for queue in [0, 3] {
        let commands: Vec<_> = device.iter().filter(|slice| slice.track.1 == queue).collect();
        assert!(commands.len() >= 7, "{}", commands.len());
        assert!(commands.windows(2).all(|pair| pair[0].end <= pair[1].start + ROUNDED));
    }
    for command in &device {
        let call = |call: &&&Slice| call.kind == command.kind && call.name == command.name && call.contains(command);
        assert!(host.iter().any(|slice| call(&slice)), "no call for {} {}", command.kind, command.name);
        assert!(["host", "device"].contains(&command.args["clock"].as_str().unwrap()));
        assert_eq!(command.args["bytes"].as_u64(), (command.kind == "copy").then_some(16));
    }
    let times: Vec<f64> = device.iter().filter(|s| s.kind == "launch").take(3).map(|s| s.end - s.start).collect();
    assert!(times[2] > 1000.0, "the third launch is the long one: {times:?}");
}

#[test]
fn a_timeline_that_cannot_be_written_is_a_notice() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "host::profile::a_profiled_program", "--nocapture"]);
    let output = command.env("CUBE_PROFILE", "/no/such/folder/trace.json").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(
        stderr.matches("the file of CUBE_PROFILE, /no/such/folder/trace.json, cannot be created").count(),
        1,
        "{stderr}"
    );
}
