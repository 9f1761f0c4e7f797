//! The answer to one request.

use super::witness::refusal;
use cube_algebra::access::{bank_conflicts, global_access};
use cube_algebra::{self as algebra, Composed, Coord, Cursor, Error, ErrorKind, Layout, Result, Swizzle, Tiler};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::str::FromStr;

type Object = Map<String, Value>;

/// Maximum number of entries of a table that the response lists completely. If a table has more entries, the
/// response contains only a hash of the table. A request for a table of more than [`MAX_TABLE`] entries
/// is refused.
const MAX_LISTED_TABLE: u64 = 256;
const MAX_TABLE: u64 = 1 << 20;

/// The maximum size of a layout for which the response lists the coordinate of every index. [`PLAIN_SIZE`] is
/// the maximum size for which the response states whether a composed layout is plain.
const LISTED_COORDS: u64 = 32;
const PLAIN_SIZE: u64 = 1024;

/// The response to a request, without its `id`.
pub(super) fn answer(request: &Object) -> Object {
    let request = Request(request);
    let answered = request.text("op").and_then(|op| match op {
        "unary" => unary(&request),
        "composition" => composition(&request),
        "divide" => divide(&request),
        "product" => product(&request),
        "make_layout_tv" => thread_value(&request),
        "slice" => slice(&request),
        "swizzle" => swizzle(&request),
        "composed" => composed(&request),
        "swizzle_compose" => swizzle_compose(&request),
        "bank" => bank(&request),
        "coalescing" => coalescing(&request),
        other => Err(failure(format!("unknown op `{other}`"))),
    });
    answered.unwrap_or_else(|error| refusal(&error))
}

/// The fields of a request. The error about a field contains the name of the field.
struct Request<'a>(&'a Object);

impl<'a> Request<'a> {
    fn field(&self, name: &str) -> Result<&'a Value> {
        self.0.get(name).ok_or_else(|| failure(format!("the request has no field `{name}`")))
    }

    fn text(&self, name: &str) -> Result<&'a str> {
        self.field(name)?.as_str().ok_or_else(|| failure(format!("field `{name}` is not a string")))
    }

    fn number(&self, name: &str) -> Result<u64> {
        self.field(name)?.as_u64().ok_or_else(|| failure(format!("field `{name}` is not a number from 0 to 2^64-1")))
    }

    fn list(&self, name: &str) -> Result<&'a [Value]> {
        match self.0.get(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(failure(format!("field `{name}` is not a list"))),
        }
    }

    fn parse<T: FromStr<Err = Error>>(&self, name: &str) -> Result<T> {
        self.text(name)?.parse().map_err(|error: Error| in_field(name, error))
    }

    /// A layout. A bare number `n` means `n:1` everywhere in the protocol.
    fn layout(&self, name: &str) -> Result<Layout> {
        let mut cursor = Cursor::new(self.text(name)?);
        let layout = cursor.layout(true).and_then(|layout| cursor.end().map(|()| layout));
        layout.map_err(|error| in_field(name, error))
    }
}

fn failure(message: String) -> Error {
    Error { kind: ErrorKind::Operand, message, at: None, witness: None }
}

fn in_field(name: &str, error: Error) -> Error {
    Error { message: format!("field `{name}`: {}", error.message), ..error }
}

fn object(fields: Value) -> Object {
    match fields {
        Value::Object(fields) => fields,
        _ => Object::new(),
    }
}

/// The value of a response field: the result, or the refusal as a JSON object.
fn or_refusal(result: Result<Value>) -> Value {
    result.unwrap_or_else(|error| Value::Object(refusal(&error)))
}

