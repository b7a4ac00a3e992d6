//! Random elementwise operations, guarded so that each has exactly one valid result.
//!
//! The bits of a NaN that an operation computes are unspecified: where they would matter (a
//! bitcast, a sign) the operand is made a number first.

use super::builder::Builder;
use super::kernel::{Code, Element, KernelType, Scalar, Value};

const INT_BINARY: [&str; 10] = [
    "arith.addi",
    "arith.subi",
    "arith.muli",
    "arith.andi",
    "arith.ori",
    "arith.xori",
    "arith.maxsi",
    "arith.minsi",
    "arith.maxui",
    "arith.minui",
];
const SHIFTS: [&str; 3] = ["arith.shli", "arith.shrsi", "arith.shrui"];
const DIVISIONS: [&str; 7] = [
    "arith.divsi",
    "arith.divui",
    "arith.remsi",
    "arith.remui",
    "arith.ceildivsi",
    "arith.ceildivui",
    "arith.floordivsi",
];
const INT_UNARY: [&str; 4] = ["math.absi", "math.ctpop", "math.ctlz", "math.cttz"];
const FLOAT_BINARY: [&str; 7] = [
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.remf",
    "arith.maximumf",
    "arith.minimumf",
];
const FLOAT_UNARY: [&str; 7] = [
    "arith.negf",
    "math.absf",
    "math.floor",
    "math.ceil",
    "math.trunc",
    "math.round",
    "math.roundeven",
];

/// Maximum number of elements of a constant tensor for which the generator draws each element separately.
const MAX_LISTED: usize = 128;

/// Operations that truncate to a smaller float format. The generator draws one of them at random. The default
/// `arith.truncf` is listed three times, so that it is drawn more often than each variant with an explicit rounding
/// mode.
const TRUNCATIONS: [&str; 8] = [
    "arith.truncf",
    "arith.truncf",
    "arith.truncf",
    "arith.truncf.to_nearest_even",
    "arith.truncf.downward",
    "arith.truncf.upward",
    "arith.truncf.toward_zero",
    "arith.truncf.to_nearest_away",
];

/// Library functions, each with an MLIR operation that computes the same result. Each entry holds the operand type,
/// the name of the library function, and the name of the operation.
const EXTERNS: [(Scalar, &str, &str); 29] = [
    (Scalar::Int(32), "__nv_abs", "math.absi"),
    (Scalar::Int(32), "__nv_clz", "math.ctlz"),
    (Scalar::Int(32), "__nv_popc", "math.ctpop"),
    (Scalar::Int(32), "__ockl_popcount_u32", "math.ctpop"),
    (Scalar::Int(32), "__nv_min", "arith.minsi"),
    (Scalar::Int(32), "__nv_umax", "arith.maxui"),
    (Scalar::Int(32), "__nv_umulhi", "tt.mulhiui"),
    (Scalar::Int(64), "__nv_llabs", "math.absi"),
    (Scalar::Int(64), "__nv_clzll", "math.ctlz"),
    (Scalar::Int(64), "__ockl_clz_u64", "math.ctlz"),
    (Scalar::Int(64), "__nv_llmax", "arith.maxsi"),
    (Scalar::Int(64), "__nv_ullmin", "arith.minui"),
    (Scalar::Int(64), "__nv_umul64hi", "tt.mulhiui"),
    (Scalar::F32, "__nv_fabsf", "math.absf"),
    (Scalar::F32, "__nv_ceilf", "math.ceil"),
    (Scalar::F32, "__ocml_floor_f32", "math.floor"),
    (Scalar::F32, "__ocml_trunc_f32", "math.trunc"),
    (Scalar::F32, "__nv_roundf", "math.round"),
    (Scalar::F32, "__nv_rintf", "math.roundeven"),
    (Scalar::F32, "__nv_fadd_rn", "arith.addf"),
    (Scalar::F32, "__nv_fdiv_rn", "arith.divf"),
    (Scalar::F32, "__nv_fsqrt_rn", "math.sqrt"),
    (Scalar::F32, "__nv_fmaf_rn", "math.fma"),
    (Scalar::F64, "__nv_fabs", "math.absf"),
    (Scalar::F64, "__ocml_ceil_f64", "math.ceil"),
    (Scalar::F64, "__nv_dmul_rn", "arith.mulf"),
    (Scalar::F64, "__nv_dsub_rn", "arith.subf"),
    (Scalar::F64, "__nv_sqrt", "math.sqrt"),
    (Scalar::F64, "__nv_fma", "math.fma"),
];

