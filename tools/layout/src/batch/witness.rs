//! Converts a refusal of the layout algebra to JSON.

use cube_algebra::{Error, Point, path_text};
use serde_json::{Map, Value, json};

/// The refusal as `{"error": why, "witness": {...}}`.
pub(super) fn refusal(error: &Error) -> Map<String, Value> {
    let mut result = Map::new();
    result.insert("error".into(), error.to_string().into());
    result.insert("witness".into(), Value::Object(witness(error)));
    result
}

fn witness(error: &Error) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_string(), value);
    let Some(witness) = &error.witness else {
        put("condition", error.message.clone().into());
        return fields;
    };
    put("condition", witness.condition.clone().into());
    if let [first, ..] = witness.mode[..] {
        // For a by-mode tiler, the indices are relative to the mode of the result that has this number.
        let mode = if witness.inside_mode { first.to_string() } else { path_text(&witness.mode) };
        put("mode", mode.into());
        put("path", path_text(&witness.mode).into());
    }
    match witness.point {
        Some(Point::Value { index, expected, candidate }) => {
            put("index", index.into());
            put("expected", json!(expected));
            put("candidate", json!(candidate));
            if let Some(nearest) = witness.candidate.as_ref().filter(|_| expected.is_some()) {
                put("nearest", nearest.to_string().into());
            }
        }
        Some(Point::Collision { index, other, offset }) => {
            put("index", index.into());
            put("index2", other.into());
            put("offset", offset.into());
        }
        Some(Point::Unreached { offset }) => {
            put("unreached", offset.into());
        }
        None => {}
    }
    if let Some(tile) = &witness.tile {
        put("tile", tile.to_string().into());
    }
    fields
}
