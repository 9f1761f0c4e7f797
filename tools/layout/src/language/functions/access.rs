//! The functions about memory accesses and swizzles.

use super::at;
use crate::language::Problem;
use crate::language::convert::Argument;
use crate::language::value::{Banks, Value};
use cube_algebra as algebra;
use cube_algebra::access::{bank_conflicts, global_access};
use cube_algebra::synthesis::AccessPattern;
use cube_algebra::{Composed, Layout, Swizzle};
use std::ops::Range;

pub(super) fn compose_swizzles(arguments: &[Argument], _: Range<usize>) -> Result<Value, Problem> {
    let (outer, inner) = (arguments[0].swizzle()?, arguments[1].swizzle()?);
    let pair = algebra::compose_swizzles(&outer, &inner, arguments[2].number()?);
    let single = match (pair.identity, pair.single) {
        (true, _) => "nothing changes".to_string(),
        (false, Some(single)) => single.to_string(),
        (false, None) => "none".to_string(),
    };
    let basis: Vec<String> = pair.basis.iter().map(u64::to_string).collect();
    Ok(Value::Record(vec![("single", single), ("basis", basis.join(" "))]))
}

pub(super) fn vector_width(arguments: &[Argument], span: Range<usize>) -> Result<Value, Problem> {
    let alignment = arguments.get(2).map_or(Ok(16), Argument::number)?;
    let width = algebra::access::vector_width(&arguments[0].composed()?, arguments[1].number()?, alignment);
    let width = at(width, span)?;
    Ok(Value::Record(vec![("elements", width.elements.to_string()), ("alignment", width.alignment.to_string())]))
}

pub(super) fn coalescing(arguments: &[Argument], span: Range<usize>) -> Result<Value, Problem> {
    let report = global_access(&arguments[0].layout()?, &arguments[1].layout()?, arguments[2].number()?);
    let report = at(report, span)?;
    Ok(Value::Record(vec![
        ("vector", report.vector.to_string()),
        ("sectors", format!("{} (packed {})", report.sectors, report.ideal)),
        ("first instruction", report.first.to_string()),
    ]))
}

pub(super) fn banks(arguments: &[Argument], span: Range<usize>) -> Result<Value, Problem> {
    let after = arguments[0].composed()?;
    let before = at(Composed::new(Swizzle::identity(), after.base(), after.layout().clone()), span.clone())?;
    let (bytes, threads, vector) = (arguments[1].number()?, arguments[2].layout()?, arguments[3].number()?);
    compare(before, after, threads, bytes, vector, span).map(|banks| Value::Banks(Box::new(banks)))
}

fn compare(
    before: Composed,
    after: Composed,
    threads: Layout,
    element_bytes: u64,
    vector: u64,
    span: Range<usize>,
) -> Result<Banks, Problem> {
    let cost = |memory: &Composed| at(bank_conflicts(memory, &threads, element_bytes, vector), span.clone());
    let (cost_before, cost_after) = (cost(&before)?, cost(&after)?);
    Ok(Banks { before, after, threads, element_bytes, vector, cost_before, cost_after })
}

pub(super) fn synthesize(arguments: &[Argument], span: Range<usize>) -> Result<Value, Problem> {
    let (tile, bytes) = (arguments[0].layout()?, arguments[1].number()?);
    if arguments.len() % 2 == 1 {
        return Err(Problem::new(span, "an access requires two arguments; pass the threads and the vector"));
    }
    let accesses = arguments[2..]
        .chunks(2)
        .map(|pair| Ok(AccessPattern { threads: pair[0].layout()?, vector: pair[1].number()? }))
        .collect::<Result<Vec<_>, Problem>>()?;
    let found = at(algebra::synthesis::synthesize(&tile, bytes, &accesses), span.clone())?;
    // The picture shows the access with the most conflicts without a swizzle.
    let without_swizzle = found.bare.memory.clone();
    let degree = |access: &&AccessPattern| {
        bank_conflicts(&without_swizzle, &access.threads, bytes, access.vector).map_or(0, |report| report.degree)
    };
    let Some(worst) = accesses.iter().rev().max_by_key(degree) else {
        return Err(Problem::new(span, "the list of accesses is empty; pass the threads and the vector of an access"));
    };
    let best = found.best().best.memory.clone();
    let banks = compare(without_swizzle, best, worst.threads.clone(), bytes, worst.vector, span)?;
    Ok(Value::Synthesis(Box::new(found), Box::new(banks)))
}
