//! Writes borrowed views of the dialect's operations, its enums, and the table of operations.
#[path = "../views.rs"]
mod views;

fn main() {
    views::Dialect { name: "cube", class: "Cube" }.write(&[]);
}
