//! The rules of copies between two devices.
use super::{LONG, Subject, all};
use cube_runtime::{Buffer, ErrorKind, Init, Queue};

/// The subject with its two devices exchanged.
fn exchanged<'a>(subject: &Subject<'a>) -> Subject<'a> {
    Subject { device: subject.other, other: subject.device, scale: subject.scale.clone(), ..*subject }
}

pub fn keeps_order(subject: &Subject<'_>) {
    let (device, other, far) = (subject.device, subject.other, exchanged(subject));
    let (kernel, far_kernel) = (device.load(&subject.scale).unwrap(), other.load(&subject.scale).unwrap());
    // A copy through host memory consists of several parts, and the last part is not full.
    for count in [64, LONG, 9 * LONG / 2] {
        let (from, to) = (far.filled(count, 1.0), subject.filled(count, 5.0));
        for round in 0..4 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|n| Queue::new(round * n));
            far.launch_on(a, &far_kernel, &from, 2.0).unwrap();
            subject.launch_on(b, &kernel, &to, 3.0).unwrap();
            device.copy_from(c, &to, other, d, &from).unwrap();
            // The copy has the value from before this launch.
            far.launch_on(a, &far_kernel, &from, -1.0).unwrap();
            subject.launch_on(b, &kernel, &to, 0.5).unwrap();
            let (copied, left) = if round % 2 == 0 { (1.0, -2.0) } else { (-1.0, 2.0) };
            let power = 2f32.powi(round as i32);
            if round % 2 == 0 {
                let reading = device.read_async(d, &to, 0, to.size()).unwrap();
                assert!(all(&reading.wait().unwrap(), copied * power), "{count} elements, round {round}");
            } else {
                assert!(subject.holds(&to, copied * power), "{count} elements, round {round}");
            }
            assert!(far.holds(&from, left * power), "{count} elements, round {round}");
        }
        device.sync().unwrap();
        other.sync().unwrap();
    }
    // All elements of a large copy are different.
    let values: Vec<f32> = (0..9 * LONG / 2).map(|n| n as f32).collect();
    let (from, to) = (other.alloc(values.len() as u64 * 4, Init::Any).unwrap(), subject.filled(values.len(), 0.0));
    far.write(&from, 0, &values);
    // The target is busy when the source begins to provide bytes.
    (0..8).for_each(|_| subject.launch_on(Queue::new(1), &kernel, &to, 1.0).unwrap());
    device.copy_from(Queue::new(1), &to, other, Queue::new(2), &from).unwrap();
    assert!(subject.read(&to) == values, "another order of the elements");
    // A part of a buffer, and a chain of copies through both devices.
    let (near, back) = (subject.filled(1000, 7.0), subject.filled(1000, 0.0));
    let remote = far.filled(1000, 0.0);
    let part = |buffer: &Buffer, range| buffer.slice(range).unwrap();
    other.copy_from(Queue::new(1), &part(&remote, 400..800), device, Queue::new(2), &part(&near, 0..400)).unwrap();
    device.copy_from(Queue::new(3), &back, other, Queue::new(4), &remote).unwrap();
    let (near_read, back_read) = (subject.read(&near), subject.read(&back));
    assert!(near_read.iter().all(|v| *v == 7.0));
    assert!(back_read.iter().enumerate().all(|(at, v)| *v == if (100..200).contains(&at) { 7.0 } else { 0.0 }));
    let empty = |subject: &Subject<'_>| subject.device.alloc(0, Init::Any).unwrap();
    device.copy_from(Queue::DEFAULT, &empty(subject), other, Queue::DEFAULT, &empty(&far)).unwrap();
    // Within one device, the method is `copy`.
    device.copy_from(Queue::new(1), &back, device, Queue::DEFAULT, &near).unwrap();
    assert_eq!(subject.read(&back), [7.0; 1000]);
    let refused = |to: &Buffer, from: &Buffer, words: &str| {
        let error = device.copy_from(Queue::DEFAULT, to, other, Queue::DEFAULT, from).unwrap_err();
        assert!(error.kind == ErrorKind::User && error.message.contains(words), "{error}");
    };
    refused(
        &back,
        &part(&remote, 0..400),
        "the source of a copy has 400 bytes, but the destination has 4000 bytes; use slices of equal size",
    );
    refused(&back, &near, "the buffer belongs to another");
    refused(&remote, &remote, "the buffer belongs to another");
    assert_eq!(subject.read(&back), [7.0; 1000]);
    [device, other].iter().for_each(|device| device.sync().unwrap());
}

pub fn both_directions(subject: &Subject<'_>) {
    let far = exchanged(subject);
    let rounds = (subject.rounds / 10).clamp(20, 200);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (from, to) = if thread % 2 == 0 { (subject, &far) } else { (&far, subject) };
            scope.spawn(move || {
                let queue = |n: u64| Queue::new((n + thread) as u32 % 3);
                // A copy of this size is not immediate.
                let (source, target) = (from.filled(40_000, 1.0), to.filled(40_000, 0.0));
                let kernel = from.device.load(&from.scale).unwrap();
                let mut expected = 1.0;
                for round in 0..rounds {
                    let a = if round % 2 == 0 { 2.0 } else { -0.5 };
                    from.launch_on(queue(round), &kernel, &source, a).unwrap();
                    to.device.copy_from(queue(round + 1), &target, from.device, queue(round), &source).unwrap();
                    expected *= a;
                }
                assert!(to.holds(&target, expected), "thread {thread}");
            });
        }
    });
    [subject.device, subject.other].iter().for_each(|device| device.sync().unwrap());
}
