//! Tests random rows in the schema of the test vectors. Every result and every witness must be correct by the
//! definition of the operation.

mod checker;

use checker::{Evidence, Score};
use serde_json::{Value, json};

/// A random number generator with which the same seed produces the same rows on every machine.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }

    fn pick(&mut self, from: &[u64]) -> u64 {
        from[self.roll(from.len() as u64) as usize]
    }

    /// A nested layout of up to `leaves` leaves. The layout is compact with a random order of strides, or has
    /// arbitrary strides.
    fn layout(&mut self, leaves: u64) -> String {
        let count = 1 + self.roll(leaves) as usize;
        let extents: Vec<u64> = (0..count).map(|_| self.pick(&[1, 2, 2, 3, 4, 4, 5, 6, 8])).collect();
        let mut strides = vec![0; count];
        if self.roll(3) > 0 {
            let (mut filled, mut left) = (1, (0..count).collect::<Vec<_>>());
            while !left.is_empty() {
                let k = left.swap_remove(self.roll(left.len() as u64) as usize);
                strides[k] = filled;
                filled *= extents[k];
            }
        } else {
            strides = (0..count).map(|_| self.pick(&[0, 1, 1, 2, 3, 4, 6, 8, 12, 24, 59])).collect();
        }
        if count == 1 && self.roll(2) == 0 {
            return format!("{}:{}", extents[0], strides[0]);
        }
        // One pair of neighbours can be nested.
        let nested = self.roll(count as u64 * 2) as usize;
        let write = |values: &[u64]| {
            let mut text = String::from("(");
            for (k, value) in values.iter().enumerate() {
                let open = if k == nested && k + 1 < count { "(" } else { "" };
                let close = if k > 0 && k == nested + 1 { ")" } else { "" };
                text.push_str(&format!("{}{open}{value}{close}", if k > 0 { "," } else { "" }));
            }
            text + ")"
        };
        format!("{}:{}", write(&extents), write(&strides))
    }

    fn tiler(&mut self) -> String {
        if self.roll(2) == 0 {
            return self.layout(3);
        }
        let items: Vec<String> = (0..1 + self.roll(2))
            .map(|_| match self.roll(4) {
                0 => "_".to_string(),
                1 => self.layout(2),
                _ => self.pick(&[1, 2, 3, 4, 6]).to_string(),
            })
            .collect();
        format!("<{}>", items.join(";"))
    }
}

#[test]
fn random_rows_are_right_or_refused_with_true_witnesses() {
    let seed = std::env::var("CUBE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x00c0_ffee);
    println!("seed: CUBE_SEED={seed}");
    let mut dice = RandomNumbers(seed);
    let mut rows = Vec::new();
    for id in 0..3000 {
        let rule = json!("reject_or_functional");
        rows.push(match id % 3 {
            0 => json!({"id": id, "op": "composition", "A": dice.layout(4), "B": dice.layout(3), "match": rule}),
            1 => json!({"id": id, "op": "divide", "A": dice.layout(4), "tiler": dice.tiler(), "match": rule}),
            _ => {
                let forms = json!({"logical": 0, "zipped": 0, "tiled": 0});
                let (a, b) = (dice.layout(3), dice.layout(2));
                json!({"id": id, "op": "product", "A": a, "B": b, "match": rule, "out": forms})
            }
        });
    }
    let requests: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let mut output = Vec::new();
    cube_layout_cli::batch::batch(requests.as_bytes(), &mut output).unwrap();
    let answers: Vec<Value> =
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut score = Score::default();
    for (row, answer) in rows.iter().zip(&answers) {
        assert_eq!(row["id"], answer["id"]);
        score.add(row, Some(answer));
    }
    let complaints = score.complaints.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert_eq!(score.count(0), rows.len(), "{complaints}");
    assert_eq!(score.evidence(Evidence::Bad), 0, "{complaints}");
    assert!(score.evidence(Evidence::Accepted) > 300, "{:?}", score.evidence);
    assert!(answers.iter().filter(|answer| answer.get("out").is_some()).count() > 1000);
    println!("{:?}", score.evidence);
}
