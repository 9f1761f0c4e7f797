//! Builders for the upstream operations that passes make, under the operations' own names.
use crate::{
    builder::Builder,
    op::{Op, Val},
    ty::TypeExt,
};
use melior::ir::Type;

/// `arith.cmpi` predicates, with the dialect's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum IntCmp {
    Eq = 0,
    Ne = 1,
    Slt = 2,
    Sle = 3,
    Sgt = 4,
    Sge = 5,
    Ult = 6,
    Ule = 7,
    Ugt = 8,
    Uge = 9,
}

/// `arith.cmpf` predicates, with the dialect's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FloatCmp {
    False = 0,
    Oeq = 1,
    Ogt = 2,
    Oge = 3,
    Olt = 4,
    Ole = 5,
    One = 6,
    Ord = 7,
    Ueq = 8,
    Ugt = 9,
    Uge = 10,
    Ult = 11,
    Ule = 12,
    Une = 13,
    Uno = 14,
    True = 15,
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $op:literal),* $(,)?) => {
        impl<'p> Builder<'p> {
            $($(#[$doc])* pub fn $name(self, lhs: Val<'p>, rhs: Val<'p>) -> Val<'p> {
                self.op($op).operands(&[lhs, rhs]).result(lhs.ty()).value()
            })*
        }
    };
}

binary! {
    /// `arith.addi`
    addi = "arith.addi",
    /// `arith.subi`
    subi = "arith.subi",
    /// `arith.muli`
    muli = "arith.muli",
    /// `arith.divui`
    divui = "arith.divui",
    /// `arith.divsi`
    divsi = "arith.divsi",
    /// `arith.remui`
    remui = "arith.remui",
    /// `arith.remsi`
    remsi = "arith.remsi",
    /// `arith.andi`
    andi = "arith.andi",
    /// `arith.ori`
    ori = "arith.ori",
    /// `arith.xori`
    xori = "arith.xori",
    /// `arith.shli`
    shli = "arith.shli",
    /// `arith.shrui`
    shrui = "arith.shrui",
    /// `arith.shrsi`
    shrsi = "arith.shrsi",
    /// `arith.minui`
    minui = "arith.minui",
    /// `arith.maxui`
    maxui = "arith.maxui",
    /// `arith.addf`
    addf = "arith.addf",
    /// `arith.subf`
    subf = "arith.subf",
    /// `arith.mulf`
    mulf = "arith.mulf",
    /// `arith.divf`
    divf = "arith.divf",
}

impl<'p> Builder<'p> {
    /// `arith.constant` of an integer, `index` or integer vector type.
    pub fn int(self, ty: Type<'p>, value: i64) -> Val<'p> {
        self.op("arith.constant").attr("value", self.cx().int_attr(ty, value)).result(ty).value()
    }

    /// `arith.constant` of a float or float vector type.
    pub fn float(self, ty: Type<'p>, value: f64) -> Val<'p> {
        self.op("arith.constant").attr("value", self.cx().float_attr(ty, value)).result(ty).value()
    }

    /// A constant zero of an integer, float, or vector type.
    pub fn zero(self, ty: Type<'p>) -> Val<'p> {
        if ty.is_fp() { self.float(ty, 0.0) } else { self.int(ty, 0) }
    }

    /// `arith.cmpi`
    pub fn cmpi(self, predicate: IntCmp, lhs: Val<'p>, rhs: Val<'p>) -> Val<'p> {
        let bool_ty = lhs.ty().with_element(self.cx().int(1));
        let predicate = self.cx().int_attr(self.cx().int(64), predicate as i64);
        self.op("arith.cmpi").operands(&[lhs, rhs]).attr("predicate", predicate).result(bool_ty).value()
    }

    /// `arith.cmpf`
    pub fn cmpf(self, predicate: FloatCmp, lhs: Val<'p>, rhs: Val<'p>) -> Val<'p> {
        let bool_ty = lhs.ty().with_element(self.cx().int(1));
        let predicate = self.cx().int_attr(self.cx().int(64), predicate as i64);
        self.op("arith.cmpf").operands(&[lhs, rhs]).attr("predicate", predicate).result(bool_ty).value()
    }

    /// `arith.select`
    pub fn select(self, condition: Val<'p>, yes: Val<'p>, no: Val<'p>) -> Val<'p> {
        self.op("arith.select").operands(&[condition, yes, no]).result(yes.ty()).value()
    }

    /// A one-operand operation with a result type, such as a cast.
    pub fn cast(self, name: &str, value: Val<'p>, to: Type<'p>) -> Val<'p> {
        self.op(name).operands(&[value]).result(to).value()
    }

    /// `arith.trunci` that promises not to lose set bits.
    pub fn trunc_nuw(self, value: Val<'p>, to: Type<'p>) -> Val<'p> {
        let flags = self.cx().parse_attr("#arith.overflow<nuw>").expect("arith is loaded");
        self.op("arith.trunci").operands(&[value]).attr("overflowFlags", flags).result(to).value()
    }

    /// `scf.if` with both branches; each branch returns the values it yields.
    pub fn if_else<'f>(
        self,
        condition: Val<'p>,
        results: &[Type<'p>],
        yes: impl FnOnce(Builder<'p>) -> Vec<Val<'p>> + 'f,
        no: impl FnOnce(Builder<'p>) -> Vec<Val<'p>> + 'f,
    ) -> Op<'p> {
        self.op("scf.if")
            .operands(&[condition])
            .results(results)
            .body(&[], move |b, _| {
                let values = yes(b);
                b.op("scf.yield").operands(&values).build();
            })
            .body(&[], move |b, _| {
                let values = no(b);
                b.op("scf.yield").operands(&values).build();
            })
            .build()
    }

    /// `scf.for` without carried values; unsigned comparison for integer types.
    pub fn for_range<'f>(
        self,
        from: Val<'p>,
        to: Val<'p>,
        step: Val<'p>,
        body: impl FnOnce(Builder<'p>, Val<'p>) + 'f,
    ) -> Op<'p> {
        let mut spec = self.op("scf.for").operands(&[from, to, step]);
        if from.ty().is_int() {
            spec = spec.attr("unsignedCmp", self.cx().unit_attr());
        }
        spec.body(&[from.ty()], move |b, args| {
            body(b, args[0]);
            b.op("scf.yield").build();
        })
        .build()
    }
}