impl Builder {
    /// Adds either a call of a library function or inline assembly that forwards its operands. Returns `None` if
    /// the alternative that was drawn does not accept the type of `value`.
    fn foreign(&mut self, value: Value) -> Option<Value> {
        let type_ = self.type_(value);
        let known: Vec<_> = EXTERNS
            .iter()
            .filter(|(scalar, ..)| type_.element == Element::number(*scalar))
            .collect();
        if !known.is_empty() && self.rng.chance(60) {
            let (_, symbol, same) = *self.rng.choose(&known);
            let count = match same {
                "math.fma" => 3,
                _ if same.starts_with("math.") => 1,
                _ => 2,
            };
            let mut operands = vec![value];
            operands.resize_with(count, || self.like(&type_));
            return Some(self.one(Code::Extern { symbol, same }, &operands, type_));
        }
        let bits = type_.element.bits();
        let per_word = (32 / bits).max(1);
        if type_.element.is_pointer() || bits < 8 {
            return None;
        }
        let pack = per_word * self.rng.choose(&[1, 2, 4]);
        if !type_.num_elements().is_multiple_of(pack as usize) {
            return None;
        }
        let others = self.rng.below(3);
        let mut operands = vec![value];
        operands.resize_with(1 + others, || self.like(&type_));
        let types = vec![type_; 1 + others];
        let handed_on = self.several(Code::Assembly(pack), &operands, types);
        Some(self.rng.choose(&handed_on))
    }

    /// Adds a random elementwise operation on `value`, which may be a scalar or a tensor. Pointers get an operation
    /// on pointers.
    pub(crate) fn arithmetic(&mut self, value: Value) -> Value {
        let element = self.element(value);
        if element.is_pointer() {
            return self.pointers(value);
        }
        match self.rng.below(10) {
            0 => return self.comparison(value),
            1 => return self.selection(value),
            2 | 3 => {
                let to = self.any_scalar();
                return self.cast_to(value, to);
            }
            4 => {
                if let Some(made) = self.foreign(value) {
                    return made;
                }
            }
            _ => {}
        }
        match (element.int(), element.float()) {
            (Some(bits), _) => self.ints(value, bits),
            (_, Some(scalar)) => self.floats(value, scalar),
            // 8-bit floats are only moved.
            _ => self.selection(value),
        }
    }

    fn pointers(&mut self, value: Value) -> Value {
        if self.rng.chance(40) {
            return self.selection(value);
        }
        // There and back: the value of the pointer itself is unspecified.
        let type_ = self.type_(value);
        let number = self.cast("tt.ptr_to_int", value, Element::number(Scalar::Int(64)));
        let noise = self.constant(&type_.of(Element::number(Scalar::Int(64))), 0x55);
        let moved = self.elementwise("arith.xori", &[number, noise]);
        let back = self.elementwise("arith.xori", &[moved, noise]);
        self.cast("tt.int_to_ptr", back, type_.element)
    }

    fn ints(&mut self, value: Value, bits: u32) -> Value {
        let type_ = self.type_(value);
        match self.rng.below(20) {
            0..=2 => {
                let name = self.rng.choose(&INT_UNARY);
                self.elementwise(name, &[value])
            }
            3..=5 if bits > 1 => {
                let other = self.like(&type_);
                let most = self.constant(&type_, u64::from(bits - 1));
                let by = self.elementwise("arith.andi", &[other, most]);
                let name = self.rng.choose(&SHIFTS);
                self.elementwise(name, &[value, by])
            }
            6..=8 if bits > 1 => {
                // From 1 up: no division by zero, and no overflow of the smallest number divided by -1.
                let other = self.like(&type_);
                let most = self.constant(&type_, (1 << (bits - 1)) - 1);
                let one = self.constant(&type_, 1);
                let positive = self.elementwise("arith.andi", &[other, most]);
                let divisor = self.elementwise("arith.ori", &[positive, one]);
                let name = self.rng.choose(&DIVISIONS);
                self.elementwise(name, &[value, divisor])
            }
            9 if bits > 1 => {
                let other = self.like(&type_);
                let name = self
                    .rng
                    .choose(&["arith.mulsi_extended", "arith.mului_extended"]);
                let code = Code::Elementwise(name);
                let halves = self.several(code, &[value, other], vec![type_.clone(), type_]);
                self.elementwise("arith.xori", &[halves[0], halves[1]])
            }
            11 if bits > 1 => {
                let other = self.like(&type_);
                let types = vec![type_.clone(), type_.of(super::kernel::BOOL)];
                let code = Code::Elementwise("arith.addui_extended");
                let sum = self.several(code, &[value, other], types);
                let carry = self.cast("arith.extui", sum[1], type_.element);
                self.elementwise("arith.xori", &[sum[0], carry])
            }
            10 if bits >= 32 => {
                let other = self.like(&type_);
                self.elementwise("tt.mulhiui", &[value, other])
            }
            _ => {
                let other = self.like(&type_);
                let name = self.rng.choose(&INT_BINARY);
                self.elementwise(name, &[value, other])
            }
        }
    }

