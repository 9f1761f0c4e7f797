//! Kernels as text, and the device's form of a buffer.
use crate::common::*;
use cubecl::prelude::*;
use cubecl::server::Bindings;
use std::sync::atomic::{AtomicUsize, Ordering};

static TEXTS: AtomicUsize = AtomicUsize::new(0);

/// Multiplies by a constant of the text, and adds a number of the launch. The factor 7 is not counted in [`TEXTS`].
struct Scaled {
    factor: u32,
}

impl KernelMetadata for Scaled {
    fn name(&self) -> &'static str {
        "scaled"
    }
    fn id(&self) -> KernelId {
        KernelId::new::<Self>().info(self.factor)
    }
}

impl CubeTask for Scaled {
    fn source(&self) -> String {
        TEXTS.fetch_add(usize::from(self.factor != 7), Ordering::Relaxed);
        format!(
            "cube.kernel @scaled(%x: !cube.array<i32> {{cube.host = \"u32\", cube.access = \"read\"}}, \
             %out: !cube.array<i32> {{cube.host = \"u32\"}}, %plus: i32 {{cube.host = \"u32\"}}) cube_dim(4) {{
               %i = cube.topology absolute_pos
               %factor = arith.constant {} : i32
               %v = cube.load %x[%i] : !cube.array<i32> -> i32
               %scaled = arith.muli %v, %factor : i32
               %sum = arith.addi %scaled, %plus : i32
               cube.store %sum, %out[%i] : i32, !cube.array<i32>
               cube.return
             }}",
            self.factor
        )
    }
}

#[test]
fn a_kernel_as_text_is_compiled_once_for_each_identity() {
    let client = client();
    let x = client.create(u32::as_bytes(&[1, 2, 3, 4, 5, 6, 7, 8]));
    for factor in [3, 5, 3] {
        let out = client.empty(32);
        let bindings = Bindings::new().with_buffers(vec![x.clone(), out.clone()]).with_scalar(100u32);
        client.execute(Box::new(Scaled { factor }), CubeCount::Static(2, 1, 1), bindings);
        let host: Vec<u32> = (1..9).map(|n| n * factor + 100).collect();
        assert_eq!(u32::from_bytes(&client.read_one(out)), host);
    }
    assert_eq!(TEXTS.load(Ordering::Relaxed), 2);
    assert_ne!(Scaled { factor: 3 }.id(), Scaled { factor: 5 }.id());
}

/// A text that is not a kernel.
struct Wrong;

impl KernelMetadata for Wrong {
    fn id(&self) -> KernelId {
        KernelId::new::<Self>()
    }
}

impl CubeTask for Wrong {
    fn source(&self) -> String {
        "cube.kernel @wrong(%x: !cube.array<i32>) cube_dim(4) { %a = cube.nothing }".into()
    }
}

#[test]
fn wrong_tasks_are_errors() {
    let client = client();
    let out = client.empty(32);
    let tried = |task: Box<dyn CubeTask>, bindings| client.try_execute(task, CubeCount::new_single(), bindings);
    let invalid = tried(Box::new(Wrong), Bindings::new().with_buffer(out.clone())).unwrap_err().to_string();
    assert!(invalid.contains("cube.nothing"), "{invalid}");
    assert!(client.try_read_one(out).is_err(), "the failed kernel should have written the buffer");
    let few = Bindings::new().with_buffer(client.empty(32));
    let few = tried(Box::new(Scaled { factor: 7 }), few).unwrap_err().to_string();
    assert!(few.contains(": the parameter `out` has no buffer") && few.contains("kernel '"), "{few}");
    let buffers = (0..3).map(|_| client.empty(32)).collect();
    let many = Bindings::new().with_buffers(buffers).with_scalar(1u32);
    let many = tried(Box::new(Scaled { factor: 7 }), many).unwrap_err().to_string();
    assert!(many.contains("no parameters for 1 buffers and 0 numbers"), "{many}");
}

#[test]
fn a_resource_is_the_range_of_the_handle() {
    let client = client();
    let handle = client.create(&[0; 64]).offset_start(16);
    let resource = client.get_resource(handle.clone().binding());
    assert_eq!((resource.resource().size(), resource.resource().offset()), (48, 16));
    assert!(client.try_get_resource(handle.offset_end(64)).is_err());
}
