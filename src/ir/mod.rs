//! Typed views of types, attributes and operations, and the rules that hold for them.
//!
//! [`TensorType`] is a tensor with an encoding, [`Layouts`] the cache of what encodings mean,
//! [`ModuleInfo`] what a module says about its GPU, [`verify`] the rules of operations, [`infer`] how
//! the encodings of operands and results follow from each other, [`canonical`] the canonical form of
//! operations, [`LinearLayouts`] what the dialects ask of all these, [`Message`] what MLIR said about a file.
//! [`ops`] has the kinds and the views of operations, `builders` the functions that build them, [`rules`] what is
//! declared of them by label, [`discardable`] the names of attributes that no operation declares.

pub(crate) mod builders;
pub mod canonical;
mod captures;
mod diagnostics;
pub mod discardable;
pub mod infer;
mod layouts;
mod matched;
mod module;
mod modules;
pub mod ops;
mod product;
mod reason;
pub mod reference;
pub mod rules;
mod semantics;
mod tensor;
mod uniform;
mod unknown;
pub mod verify;
pub mod view;

pub(crate) use diagnostics::place_text;
pub use diagnostics::{Message, Place, Recorder, Severity};
pub use layouts::{Layouts, TensorLayout};
pub use module::{GpuError, ModuleInfo};
pub use modules::{chosen_module, inner_modules};
pub use ops::{AnyKind, OpKind, OpView, UpstreamKind, UpstreamView};
pub(crate) use ops::{kinds, views};
pub(crate) use product::{ProductTypes, ScaledTypes, check_scaled_elements, group_product_types};
pub use reason::Reason;
pub use semantics::LinearLayouts;
pub use tensor::{TensorType, element_bits, element_name, is_element_of_block};
pub use unknown::{TRITON_VERSION, unknown_name};