    fn floats(&mut self, value: Value, scalar: Scalar) -> Value {
        let type_ = self.type_(value);
        match self.rng.below(14) {
            0..=3 => {
                let name = self.rng.choose(&FLOAT_UNARY);
                self.elementwise(name, &[value])
            }
            4 if scalar.bits() >= 32 => self.elementwise("math.sqrt", &[value]),
            5 if scalar.bits() >= 32 => {
                let (b, c) = (self.like(&type_), self.like(&type_));
                self.elementwise("math.fma", &[value, b, c])
            }
            6 => {
                // The sign of the larger of two zeros is unspecified: negative zeros are removed.
                let zero = self.constant(&type_, 0);
                let other = self.like(&type_);
                let a = self.elementwise("arith.addf", &[value, zero]);
                let b = self.elementwise("arith.addf", &[other, zero]);
                let name = self.rng.choose(&["arith.maxnumf", "arith.minnumf"]);
                self.elementwise(name, &[a, b])
            }
            7 => {
                let other = self.like(&type_);
                let sign = self.without_nan(other);
                self.elementwise("math.copysign", &[value, sign])
            }
            _ => {
                let other = self.like(&type_);
                let name = self.rng.choose(&FLOAT_BINARY);
                self.elementwise(name, &[value, other])
            }
        }
    }

    pub(crate) fn comparison(&mut self, value: Value) -> Value {
        let type_ = self.type_(value);
        if type_.element.int().is_some() {
            let other = self.like(&type_);
            let predicate = self.rng.below(10) as u8;
            return self.compare_ints(predicate, value, other);
        }
        if type_.element.float().is_some() {
            let other = self.like(&type_);
            let predicate = self.rng.below(16) as u8;
            return self.compare_floats(predicate, value, other);
        }
        self.selection(value)
    }

    fn selection(&mut self, value: Value) -> Value {
        let type_ = self.type_(value);
        let mut condition = type_.of(super::kernel::BOOL);
        if self.rng.chance(20) {
            condition.tensor = None;
        }
        let condition = self.like(&condition);
        let other = self.like(&type_);
        self.elementwise("arith.select", &[condition, value, other])
    }

    /// Replaces each NaN element of `value` by zero.
    pub(crate) fn without_nan(&mut self, value: Value) -> Value {
        let type_ = self.type_(value);
        let zero = self.constant(&type_, 0);
        let is_number = self.compare_floats(7, value, value);
        self.elementwise("arith.select", &[is_number, value, zero])
    }

    /// Converts `value` to the element type `to`, either numerically or by a bitcast. A bitcast requires that both
    /// types have the same number of bits.
    pub(crate) fn cast_to(&mut self, value: Value, to: Element) -> Value {
        let from = self.element(value);
        if from == to {
            return value;
        }
        if from.bits() == to.bits() && (from.float().is_none() && to.float().is_none())
            || from.bits() == to.bits() && self.rng.chance(30)
        {
            let number = if from.float().is_some() {
                self.without_nan(value)
            } else {
                value
            };
            let name = if from.scalar.bits() == 8 || self.rng.chance(50) {
                "tt.bitcast"
            } else {
                "arith.bitcast"
            };
            return self.cast(name, number, to);
        }
        match (from.int(), from.float(), to.int(), to.float()) {
            (Some(a), _, Some(b), _) => {
                let name = if a > b {
                    "arith.trunci"
                } else {
                    self.rng.choose(&["arith.extsi", "arith.extui"])
                };
                self.cast(name, value, to)
            }
            (Some(_), _, _, Some(_)) => {
                let name = self.rng.choose(&["arith.sitofp", "arith.uitofp"]);
                self.cast(name, value, to)
            }
            (_, Some(_), Some(1), _) => self.truth(value),
            (_, Some(scalar), Some(bits), _) => self.float_to_int(value, scalar, bits),
            (_, Some(a), _, Some(b)) => self.float_to_float(value, a, b),
            // To and from 8-bit floats by way of a byte.
            _ => {
                let byte = Element::number(Scalar::Int(8));
                let byte = self.cast_to(value, byte);
                self.cast_to(byte, to)
            }
        }
    }