fn unary(request: &Request) -> Result<Object> {
    let layout = request.layout("in")?;
    let filtered = algebra::filter(&layout);
    let mut result = object(json!({
        "size": layout.size(),
        "cosize": layout.cosize(),
        "cosize_max": layout.cosize(),
        "rank": layout.rank(),
        "depth": layout.depth(),
        "coalesce": algebra::coalesce(&layout).to_string(),
        "filter": filtered.to_string(),
        "filter_size": filtered.size(),
        "filter_zeros": algebra::filter_zeros(&layout).to_string(),
        "right_inverse": { "out": algebra::right_inverse(&layout).to_string() },
    }));
    if layout.rank() > 1 {
        let by_mode = algebra::coalesce_by_mode(&layout)?.to_string();
        result.insert("coalesce_bymode".into(), by_mode.into());
    }
    result.insert("injective".into(), or_refusal(algebra::injective(&layout).map(Value::Bool)));
    let inverse = algebra::left_inverse(&layout).map(|inverse| json!({ "out": inverse.to_string() }));
    result.insert("left_inverse".into(), or_refusal(inverse));
    let complements = request.list("M")?.iter().map(|cotarget| complement(&layout, cotarget)).collect::<Result<_>>()?;
    result.insert("complement".into(), Value::Array(complements));
    if layout.size() <= LISTED_COORDS {
        let shape = layout.shape();
        let coords = (0..layout.size()).map(|index| Ok(algebra::idx2crd(index, &shape)?.to_string().into()));
        result.insert("idx2crd".into(), Value::Array(coords.collect::<Result<_>>()?));
    }
    let offsets = request.list("crd")?.iter().map(|coord| coordinate(&layout, coord)).collect();
    result.insert("crd2idx".into(), Value::Array(offsets));
    Ok(result)
}

fn complement(layout: &Layout, cotarget: &Value) -> Result<Value> {
    let number = cotarget.as_u64().ok_or_else(|| failure("a cotarget in `M` is not a number from 0".into()))?;
    let mut result = match algebra::complement(layout, number) {
        Ok(complement) => object(json!({ "out": complement.to_string() })),
        Err(error) => refusal(&error),
    };
    result.insert("M".into(), cotarget.clone());
    Ok(Value::Object(result))
}

fn coordinate(layout: &Layout, coord: &Value) -> Value {
    let parsed = coord.as_str().ok_or_else(|| failure("a coordinate in `crd` is not a string".into()));
    let offset = parsed.and_then(str::parse::<Coord>).and_then(|coord| algebra::crd2idx(&coord, layout));
    match offset {
        Ok(offset) => json!([coord, offset]),
        Err(error) => Value::Object(refusal(&error)),
    }
}

fn composition(request: &Request) -> Result<Object> {
    let (outer, inner): (Layout, Tiler) = (request.layout("A")?, request.parse("B")?);
    Ok(object(json!({ "out": algebra::compose_tiler(&outer, &inner)?.to_string() })))
}

fn divide(request: &Request) -> Result<Object> {
    let (layout, tiler): (Layout, Tiler) = (request.layout("A")?, request.parse("tiler")?);
    let mut out = Object::new();
    out.insert("logical".into(), algebra::logical_divide(&layout, &tiler)?.to_string().into());
    if !keeps_a_mode(&tiler) {
        out.insert("zipped".into(), algebra::zipped_divide(&layout, &tiler)?.to_string().into());
        out.insert("tiled".into(), algebra::tiled_divide(&layout, &tiler)?.to_string().into());
        out.insert("flat".into(), algebra::flat_divide(&layout, &tiler)?.to_string().into());
    }
    Ok(object(json!({ "out": out })))
}

fn keeps_a_mode(tiler: &Tiler) -> bool {
    match tiler {
        Tiler::Keep => true,
        Tiler::Layout(_) => false,
        Tiler::ByMode(items) => items.iter().any(keeps_a_mode),
    }
}

fn product(request: &Request) -> Result<Object> {
    let (layout, tiler): (Layout, Tiler) = (request.layout("A")?, request.parse("B")?);
    let mut out = Object::new();
    out.insert("logical".into(), algebra::logical_product(&layout, &tiler)?.to_string().into());
    if !keeps_a_mode(&tiler) {
        out.insert("zipped".into(), algebra::zipped_product(&layout, &tiler)?.to_string().into());
        out.insert("tiled".into(), algebra::tiled_product(&layout, &tiler)?.to_string().into());
    }
    if let Tiler::Layout(copies) = &tiler {
        out.insert("blocked".into(), algebra::blocked_product(&layout, copies)?.to_string().into());
        out.insert("raked".into(), algebra::raked_product(&layout, copies)?.to_string().into());
    }
    Ok(object(json!({ "out": out })))
}

