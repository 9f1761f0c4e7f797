//! Writes borrowed views of the dialect's operations and the table of operations.
#[path = "../views.rs"]
mod views;

fn main() {
    views::Dialect { name: "layout", class: "Layout" }.write(&["../cube/td"]);
}
