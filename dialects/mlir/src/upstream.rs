//! Builders of upstream operations, named like the operations.
use crate::{
    builder::Builder,
    op::{Op, Val},
    ops::{OpName, arith, scf, vector},
    ty::TypeExt,
};
use melior::ir::Type;

/// `arith.cmpi` predicates, from the dialect's `.td`.
pub use crate::ops::arith::CmpIPredicate as IntCmp;

/// `arith.cmpf` predicates, from the dialect's `.td`.
pub use crate::ops::arith::CmpFPredicate as FloatCmp;

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $op:ident),* $(,)?) => {
        impl<'p> Builder<'p> {
            $($(#[$doc])* pub fn $name(self, lhs: Val<'p>, rhs: Val<'p>) -> Val<'p> {
                self.op(arith::$op).operands(&[lhs, rhs]).result(lhs.ty()).value()
            })*
        }
    };
}

binary! {
    /// `arith.addi`
    addi = ADDI,
    /// `arith.subi`
    subi = SUBI,
    /// `arith.muli`
    muli = MULI,
    /// `arith.divui`
    divui = DIVUI,
    /// `arith.divsi`
    divsi = DIVSI,
    /// `arith.remui`
    remui = REMUI,
    /// `arith.remsi`
    remsi = REMSI,
    /// `arith.andi`
    andi = ANDI,
    /// `arith.ori`
    ori = ORI,
    /// `arith.xori`
    xori = XORI,
    /// `arith.shli`
    shli = SHLI,
    /// `arith.shrui`
    shrui = SHRUI,
    /// `arith.shrsi`
    shrsi = SHRSI,
    /// `arith.minui`
    minui = MINUI,
    /// `arith.maxui`
    maxui = MAXUI,
    /// `arith.addf`
    addf = ADDF,
    /// `arith.subf`
    subf = SUBF,
    /// `arith.mulf`
    mulf = MULF,
    /// `arith.divf`
    divf = DIVF,
}

impl<'p> Builder<'p> {
    /// `arith.constant` of an integer, `index` or integer vector type.
    pub fn int(self, ty: Type<'p>, value: i64) -> Val<'p> {
        self.op(arith::CONSTANT).attr("value", self.cx().int_attr(ty, value)).result(ty).value()
    }

    /// `arith.constant` of a float or float vector type.
    pub fn float(self, ty: Type<'p>, value: f64) -> Val<'p> {
        self.op(arith::CONSTANT).attr("value", self.cx().float_attr(ty, value)).result(ty).value()
    }

    /// A constant zero of an integer, float, or vector type.
    pub fn zero(self, ty: Type<'p>) -> Val<'p> {
        if ty.is_fp() { self.float(ty, 0.0) } else { self.int(ty, 0) }
    }

    /// `arith.cmpi`
    pub fn cmpi(self, predicate: IntCmp, lhs: Val<'p>, rhs: Val<'p>) -> Val<'p> {
        let bool_ty = lhs.ty().with_element(self.cx().int(1));
        let predicate = predicate.attr(self.cx());
        self.op(arith::CMPI).operands(&[lhs, rhs]).attr("predicate", predicate).result(bool_ty).value()
    }

    /// `arith.cmpf`
    pub fn cmpf(self, predicate: FloatCmp, lhs: Val<'p>, rhs: Val<'p>) -> Val<'p> {
        let bool_ty = lhs.ty().with_element(self.cx().int(1));
        let predicate = predicate.attr(self.cx());
        self.op(arith::CMPF).operands(&[lhs, rhs]).attr("predicate", predicate).result(bool_ty).value()
    }

    /// `arith.select`
    pub fn select(self, condition: Val<'p>, yes: Val<'p>, no: Val<'p>) -> Val<'p> {
        self.op(arith::SELECT).operands(&[condition, yes, no]).result(yes.ty()).value()
    }

    /// A one-operand operation with a result type, such as a cast.
    pub fn cast<'n>(self, what: impl OpName<'n>, value: Val<'p>, to: Type<'p>) -> Val<'p> {
        self.op(what).operands(&[value]).result(to).value()
    }

    /// `arith.trunci` with the flag `nuw`: the removed bits are 0.
    pub fn trunc_nuw(self, value: Val<'p>, to: Type<'p>) -> Val<'p> {
        let flags = arith::IntegerOverflowFlags::NUW.attr(self.cx());
        self.op(arith::TRUNCI).operands(&[value]).attr("overflowFlags", flags).result(to).value()
    }

    /// One lane of a vector, by its number from 0.
    pub fn lane(self, line: Val<'p>, number: u64) -> Val<'p> {
        let position = self.cx().i64_array(&[number as i64]);
        self.op(vector::EXTRACT).operands(&[line]).attr("static_position", position).result(line.ty().element()).value()
    }

    /// All lanes of a vector. A scalar has one lane: itself.
    pub fn lanes(self, line: Val<'p>) -> Vec<Val<'p>> {
        match line.ty().lanes() {
            Some(lanes) => (0..lanes).map(|number| self.lane(line, number)).collect(),
            None => vec![line],
        }
    }

    /// The value of type `ty` with the lanes `lanes`. A scalar has exactly one lane.
    pub fn of_lanes(self, ty: Type<'p>, lanes: &[Val<'p>]) -> Val<'p> {
        match (ty.lanes(), lanes) {
            (None, [only]) => *only,
            _ => self.op(vector::FROM_ELEMENTS).operands(lanes).result(ty).value(),
        }
    }

    /// Applies a scalar function to each lane of the operands, which have as many lanes as `ty`.
    pub fn each_lane(self, ty: Type<'p>, operands: &[Val<'p>], of: impl Fn(&[Val<'p>]) -> Val<'p>) -> Val<'p> {
        let operands: Vec<_> = operands.iter().map(|operand| self.lanes(*operand)).collect();
        let row = |lane: usize| operands.iter().map(|lanes| lanes[lane]).collect::<Vec<_>>();
        let count = ty.lanes().unwrap_or(1) as usize;
        self.of_lanes(ty, &(0..count).map(|lane| of(&row(lane))).collect::<Vec<_>>())
    }

    /// `scf.if` with both branches. The function of each branch returns the values that the branch yields.
    pub fn if_else<'f>(
        self,
        condition: Val<'p>,
        results: &[Type<'p>],
        yes: impl FnOnce(Builder<'p>) -> Vec<Val<'p>> + 'f,
        no: impl FnOnce(Builder<'p>) -> Vec<Val<'p>> + 'f,
    ) -> Op<'p> {
        self.op(scf::IF)
            .operands(&[condition])
            .results(results)
            .body(&[], move |b, _| {
                let values = yes(b);
                b.op(scf::YIELD).operands(&values).build();
            })
            .body(&[], move |b, _| {
                let values = no(b);
                b.op(scf::YIELD).operands(&values).build();
            })
            .build()
    }

    /// `scf.for` without carried values. The loop compares integers as unsigned numbers.
    pub fn for_range<'f>(
        self,
        from: Val<'p>,
        to: Val<'p>,
        step: Val<'p>,
        body: impl FnOnce(Builder<'p>, Val<'p>) + 'f,
    ) -> Op<'p> {
        let mut spec = self.op(scf::FOR).operands(&[from, to, step]);
        if from.ty().is_int() {
            spec = spec.attr("unsignedCmp", self.cx().unit_attr());
        }
        spec.body(&[from.ty()], move |b, args| {
            body(b, args[0]);
            b.op(scf::YIELD).build();
        })
        .build()
    }
}
