#![deny(unused, nonstandard_style)]
use cubecl::prelude::*;
use std::collections::HashMap; //~

#[cube(launch)]
pub fn k(out: &mut Array<f32>, n: u32) { //~
    let unused = 1.0f32; //~
    let mut needless = 2.0; //~
    out[0] = needless;
}
#[cube]
fn dead(a: f32) -> f32 { //~
    a
}
#[cube]
pub fn unreachable(a: f32) -> f32 {
    return a;
    let b = a + 1.0; //~
    b
}
#[cube]
pub fn assigned(a: f32) -> f32 {
    let mut b = a; //~
    b = 2.0; //~
    b = 3.0;
    b
}
#[cube]
pub fn unused_result(a: f32) {
    a + 1.0; //~
}
#[derive(CubeType, Clone, Copy)]
pub struct S {
    x: f32,
}
#[cube]
impl S {
    fn dead_method(&self) -> f32 { //~
        self.x
    }
    pub fn live(&self, q: u32) -> f32 { //~
        let z = 1; //~
        self.x
    }
    #[allow(unused_variables)]
    pub fn allowed(&self, q: u32) -> f32 {
        1.0
    }
}
#[cube]
pub fn parens(a: u32) -> u32 {
    if (a > 1) { 1 } else { 2 } //~
}
#[cube]
pub fn endless(a: u32) -> u32 {
    let mut s = 0;
    for i in 0..a { //~
        s += 1;
    }
    s
}
#[cube]
pub fn UpperCase(a: u32) -> u32 { //~
    let BadName = a; //~
    BadName
}
#[cube]
pub trait T {
    fn f(a: u32) -> u32;
    fn g(b: u32) -> u32 { //~
        1
    }
}
pub struct U;
#[cube]
impl T for U {
    fn f(a: u32) -> u32 { //~
        let w = 2; //~
        1
    }
}
#[cube]
pub fn statement(a: u32) -> u32 {
    sync_cube; //~
    a
}
#[expect(unused_variables)]
#[cube]
pub fn expected(a: u32) -> u32 {
    1
}

fn main() {}
