//! Conversion of a module of the LLVM dialect to the module that [`gpu_sim`] runs.

use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::parts::{self, AttributeParts, TypeParts};
use crate::sys::{self, attribute_id, block_id, identifier_text, type_id, value_id};
use gpu_sim::FloatTy;
use gpu_sim::ir::{Attribute, Block, Module, Operation, Type, Value};
use melior::ir::operation::OperationLike;
use melior::ir::{self, BlockLike, ValueLike};
use rustc_hash::FxHashMap;

/// Converts an MLIR module to the simulator's representation.
///
/// `file` replaces the file name `-` in locations. Values are numbered per function, as in MLIR's printed form.
///
/// ```
/// use linear_layout_mlir::{gpu_sim, simulated};
/// use melior::ir::operation::OperationLike;
/// let registry = melior::dialect::DialectRegistry::new();
/// melior::utility::register_all_dialects(&registry);
/// let context = melior::Context::new_with_registry(&registry, false);
/// let text = "module { llvm.func @k() attributes {nvvm.kernel} { llvm.return } }";
/// let module = melior::ir::Module::parse(&context, text).expect("it is a module");
/// let module = simulated::module(module.as_operation(), "k.mlir");
/// assert_eq!(gpu_sim::decode(&module, None)?.program.name(), "k");
/// # Ok::<(), gpu_sim::KernelError>(())
/// ```
#[must_use]
pub fn module(op: Op<'_>, file: &str) -> Module {
    let context = build::context(op);
    let mut reader = ModuleReader {
        module: Module::default(),
        file,
        floats: [
            (ir::Type::float16(context), FloatTy::F16),
            (ir::Type::bfloat16(context), FloatTy::BF16),
            (ir::Type::float32(context), FloatTy::F32),
            (ir::Type::float64(context), FloatTy::F64),
        ],
        values: FxHashMap::default(),
        types: FxHashMap::default(),
        texts: FxHashMap::default(),
        open: Vec::new(),
    };
    reader.module.root = reader.operation(op, &FxHashMap::default(), ValueNumbers::default());
    reader.module
}

/// The numbers that MLIR's printed form gives to the next value and to the next entry-block argument.
#[derive(Clone, Copy, Default)]
struct ValueNumbers {
    value: usize,
    argument: usize,
}

