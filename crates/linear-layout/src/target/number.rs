//! Element types of matrix instructions: spelling and register counts.

use super::{Number, Product};
use core::fmt;

impl Number {
    /// All element types of matrix instructions.
    pub const ALL: [Self; 12] = [
        Self::F16,
        Self::Bf16,
        Self::Tf32,
        Self::F32,
        Self::F64,
        Self::I8,
        Self::I32,
        Self::E4m3,
        Self::E5m2,
        Self::E4m3Fnuz,
        Self::E5m2Fnuz,
        Self::E2m1,
    ];

    /// Returns the spelling of the type in MLIR, e.g. `f16` or `f8E4M3FN`.
    #[must_use]
    pub const fn ir_name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::Tf32 => "tf32",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I8 => "i8",
            Self::I32 => "i32",
            Self::E4m3 => "f8E4M3FN",
            Self::E5m2 => "f8E5M2",
            Self::E4m3Fnuz => "f8E4M3FNUZ",
            Self::E5m2Fnuz => "f8E5M2FNUZ",
            Self::E2m1 => "f4E2M1FN",
        }
    }

    /// Returns the type with the MLIR spelling `name`, or `None` if there is no such type.
    ///
    /// ```
    /// use linear_layout::target::Number;
    /// assert_eq!(Number::of_ir_name("bf16"), Some(Number::Bf16));
    /// assert_eq!(Number::of_ir_name("i64"), None);
    /// ```
    #[must_use]
    pub fn of_ir_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|number| number.ir_name() == name)
    }

    /// Returns the number of 32-bit registers that `elements` elements of this type occupy.
    pub(crate) const fn registers(self, elements: u64) -> u64 {
        (elements * self.bits() as u64).div_ceil(32)
    }
}

impl Product {
    /// Returns the element types of the operands A, B and D.
    #[must_use]
    pub const fn types(&self) -> [Number; 3] {
        [self.factors[0], self.factors[1], self.sum]
    }

    /// Returns the numbers of 32-bit registers per lane that A, B and D occupy.
    ///
    /// ```
    /// use linear_layout::target::Target;
    /// let rows = Target::parse("cuda:80")?.matrix_instructions();
    /// let row = rows.iter().find(|row| row.name == "mma.m16n8k16.f32.f16").unwrap();
    /// assert_eq!(row.registers(), [4, 2, 4]);
    /// # Ok::<(), linear_layout::target::TargetError>(())
    /// ```
    #[must_use]
    pub fn registers(&self) -> [u64; 3] {
        let types = self.types();
        [0, 1, 2].map(|i| {
            let held = &self.operands[i];
            types[i].registers(1 << (held.registers.len() + held.packed.len()))
        })
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.ir_name())
    }
}
