//! Kernels with mistakes about traits, types and functions of the library.
use cubecl::prelude::*;
use library::operations::{Operation, Stepped, on_host, rounds};
use library::shapes::{OfHost, Scale, Step, Tile};

pub struct NoOperation;

pub struct WithoutAttribute;

impl Operation<f32> for WithoutAttribute { //~
    const ROUNDS: u32 = 1;
    fn apply(x: f32, scale: Scale<f32>) -> f32 {
        x * scale.factor
    }
}

pub struct Incomplete;

#[cube]
impl Operation<f32> for Incomplete { //~
    const ROUNDS: u32 = 1;
}

pub struct OtherTypes;

#[cube]
impl Operation<f32> for OtherTypes {
    const ROUNDS: u32 = 1;
    fn apply(x: u32, scale: Scale<f32>) -> f32 { //~~
        scale.factor
    }
}

#[cube]
fn calls_the_host(x: f32) -> f32 {
    on_host(x) //~
}

#[cube]
fn calls_by_path(x: f32) -> f32 {
    library::operations::missing(x) //~
}

#[cube]
fn takes_a_type_of_the_host(x: OfHost) -> f32 { //~
    x.x
}

#[cube]
fn unknown_field(scale: Scale<f32>) -> f32 {
    scale.width //~
}

#[cube]
fn unknown_field_in_a_literal(x: f32) -> f32 {
    let scale = Scale::<f32> { factor: x, shift: x }; //~
    scale.of(x)
}

#[cube]
fn unknown_variant(x: f32) -> f32 {
    x.stepped(Step::Twice(x)) //~
}

#[cube]
fn unknown_method(scale: Scale<f32>, x: f32) -> f32 {
    scale.inverse_of(x) //~
}

#[cube]
fn no_operation(x: f32, scale: Scale<f32>, #[comptime] tile: Tile) -> f32 {
    rounds::<f32, NoOperation>(x, scale, tile) //~~
}

#[cube]
fn a_number_as_settings<O: Operation<f32>>(x: f32, scale: Scale<f32>) -> f32 {
    rounds::<f32, O>(x, scale, 2u32) //~
}

#[cube]
fn settings_of_the_kernel(n: u32, x: f32, scale: Scale<f32>) -> f32 {
    let tile = Tile { rows: n, columns: 1u32 }; //~
    rounds::<f32, library::operations::Linear>(x, scale, tile)
}