fn thread_value(request: &Request) -> Result<Object> {
    let tv = algebra::make_layout_tv(&request.layout("thr")?, &request.layout("val")?)?;
    let tile: Vec<String> = tv.tile.iter().map(u64::to_string).collect();
    Ok(object(json!({
        "out": tv.layout.to_string(),
        "tiler": format!("({})", tile.join(",")),
        "layout_mn": tv.from_tile.to_string(),
    })))
}

fn slice(request: &Request) -> Result<Object> {
    let sliced = algebra::slice(&request.parse("crd")?, &request.layout("A")?)?;
    Ok(object(json!({ "out": sliced.layout.to_string(), "offset": sliced.offset })))
}

fn swizzle(request: &Request) -> Result<Object> {
    let swizzle: Swizzle = request.parse("swizzle")?;
    let size = swizzle.period();
    Ok(object(json!({ "size": size, "involution": swizzle.is_involution(), "basis": swizzle.basis(size) })))
}

fn composed(request: &Request) -> Result<Object> {
    let (swizzle, layout): (Swizzle, Layout) = (request.parse("swizzle")?, request.layout("A")?);
    let composed = Composed::new(swizzle, request.number("offset")?, layout)?;
    let mut result = Object::new();
    let (name, table) = table(&composed)?;
    result.insert(name.into(), table);
    if composed.base() == 0 && composed.layout().size() <= PLAIN_SIZE {
        let plain = composed.plain(PLAIN_SIZE)?;
        result.insert("is_plain_layout".into(), plain.is_some().into());
        result.insert("plain".into(), plain.map_or(Value::Null, |plain| plain.to_string().into()));
    }
    if request.0.contains_key("B") {
        let inner = request.layout("B").and_then(|inner| composed.compose(&inner));
        let inner = or_refusal(inner.map(|inner| inner.layout().to_string().into()));
        result.insert("B_out_inner".into(), inner);
    }
    Ok(result)
}

fn table(composed: &Composed) -> Result<(&'static str, Value)> {
    let table = composed.table(MAX_TABLE)?;
    if table.len() as u64 <= MAX_LISTED_TABLE {
        return Ok(("table", json!(table)));
    }
    let text: Vec<String> = table.iter().map(u64::to_string).collect();
    let digest = Sha256::digest(text.join(","));
    let hex: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(("table_sha", hex.into()))
}

fn swizzle_compose(request: &Request) -> Result<Object> {
    let (outer, inner): (Swizzle, Swizzle) = (request.parse("outer")?, request.parse("inner")?);
    let pair = algebra::compose_swizzles(&outer, &inner, request.number("n")?);
    Ok(object(json!({
        "identity": pair.identity,
        "single_swizzle": pair.single.map(|single| single.to_string()),
        "basis": pair.basis,
    })))
}

fn bank(request: &Request) -> Result<Object> {
    let memory = Composed::new(request.parse("swizzle")?, 0, request.layout("A")?)?;
    let threads = request.layout("T")?;
    let report = bank_conflicts(&memory, &threads, request.number("ebytes")?, request.number("vec")?)?;
    Ok(object(json!({ "degree": report.degree, "phases_total": report.phases })))
}

fn coalescing(request: &Request) -> Result<Object> {
    let (memory, tv) = (request.layout("A")?, request.layout("TV")?);
    let report = global_access(&memory, &tv, request.number("ebytes")?)?;
    Ok(object(json!({
        "max_vec": report.vector,
        "sectors_total": report.sectors,
        "sectors_ideal": report.ideal,
        "sectors_first": report.first,
    })))
}
