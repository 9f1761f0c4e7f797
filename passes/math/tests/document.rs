//! `docs/math.md` and `semantics/tables/ulp.toml` agree with the code.

use cube_math::measure::bound;
use cube_math::{Binary, Cost, Counter, Double, Single, Tables, Unary, powi};

const DOCUMENT: &str = include_str!("../../../docs/math.md");

fn costs<K: Tables>() -> Vec<(&'static str, Cost)> {
    let cost = |emit: &dyn Fn(&Counter<K>)| {
        let counter = Counter::<K>::default();
        emit(&counter);
        counter.cost()
    };
    let mut all: Vec<_> = Unary::ALL.iter().map(|f| (f.name(), cost(&|c| f.emit(c, [()])))).collect();
    all.extend(Binary::ALL.iter().map(|f| (f.name(), cost(&|c| f.emit(c, [(), ()])))));
    all.push(("powi", cost(&|c| powi(c, (), ()))));
    all
}

fn check(format: &str, costs: &[(&str, Cost)]) {
    for (name, cost) in costs {
        let key = format!("| {format} `{name}` |");
        let row =
            DOCUMENT.lines().find(|l| l.starts_with(&key)).unwrap_or_else(|| panic!("no row {key} in docs/math.md"));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let published =
            bound(format, name).unwrap_or_else(|| panic!("no bound of {format} {name} in semantics/tables/ulp.toml"));
        assert_eq!(cells[2].parse(), Ok(published), "bound of {format} {name}");
        let measured: f64 = cells[3].parse().expect("a measured error is a number");
        assert!(measured <= published, "{format} {name} measured {measured} above its bound");
        let operations = cells[6].split(' ').next().and_then(|n| n.parse().ok());
        assert_eq!(operations, Some(cost.total()), "operations of {format} {name}: measure it again");
    }
}

#[test]
fn rows_are_current() {
    check("f32", &costs::<Single>());
    check("f64", &costs::<Double>());
}