    fn truth(&mut self, value: Value) -> Value {
        let type_ = self.type_(value);
        let zero = self.constant(&type_, 0);
        self.compare_floats(13, value, zero)
    }

    fn float_to_int(&mut self, value: Value, scalar: Scalar, bits: u32) -> Value {
        let type_ = self.type_(value);
        let most = if scalar == Scalar::F16 { 15 } else { 64 };
        let limit = 2.0_f64.powi((bits - 1).min(most).cast_signed());
        let limit = self.float_constant(&type_, limit);
        let zero = self.constant(&type_, 0);
        let size = self.elementwise("math.absf", &[value]);
        let is_small = self.compare_floats(4, size, limit);
        let to = Element::number(Scalar::Int(bits));
        if self.rng.chance(50) {
            let small = self.elementwise("arith.select", &[is_small, value, zero]);
            self.cast("arith.fptosi", small, to)
        } else {
            let small = self.elementwise("arith.select", &[is_small, size, zero]);
            self.cast("arith.fptoui", small, to)
        }
    }

    fn float_to_float(&mut self, value: Value, from: Scalar, to: Scalar) -> Value {
        let element = Element::number(to);
        if from.bits() == to.bits() || self.rng.chance(40) {
            let name = if from.bits() >= to.bits() && self.rng.chance(40) {
                "tt.fp_to_fp.rtz"
            } else {
                "tt.fp_to_fp"
            };
            return self.cast(name, value, element);
        }
        let name = if from.bits() < to.bits() {
            "arith.extf"
        } else {
            self.rng.choose(&TRUNCATIONS)
        };
        self.cast(name, value, element)
    }

    /// Returns a value of type `type_`. The value is either an existing one, converted if necessary, or a new one.
    pub(crate) fn like(&mut self, type_: &KernelType) -> Value {
        let Some(tensor) = &type_.tensor else {
            return self.scalar_like(type_);
        };
        let near: Vec<Value> = self
            .tensors
            .iter()
            .copied()
            .filter(|v| {
                let other = &self.kernel.types[*v];
                other.shape() == tensor.shape
                    && (other.element == type_.element
                        || !(other.element.is_pointer() || type_.element.is_pointer()))
            })
            .collect();
        if !near.is_empty() && (type_.element.is_pointer() || self.rng.chance(85)) {
            let value = self.rng.choose(&near);
            let value = if self.rng.chance(50) {
                let converted = self.convert(value, &tensor.encoding);
                self.cast_to(converted, type_.element)
            } else {
                let cast = self.cast_to(value, type_.element);
                self.convert(cast, &tensor.encoding)
            };
            return value;
        }
        if type_.element.is_pointer() || self.rng.chance(30) && self.has_room_for_arguments() {
            return self.fresh(type_);
        }
        if self.rng.chance(40) {
            let scalar = KernelType::scalar(type_.element);
            let scalar = self.scalar_like(&scalar);
            return self.splat(scalar, type_);
        }
        let scalar = type_.element.scalar;
        if type_.num_elements() <= MAX_LISTED && self.rng.chance(25) {
            let elements = (0..type_.num_elements()).map(|_| self.interesting(scalar));
            let code = Code::Elements(elements.collect());
            return self.one(code, &[], type_.clone());
        }
        let bits = self.interesting(scalar);
        self.constant(type_, bits)
    }

    fn scalar_like(&mut self, type_: &KernelType) -> Value {
        if type_.element.is_pointer() {
            return self.fresh(type_);
        }
        if self.rng.chance(60) {
            let list = self.scalars.clone();
            let scalar = self.rng.choose(&list);
            return self.cast_to(scalar, type_.element);
        }
        let bits = self.interesting(type_.element.scalar);
        self.constant(type_, bits)
    }
}
