//! The time of each operation on layouts of typical size: `cargo bench -p cube-algebra`.
#![allow(missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use cube_algebra as algebra;
use cube_algebra::{Layout, Tiler};
use std::hint::black_box;

fn operations(c: &mut Criterion) {
    let layout = |text: &str| text.parse::<Layout>().unwrap();
    let tensor = layout("(2048,2048):(2048,1)");
    let block = layout("(16,256):(2048,1)");
    let tv = layout("((32,4),(8,4)):((128,4),(16,1))");
    let nested = layout("((4,2),(10,2,6),1,(1,1)):((1,4),(8,80,160),960,(960,960))");
    let inner = layout("(4,(16,3,5)):(80,(5,320,1))");
    let tiler: Tiler = "<16;256>".parse().unwrap();
    let copies = Tiler::Layout(layout("(3,4):(1,3)"));
    let small = layout("(2,5):(5,1)");
    let threads = layout("(4,32):(32,1)");
    let values = layout("(4,8):(8,1)");
    let refused = (layout("(4,3):(1,10)"), layout("6:1"));
    c.bench_function("parse", |b| b.iter(|| black_box("(4,(2,8)):(1,(4,32))").parse::<Layout>()));
    c.bench_function("print", |b| b.iter(|| black_box(&tv).to_string()));
    c.bench_function("coalesce", |b| b.iter(|| algebra::coalesce(black_box(&nested))));
    c.bench_function("compose tv", |b| b.iter(|| algebra::compose(black_box(&block), &tv)));
    c.bench_function("compose nested", |b| b.iter(|| algebra::compose(black_box(&nested), &inner)));
    c.bench_function("compose refused", |b| b.iter(|| algebra::compose(black_box(&refused.0), &refused.1)));
    c.bench_function("complement", |b| b.iter(|| algebra::complement(black_box(&small), 120)));
    c.bench_function("right_inverse", |b| b.iter(|| algebra::right_inverse(black_box(&tv))));
    c.bench_function("left_inverse", |b| b.iter(|| algebra::left_inverse(black_box(&tv))));
    c.bench_function("injective", |b| b.iter(|| algebra::injective(black_box(&nested))));
    c.bench_function("zipped_divide", |b| b.iter(|| algebra::zipped_divide(black_box(&tensor), &tiler)));
    c.bench_function("logical_product", |b| b.iter(|| algebra::logical_product(black_box(&small), &copies)));
    c.bench_function("make_layout_tv", |b| b.iter(|| algebra::make_layout_tv(black_box(&threads), &values)));
    c.bench_function("offset", |b| b.iter(|| black_box(&tv).offset(black_box(777))));
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(100))
        .measurement_time(std::time::Duration::from_millis(300))
        .without_plots();
    targets = operations
}
criterion_main!(benches);
