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
         The pass `egraph` has {} rules from `rules/families/*.rules`.\n\
         Each rule has a proof. The page [rewrite rules](../why/rewrite-rules.md) describes the syntax of a rule, the \
         methods of proof, and the limits of these methods. The tables have the following columns:\n\n\
         * The column *Types* lists the types of the variable `T`. The word `int` means i8 to i64, and `bits` means i1 and i8 to i64. \
         The word `float` means f16, bf16, f32 and f64, and `wide-float` means f32 and f64. The words `cast` and \
         `cast-float` mean pairs of types, and `cast3` means triples of types.\n\
         * The column *Proof* lists the methods of the proof. The entry \"all values at 4, 5 bits\" means that the prover compared both \
         sides of the rule for all values of 4-bit and 5-bit integers. The entry \"z3 at 8, 16 bits\" means that z3 proved the \
         rule for integers of 8 and 16 bits. The number `B` is a power of 2, and z3 proved a theorem for every `B` of at \
         least 256. A structured set of values contains special values, powers of two, their neighbours, and random values. \
         The middle range is a part of the [contract for other rounding](../why/rewrite-rules.md#contract-of-rules-with-other-rounding).\n\
         * The column *Difference* contains the largest measured difference between both sides of the rule in f32. The unit is one ulp (unit in \
         the last place) of the result, multiplied by the condition number of the pattern.\n\
         * The column *Time* contains the processor time of the proof, including z3.\n\n\
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
