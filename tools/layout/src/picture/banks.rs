//! Panels of the banks of shared memory and the bank conflicts of the first phase of threads, before and
//! after a swizzle.

use super::{Cell, Colour, Frame, MAX_CELLS, Panel, by_rows, check_size, rows_of};
use crate::language::Banks;
use cube_algebra::Composed;
use cube_algebra::access::{BankReport, bank_words};
use std::collections::{BTreeMap, BTreeSet};

const BANKS: u64 = 32;
const WORD: u64 = 4;
const LEGEND: &str = "numbers and colours: banks; framed: touched by the first phase of threads; red (!): in conflict";

pub(super) fn panels(banks: &Banks) -> Result<Vec<Panel>, String> {
    if banks.before == banks.after {
        return Ok(vec![panel(banks, &banks.after, "banks", &banks.cost_after)?]);
    }
    Ok(vec![
        panel(banks, &banks.before, "before", &banks.cost_before)?,
        panel(banks, &banks.after, "after", &banks.cost_after)?,
    ])
}

fn panel(banks: &Banks, memory: &Composed, role: &str, cost: &BankReport) -> Result<Panel, String> {
    let memory_text = match memory.swizzle().bits() {
        0 => memory.layout().to_string(),
        _ => memory.to_string(),
    };
    let title = format!(
        "{role}: {memory_text}: degree {}, phases {} (without conflicts {})",
        cost.degree, cost.phases, cost.least
    );
    check_size(&title, memory.layout().size())?;
    let table = memory.table(MAX_CELLS).map_err(|error| error.to_string())?;
    let bytes = banks.element_bytes;
    let words = bank_words(memory, &banks.threads, bytes, banks.vector).map_err(|error| error.to_string())?;
    // 32, 16 or 8 threads per phase, as in the model of the algebra's access module.
    let phase = words.len().div_ceil(cost.least.max(1) as usize);
    let touched: BTreeSet<u64> = words[..phase.min(words.len())].iter().flatten().copied().collect();
    let mut in_bank = BTreeMap::new();
    touched.iter().for_each(|word| *in_bank.entry(word % BANKS).or_insert(0u64) += 1);
    let cells = table.into_iter().map(|element| {
        let word = element.saturating_mul(bytes) / WORD;
        let bank = word % BANKS;
        let frame = match (touched.contains(&word), in_bank.get(&bank)) {
            (true, Some(2..)) => Frame::Conflict,
            (true, _) => Frame::Touched,
            _ => Frame::Plain,
        };
        Cell { lines: vec![bank.to_string()], colour: Colour::Hue(bank), frame }
    });
    let rows = rows_of(memory.layout());
    Ok(Panel { title, legend: LEGEND, rows, cells: by_rows(rows, cells.collect()) })
}
