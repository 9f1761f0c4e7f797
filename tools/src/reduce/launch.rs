//! Generates smaller launches, with fewer cubes, shorter data or simpler numbers.
use super::case::Launch;

/// The weight of an argument, which depends on the rule for its data and on its number of elements or digits.
pub fn weight(value: &str) -> u64 {
    match Data::of(value) {
        Some(data) => data.fill_rank() + data.sides.iter().fold(1u64, |all, side| all.saturating_mul(*side)),
        None => match value.parse::<f64>() {
            Ok(number) if number.abs() < 1e18 => (number.abs() * 8.0).ceil() as u64 + u64::from(number < 0.0),
            _ => 1 << 40,
        },
    }
}

/// The rule for the content of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Data {
    fill: String,
    sides: Vec<u64>,
    seed: Option<String>,
}

const FILLS: [&str; 4] = ["zeros", "ones", "iota", "random"];

impl Data {
    fn of(value: &str) -> Option<Data> {
        let mut parts = value.split(':');
        let fill = parts.next().filter(|f| FILLS.contains(f))?.to_string();
        let sides: Vec<u64> = parts.next()?.split('x').map(|side| side.parse().ok()).collect::<Option<_>>()?;
        let seed = parts.next().map(String::from);
        (parts.next().is_none()).then_some(Data { fill, sides, seed })
    }

    fn fill_rank(&self) -> u64 {
        FILLS.iter().position(|f| *f == self.fill).unwrap_or(4) as u64 + u64::from(self.seed.is_some())
    }

    fn text(&self) -> String {
        let sides: Vec<String> = self.sides.iter().map(u64::to_string).collect();
        let seed = self.seed.as_ref().map(|s| format!(":{s}")).unwrap_or_default();
        format!("{}:{}{seed}", self.fill, sides.join("x"))
    }

    fn smaller(&self) -> Vec<Data> {
        let mut found: Vec<Data> = FILLS
            .iter()
            .take_while(|f| **f != self.fill)
            .map(|f| Data { fill: (*f).into(), seed: None, ..self.clone() })
            .collect();
        if self.seed.is_some() {
            found.push(Data { seed: None, ..self.clone() });
        }
        if self.sides.len() > 1 {
            found.push(Data { sides: vec![self.sides.iter().product()], ..self.clone() });
        }
        for (at, side) in self.sides.iter().enumerate() {
            for fewer in fewer(*side, 1) {
                let mut data = self.clone();
                data.sides[at] = fewer;
                found.push(data);
            }
        }
        found
    }
}

/// Replaces a length that refers to another buffer by a number, so that the search can reduce the lengths
/// separately.
pub fn resolve(args: &mut [(String, String)]) {
    let known = args.to_vec();
    for (_, value) in args {
        let Some((fill, like)) = value.split_once(':').map(|(f, rest)| (f, rest.split(':').next().unwrap_or(rest)))
        else {
            continue;
        };
        let other = known.iter().find(|(name, _)| name == like).and_then(|(_, value)| Data::of(value));
        if let Some(other) = other.filter(|_| FILLS.contains(&fill)) {
            let sides: Vec<String> = other.sides.iter().map(u64::to_string).collect();
            let rest = value[fill.len() + 1 + like.len()..].to_string();
            *value = format!("{fill}:{}{rest}", sides.join("x"));
        }
    }
}

/// Candidates that are less than `n` and at least `least`, in ascending order.
pub fn fewer(n: u64, least: u64) -> Vec<u64> {
    let mut all = vec![least, n / 8, n / 2, n - n / 4, n - n.min(1)];
    all.retain(|m| *m < n && *m >= least);
    all.sort_unstable();
    all.dedup();
    all
}