struct ModuleReader<'c> {
    module: Module,
    file: &'c str,
    /// Float types that the simulator supports, each with its counterpart in the simulator.
    floats: [(ir::Type<'c>, FloatTy); 4],
    values: FxHashMap<usize, Value>,
    types: FxHashMap<usize, Type>,
    /// Texts of attributes that the simulator does not interpret, keyed by attribute identifier.
    texts: FxHashMap<usize, String>,
    /// Types that are currently being converted. This list ends the recursion for an identified struct that
    /// contains itself.
    open: Vec<usize>,
}

impl ModuleReader<'_> {
    /// Converts an operation. The numbering of values in nested regions continues from `numbers`.
    fn operation(
        &mut self,
        op: Op<'_>,
        blocks: &FxHashMap<usize, usize>,
        numbers: ValueNumbers,
    ) -> Operation {
        let operands = build::operands(op);
        let place = parts::first_file_location(op.location()).map(|place| {
            let file = match &*place.file {
                "-" => self.file,
                file => file,
            };
            format!("{file}:{}:{}", place.line, place.column)
        });
        Operation {
            name: identifier_text(op.name()).to_owned(),
            operands: operands.iter().map(|value| self.value(*value)).collect(),
            operand_types: operands
                .iter()
                .map(|value| self.ty(value.r#type()))
                .collect(),
            results: build::results(op)
                .into_iter()
                .map(|value| self.typed(value))
                .collect(),
            successors: build::successors(op)
                .into_iter()
                .filter_map(|block| blocks.get(&block_id(block)).copied())
                .collect(),
            attributes: self.entries(parts::attributes(op)),
            regions: op
                .regions()
                .map(|region| self.region(region, numbers))
                .collect(),
            location: place.unwrap_or_default(),
        }
    }

    /// Converts the blocks of a region. Values of the region are named before values of nested regions.
    fn region(&mut self, region: ir::RegionRef<'_, '_>, mut numbers: ValueNumbers) -> Vec<Block> {
        let blocks: Vec<(Blk<'_>, Vec<Op<'_>>)> = build::blocks_of(region)
            .into_iter()
            .map(|block| (block, build::operations(block)))
            .collect();
        for (number, (block, operations)) in blocks.iter().enumerate() {
            for i in 0..block.argument_count() {
                let (prefix, next) = match number {
                    0 => ("%arg", &mut numbers.argument),
                    _ => ("%", &mut numbers.value),
                };
                self.name(build::argument(*block, i), format!("{prefix}{next}"));
                *next += 1;
            }
            for op in operations {
                for (i, value) in build::results(*op).into_iter().enumerate() {
                    let name = match i {
                        0 => format!("%{}", numbers.value),
                        i => format!("%{}#{i}", numbers.value),
                    };
                    self.name(value, name);
                }
                numbers.value += usize::from(op.result_count() > 0);
            }
        }
        let places = blocks.iter().enumerate();
        let places = places.map(|(number, (block, _))| (block_id(*block), number));
        let places = places.collect();
        let blocks = blocks.into_iter().map(|(block, operations)| Block {
            arguments: (0..block.argument_count())
                .map(|i| self.typed(build::argument(block, i)))
                .collect(),
            operations: operations
                .into_iter()
                .map(|op| self.operation(op, &places, numbers))
                .collect(),
        });
        blocks.collect()
    }

    fn name(&mut self, value: Val<'_>, name: String) {
        let number = self.module.value(name);
        self.values.insert(value_id(value), number);
    }

    /// Returns the simulator's counterpart of a value. Each value that an operation can use already has a name.
    fn value(&mut self, value: Val<'_>) -> Value {
        let module = &mut self.module;
        let known = self.values.entry(value_id(value));
        *known.or_insert_with(|| module.value("%?"))
    }

    fn typed(&mut self, value: Val<'_>) -> (Value, Type) {
        (self.value(value), self.ty(value.r#type()))
    }

    fn ty(&mut self, ty: ir::Type<'_>) -> Type {
        let id = type_id(ty);
        if let Some(known) = self.types.get(&id) {
            return known.clone();
        }
        let other = || Type::Other(ty.to_string());
        let read = match parts::type_parts(ty) {
            TypeParts::Integer(bits) => Type::Int(bits),
            TypeParts::Index => Type::Int(64),
            TypeParts::Float => {
                let mut floats = self.floats.iter();
                match floats.find(|(known, _)| *known == ty) {
                    Some((_, float)) => Type::Float(*float),
                    None if sys::float_width(ty) == Some(8) => Type::Int(8),
                    None => other(),
                }
            }
            TypeParts::Pointer(space) => Type::Ptr(space),
            TypeParts::Vector(count, element) => match u32::try_from(count) {
                Ok(count) => Type::Vector(count, Box::new(self.ty(element))),
                Err(_) => other(),
            },
            TypeParts::Array(count, element) => Type::Array(count, Box::new(self.ty(element))),
            TypeParts::Struct { .. } if self.open.contains(&id) => return other(),
            TypeParts::Struct { packed, fields } => {
                self.open.push(id);
                let body = fields.into_iter().map(|field| self.ty(field)).collect();
                self.open.pop();
                Type::Struct { packed, body }
            }
            TypeParts::Void => Type::Void,
            TypeParts::Other => other(),
        };
        self.types.insert(id, read.clone());
        read
    }

    fn entries<'c>(
        &mut self,
        entries: Vec<(ir::Identifier<'c>, ir::Attribute<'c>)>,
    ) -> Vec<(String, Attribute)> {
        let entries = entries.into_iter();
        let entries = entries.map(|(name, value)| {
            let name = identifier_text(name).to_owned();
            (name, self.attribute(value))
        });
        entries.collect()
    }

    fn attribute(&mut self, attribute: ir::Attribute<'_>) -> Attribute {
        match parts::attribute_parts(attribute) {
            AttributeParts::Unit => Attribute::Unit,
            AttributeParts::Bool(value) => Attribute::Bool(value),
            AttributeParts::Integer(value, ty) => Attribute::Int(value.into(), self.ty(ty)),
            AttributeParts::Float(bits, ty) => number(bits, &self.ty(ty)),
            AttributeParts::String(text) => match text.utf8() {
                Some(text) => Attribute::Str(text.to_owned()),
                None => Attribute::Bytes(text.bytes().to_owned()),
            },
            AttributeParts::Type(ty) => Attribute::Type(self.ty(ty)),
            AttributeParts::Symbol(name) => {
                Attribute::Symbol(String::from_utf8_lossy(name.bytes()).into_owned())
            }
            AttributeParts::Array(all) => {
                let all = all.into_iter();
                Attribute::Array(all.map(|element| self.attribute(element)).collect())
            }
            AttributeParts::Integers(values) => Attribute::Ints(values),
            AttributeParts::Elements {
                element,
                splat,
                bits,
            } => {
                let element = self.ty(element);
                let elements = bits.into_iter().map(|bits| number(bits, &element));
                Attribute::Dense {
                    splat,
                    elements: elements.collect(),
                }
            }
            AttributeParts::Dictionary(entries) => Attribute::Dict(self.entries(entries)),
            AttributeParts::Other => {
                let text = self.texts.entry(attribute_id(attribute));
                Attribute::Opaque(text.or_insert_with(|| attribute.to_string()).clone())
            }
        }
    }
}

/// Returns an integer or float attribute of type `ty`. `bits` contains the bits of its value, zero-extended.
fn number(bits: u64, ty: &Type) -> Attribute {
    match ty {
        Type::Float(float) => Attribute::Float(bits, *float),
        Type::Int(width @ 1..=64) => {
            let above = 64 - width;
            let value = (bits << above).cast_signed() >> above;
            Attribute::Int(value.into(), ty.clone())
        }
        ty => Attribute::Int(bits.into(), ty.clone()),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::context;
    use gpu_sim::ir::Type;
    use melior::ir::Module;

    #[test]
    fn values_are_numbered_in_each_function_on_its_own() {
        let text = r#"
module {
  llvm.func @f(%x: i32) {
    %y = llvm.add %x, %x : i32
    llvm.return
  }
  llvm.func @g(%x: i32, %c: i1) {
    llvm.cond_br %c, ^later(%x : i32), ^end
  ^end:
    llvm.return
  ^later(%y: i32):
    %z:2 = builtin.unrealized_conversion_cast %y : i32 to i8, i16
    %w = llvm.add %y, %x : i32
    llvm.br ^end
  }
}
"#;
        let context = context();
        let module = Module::parse(&context, text).expect("it is a module");
        let module = super::module(module.as_operation(), "k.mlir");
        let functions = &module.root.regions[0][0].operations;
        let blocks = functions.iter().flat_map(|f| &f.regions[0]);
        let operations = blocks.flat_map(|block| &block.operations);
        let shown: Vec<String> = operations.map(|op| module.show(op)).collect();
        let expected = [
            r#"%0 = "llvm.add"(%arg0, %arg0) <{overflowFlags = 0 : i32}> : (i32, i32) -> i32"#,
            r#""llvm.return"() : () -> ()"#,
            r#""llvm.cond_br"(%arg1, %arg0)[^bb2, ^bb1] <{operandSegmentSizes = array[1, 1, 0]}> : (i1, i32) -> ()"#,
            r#""llvm.return"() : () -> ()"#,
            r#"%1, %1#1 = "builtin.unrealized_conversion_cast"(%0) : (i32) -> (i8, i16)"#,
            r#"%2 = "llvm.add"(%0, %arg0) <{overflowFlags = 0 : i32}> : (i32, i32) -> i32"#,
            r#""llvm.br"()[^bb1] : () -> ()"#,
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_structure_inside_itself_is_no_type_of_the_simulator() {
        let text = r#"
module {
  llvm.func @f() {
    %0 = llvm.mlir.undef : !llvm.struct<"a", (i32, struct<"a">)>
    %1 = llvm.mlir.undef : !llvm.struct<"b", opaque>
    llvm.return
  }
}
"#;
        let context = context();
        let module = Module::parse(&context, text).expect("it is a module");
        let module = super::module(module.as_operation(), "k.mlir");
        let f = &module.root.regions[0][0].operations[0];
        let ty = |op: usize| &f.regions[0][0].operations[op].results[0].1;
        let other = |text: &str| Type::Other(text.to_owned());
        let inside = other("!llvm.struct<\"a\", (i32, struct<\"a\">)>");
        let body = vec![Type::Int(32), inside];
        let packed = false;
        assert_eq!(*ty(0), Type::Struct { packed, body });
        assert_eq!(*ty(1), other("!llvm.struct<\"b\", opaque>"));
    }
}
