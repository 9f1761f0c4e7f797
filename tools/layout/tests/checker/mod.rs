//! Checks the tool's answers to the test vectors of layouts. The checker parses the text of an answer and computes
//! its table of offsets. The checker then compares this table with the definition of the operation, as the `match`
//! rule of the row requires. The checker shares no code with the crate `layout-algebra`.

mod definition;
mod notation;
mod rows;

use notation::Table;
use serde_json::Value;
use std::collections::BTreeMap;

/// The verdict on one row of the test vectors, or on a part of the row.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Right,
    SilentlyWrong(String),
    WronglyRefused(String),
    Missing(String),
}

/// The verdict on the witness of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    Accepted,
    Unchecked,
    Bad,
}

/// All verdicts of a run.
#[derive(Default)]
pub struct Score {
    pub rows: BTreeMap<String, [usize; 4]>,
    pub evidence: BTreeMap<(String, Evidence), usize>,
    pub complaints: Vec<String>,
}

impl Score {
    pub fn count(&self, which: usize) -> usize {
        self.rows.values().map(|row| row[which]).sum()
    }

    pub fn evidence(&self, which: Evidence) -> usize {
        self.evidence.iter().filter(|((_, kind), _)| *kind == which).map(|(_, n)| n).sum()
    }

    pub fn add(&mut self, row: &Value, answer: Option<&Value>) {
        let op = row["op"].as_str().unwrap().to_string();
        let mut case = Case { row, worst: Verdict::Right, evidence: Vec::new() };
        match answer {
            Some(answer) => rows::check(&mut case, answer),
            None => case.fail(Verdict::Missing("no answer".into())),
        }
        for evidence in case.evidence {
            *self.evidence.entry((op.clone(), evidence)).or_default() += 1;
            if evidence == Evidence::Bad {
                self.complaints.push(format!("bad witness: {row} {answer:?}"));
            }
        }
        let column = match &case.worst {
            Verdict::Right => 0,
            Verdict::SilentlyWrong(_) => 1,
            Verdict::WronglyRefused(_) => 2,
            Verdict::Missing(_) => 3,
        };
        if column > 0 {
            self.complaints.push(format!("{:?}: {row}\n  answered {answer:?}", case.worst));
        }
        self.rows.entry(op).or_default()[column] += 1;
    }
}

/// The state of the check of one row.
pub struct Case<'a> {
    pub row: &'a Value,
    worst: Verdict,
    evidence: Vec<Evidence>,
}

impl Case<'_> {
    fn fail(&mut self, verdict: Verdict) {
        if self.worst == Verdict::Right {
            self.worst = verdict;
        }
    }

    fn check(&mut self, right: bool, what: &str) {
        if !right {
            self.fail(Verdict::SilentlyWrong(what.into()));
        }
    }

    /// Records whether a refusal is correct, and the verdict on its witness.
    fn refused(&mut self, allowed: bool, refusal: &Value, evidence: Evidence) {
        if !allowed {
            self.fail(Verdict::WronglyRefused(refusal["error"].to_string()));
        }
        self.evidence.push(evidence);
    }
}

/// Checks that the function value in a witness agrees with the definition of the function.
fn value_evidence(refusal: &Value, function: Option<definition::Function>) -> Evidence {
    let witness = &refusal["witness"];
    let (Some(index), Some(expected)) = (witness["index"].as_u64(), witness.get("expected")) else {
        return Evidence::Unchecked;
    };
    let Some(function) = function else {
        return Evidence::Unchecked;
    };
    let truth = function.at(index.into());
    let accepted = expected.as_u64().map(u128::from);
    let nearest = witness["nearest"].as_str().map(|text| Table::parse(text).and_then(|t| t.at(index.into())));
    let nearest_differs = nearest.is_none_or(|value| value.is_some() && value != truth);
    let in_range = u128::from(index) < function.size;
    match in_range && truth == accepted && (expected.is_null() || accepted.is_some()) && nearest_differs {
        true => Evidence::Accepted,
        false => Evidence::Bad,
    }
}

/// Checks that the layout has the same offset at the two indices in a witness.
fn collision_evidence(refusal: &Value, layout: &Table) -> Evidence {
    let witness = &refusal["witness"];
    let (Some(i), Some(j)) = (witness["index"].as_u64(), witness["index2"].as_u64()) else {
        return Evidence::Unchecked;
    };
    let (a, b) = (layout.at(i.into()), layout.at(j.into()));
    if i != j && a.is_some() && a == b { Evidence::Accepted } else { Evidence::Bad }
}

fn parse(value: &Value) -> Option<Table> {
    Table::parse(value.as_str()?)
}

fn numbers(value: &Value) -> Option<Vec<Option<u128>>> {
    Some(value.as_array()?.iter().map(|n| n.as_u64().map(u128::from)).collect())
}