/// Smaller or simpler variants of `launch`. Each variant changes one property, or the lengths of several
/// buffers.
pub fn smaller(launch: &Launch) -> Vec<Launch> {
    let mut found = Vec::new();
    // All buffers of equal length shrink together, because kernels often require equal lengths.
    let lengths: Vec<u64> = launch
        .args
        .iter()
        .filter_map(|(_, v)| Data::of(v))
        .filter(|d| d.sides.len() == 1)
        .map(|d| d.sides[0])
        .collect();
    for n in lengths.iter().max().map(|n| fewer(*n, 1)).unwrap_or_default() {
        let mut launch = launch.clone();
        for (_, value) in &mut launch.args {
            if let Some(mut data) = Data::of(value).filter(|d| d.sides.len() == 1 && d.sides[0] > n) {
                data.sides[0] = n;
                *value = data.text();
            }
        }
        found.push(launch);
    }
    for axis in 0..3 {
        for n in fewer(u64::from(launch.count.unwrap_or_default()[axis]), 1) {
            let mut count = launch.count.unwrap_or_default();
            count[axis] = n as u32;
            found.push(Launch { count: Some(count), ..launch.clone() });
        }
    }
    for (at, (_, value)) in launch.args.iter().enumerate() {
        let values: Vec<String> = match Data::of(value) {
            Some(data) => data.smaller().iter().map(Data::text).collect(),
            None => numbers(value),
        };
        for value in values {
            let mut launch = launch.clone();
            launch.args[at].1 = value;
            found.push(launch);
        }
    }
    if launch.kernel.is_some() {
        found.push(Launch { kernel: None, ..launch.clone() });
    }
    for at in 0..launch.params.len() {
        let mut launch = launch.clone();
        launch.params.remove(at);
        found.push(launch);
    }
    found
}

fn numbers(value: &str) -> Vec<String> {
    if value == "true" {
        return vec!["false".into()];
    }
    if let Ok(number) = value.parse::<i64>() {
        let all = [0, 1, number / 2, number - number.signum()];
        return all.iter().filter(|n| n.unsigned_abs() < number.unsigned_abs()).map(i64::to_string).collect();
    }
    match value.parse::<f64>() {
        Ok(number) if number.is_finite() => {
            let all = [0.0, 1.0, number.trunc(), (number / 2.0).trunc()];
            all.iter().filter(|n| n.abs() < number.abs()).map(|n| format!("{n:?}")).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_gets_shorter_and_plainer() {
        let texts: Vec<String> = Data::of("random:4x6:7").unwrap().smaller().iter().map(Data::text).collect();
        for text in ["zeros:4x6", "iota:4x6", "random:4x6", "random:24:7", "random:1x6:7", "random:4x3:7"] {
            assert!(texts.contains(&text.to_string()), "{text} is not in {texts:?}");
        }
        assert_eq!(Data::of("zeros:x"), None);
        assert!(weight("zeros:8") < weight("random:8") && weight("random:8") < weight("zeros:80"));
    }

    #[test]
    fn data_like_other_data_gets_its_length() {
        let mut args: Vec<(String, String)> = [("x", "iota:2x3"), ("y", "random:x:7"), ("z", "zeros:y"), ("s", "2")]
            .map(|(n, v)| (n.into(), v.into()))
            .into();
        resolve(&mut args);
        assert_eq!((args[1].1.as_str(), args[2].1.as_str()), ("random:2x3:7", "zeros:y"));
    }

    #[test]
    fn every_number_is_tried_down_to_the_least() {
        assert_eq!(fewer(1, 1), Vec::<u64>::new());
        assert_eq!(fewer(0, 1), Vec::<u64>::new());
        assert_eq!(fewer(3, 1), [1, 2]);
        assert!(fewer(1000, 1).contains(&999) && fewer(1000, 1)[0] == 1);
    }

    #[test]
    fn buffers_shrink_together_too() {
        let launch = Launch {
            args: vec![("x".into(), "iota:8".into()), ("y".into(), "zeros:8".into())],
            count: Some([2, 1, 1]),
            ..Launch::default()
        };
        let both = vec![("x".to_string(), "iota:4".to_string()), ("y".to_string(), "zeros:4".to_string())];
        assert!(smaller(&launch).iter().any(|l| l.args == both));
        assert!(smaller(&launch).iter().any(|l| l.count == Some([1, 1, 1])));
    }
}
