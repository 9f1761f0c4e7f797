//! The reference page that lists all rules and their proofs.
use crate::record;
use crate::record::Proofs;
use cube_rules::{FAMILIES, Rule};
use std::fmt::Write as _;

/// The page in Markdown, with one table for each family and the proof of each rule.
pub fn page(rules: &[Rule], proofs: &Proofs) -> String {
    let mut page = format!(
        "# Rewrite rules\n\n\
         After reading this page you know every rewrite rule of the pass `egraph`, and the proof of each rule.\n\n\
         The pass `egraph` has {} rules from `rules/families/*.rules`, and each rule has a proof. See also [the syntax of a rule, the methods and \
         their limits](../why/rewrite-rules.md). `T` is each type of the column *types* in turn: `int` is i8 to i64, `bits` has i1 too, \
         `float` is f16, bf16, f32 and f64; `cast` and `cast-float` are pairs of types, and `cast3` triples. `wide-float` is f32 and f64. *Difference* is the largest \
         difference of both sides in f32 that was measured, in units of the last place of the result times the condition of the pattern. *Time* is the processor time of the proof, z3 included.\n\n\
         `cargo run -p cube-prove` proves the rules that changed.\n",
        rules.len()
    );
    for (family, text) in FAMILIES {
        let about = text.lines().next().unwrap_or("").trim_start_matches('#').trim();
        let _ = writeln!(
            page,
            "\n## {family}\n\n{about}\n\n| Name | Rule | Types | Proof | Difference | Time |\n|---|---|---|---|---|---|"
        );
        let own = rules.iter().filter(|rule| rule.name.split('/').next() == Some(family));
        for rule in own {
            let name = rule.name.split('/').next_back().unwrap_or("");
            let (methods, difference, time) = match proofs.get(&record::hash(rule)) {
                Some((_, proof)) => (proof.methods.join("; "), proof.difference, proof.time),
                None => ("**none**".into(), None, None),
            };
            let difference = difference.map_or(String::new(), |difference| difference.to_string());
            let time = time.map_or(String::new(), |time| format!("{}.{:02} s", time / 100, time % 100));
            let _ = writeln!(page, "| {name} | `{}` | {} | {methods} | {difference} | {time} |", rule.text, rule.types);
        }
    }
    page
}
