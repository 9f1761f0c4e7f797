//! Graphs: recorded launches and copies.
use crate::common::*;
use cubecl::future::block_on;
use cubecl::host::arguments::LaunchError;
use cubecl::prelude::*;

#[cube(launch)]
fn add_scaled(x: &Array<f32>, y: &mut Array<f32>, factor: f32) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] += x[ABSOLUTE_POS] * factor;
    }
}

#[cube(launch)]
fn square(x: &Array<f32>, y: &mut Array<f32>) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = x[ABSOLUTE_POS] * x[ABSOLUTE_POS];
    }
}

fn floats(client: &Client, handle: &cubecl::server::Handle) -> Vec<f32> {
    f32::from_bytes(&client.read_one(handle.clone())).to_vec()
}

#[test]
fn a_graph_repeats_its_launches_and_copies_with_new_scalars() {
    let client = client();
    let x = client.create(f32::as_bytes(&[1.0, 2.0, 3.0, 4.0]));
    let (sum, copied) = (client.empty(16), client.empty(16));
    let four = CubeDim::new_1d(4);
    let (mut graph, scaled) = client
        .graph(|client| {
            let squares = client.uninit(16);
            square::launch::<R>(client, one(), four, array::<f32>(&x, 4), array::<f32>(&squares, 4));
            let scaled = client.recorded();
            let (from, to) = (array::<f32>(&squares, 4), array::<f32>(&sum, 4));
            add_scaled::launch::<R>(client, one(), four, from, to, ScalarArg::new(2.0));
            client.copy(&sum, &copied).unwrap();
            scaled
        })
        .unwrap();
    assert_eq!((graph.len(), scaled, client.recorded()), (3, 1, 0));
    assert_eq!(floats(&client, &sum), [0.0; 4], "a recording executes nothing");
    graph.replay().unwrap();
    graph.replay_on(2).unwrap();
    assert_eq!(floats(&client, &copied), [4.0, 16.0, 36.0, 64.0]);
    graph.set_scalar(scaled, "factor", -1.0f32).unwrap();
    // The graph reads the current contents of its inputs.
    client.write(&x, f32::as_bytes(&[2.0, 0.0, 1.0, 1.0])).unwrap();
    graph.replay().unwrap();
    assert_eq!(floats(&client, &copied), [0.0, 16.0, 35.0, 63.0]);
    drop((x, sum));
    graph.replay().unwrap();
    assert_eq!(floats(&client, &copied), [-4.0, 16.0, 34.0, 62.0], "the graph keeps its memory alive");
}

#[test]
fn a_wrong_change_of_a_scalar_names_the_scalars() {
    let client = client();
    let (x, y) = (client.empty(16), client.empty(16));
    let record = |client: &Client| {
        let (x, y) = (array::<f32>(&x, 4), array::<f32>(&y, 4));
        add_scaled::launch::<R>(client, one(), CubeDim::new_1d(4), x, y, ScalarArg::new(2.0));
        client.copy(&client.uninit(8), &client.uninit(8)).unwrap();
    };
    let (mut graph, ()) = client.graph(record).unwrap();
    let mut refused = |position, name, words: &str| {
        let error = graph.set_scalar(position, name, 1u32).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(0, "x", "'add_scaled' has no scalar parameter `x`; use one of `factor`");
    refused(0, "factor", "has type f32, but the value has type u32");
    refused(1, "factor", "command 1 of 2 is not a launch");
    refused(2, "factor", "command 2 of 2 is not a launch");
}

#[test]
fn a_recording_refuses_calls_that_a_replay_would_not_repeat() {
    let client = client();
    let data = client.create(f32::as_bytes(&[1.0; 4]));
    let mut leaked = None;
    let (graph, ()) = client
        .graph(|client| {
            let refused = |error: LaunchError, call: &str| {
                let error = error.to_string();
                assert!(error.contains(&format!("`{call}` cannot be recorded")), "{error}");
            };
            refused(client.try_create(&[1]).unwrap_err(), "create");
            refused(client.try_empty(4).unwrap_err(), "empty");
            refused(client.write(&data, &[1]).unwrap_err(), "write");
            refused(client.try_read_one(data.clone()).unwrap_err(), "read");
            refused(block_on(client.try_read_async(vec![data.clone()])).unwrap_err(), "read");
            refused(block_on(client.sync()).unwrap_err(), "sync");
            refused(client.profile(|| (), "nothing").unwrap_err(), "profile");
            refused(client.graph(|_| ()).unwrap_err(), "graph");
            leaked = Some(client.clone());
        })
        .unwrap();
    assert!(graph.is_empty());
    graph.replay().unwrap();
    let leaked = leaked.unwrap();
    let error = leaked.copy(&data, &client.empty(16)).unwrap_err().to_string();
    assert!(error.contains("the recording of the graph has ended"), "{error}");
}

#[cube(launch)]
fn numbered(out: &mut Array<u32>) {
    out[CUBE_POS] = CUBE_COUNT * 10 + CUBE_POS;
}

#[test]
fn a_graph_reads_a_dynamic_cube_count_in_each_replay() {
    let client = client();
    let (counts, out) = (client.create(u32::as_bytes(&[2, 2, 1])), client.empty(32));
    let (graph, ()) = client
        .graph(|client| {
            let count = CubeCount::Dynamic(counts.clone().binding());
            numbered::launch::<R>(client, count, CubeDim::new_single(), array::<u32>(&out, 8));
        })
        .unwrap();
    let replayed = || {
        graph.replay().unwrap();
        u32::from_bytes(&client.read_one(out.clone())).to_vec()
    };
    assert_eq!(replayed(), [40, 41, 42, 43, 0, 0, 0, 0]);
    client.copy(&client.create(u32::as_bytes(&[3, 1, 2])), &counts).unwrap();
    assert_eq!(replayed(), [60, 61, 62, 63, 64, 65, 0, 0]);
}

#[test]
fn a_refused_launch_or_copy_fails_the_recording() {
    let client = client();
    let (x, y) = (client.create(f32::as_bytes(&[3.0; 4])), client.create(f32::as_bytes(&[5.0; 4])));
    let launch = |client: &Client, cubes: CubeCount| {
        square::launch::<R>(client, cubes, CubeDim::new_1d(4), array::<f32>(&x, 4), array::<f32>(&y, 4));
    };
    let error = client.graph(|client| launch(client, CubeCount::Dynamic(y.clone()))).unwrap_err().to_string();
    assert!(error.contains("writes the buffer with its number of cubes") && error.contains("square"), "{error}");
    let error = client
        .graph(|client| {
            let _ = client.copy(&x, &client.uninit(8));
            launch(client, one());
        })
        .unwrap_err()
        .to_string();
    assert!(error.contains("the source of a copy has 16 bytes, but the destination has 8 bytes"), "{error}");
    assert_eq!(floats(&client, &y), [5.0; 4], "a failed recording leaves the memory valid");
}
