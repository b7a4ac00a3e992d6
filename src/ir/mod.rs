//! Typed views of MLIR types and operations, with rules and services for the dialects.
//!
//! - Types: [`TensorType`], the layout cache [`Layouts`], and the GPU parameters [`ModuleInfo`].
//! - Operations: kinds and views in [`ops`], `builders`, and names of undeclared attributes in [`discardable`].
//! - Rules: checks in [`verify`], labels in [`rules`], encodings in [`infer`], patterns in [`canonical`].
//! - Services: [`LinearLayouts`] implements the dialects' callbacks, and [`Message`] is a diagnostic.

pub(crate) mod builders;
pub mod canonical;
mod captures;
mod carried;
mod combine_region;
pub(crate) mod descriptor;
mod diagnostics;
pub mod discardable;
pub mod infer;
mod layouts;
mod module;
mod modules;
pub mod ops;
pub(crate) mod partitions;
mod pattern;
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

pub(crate) use carried::Carried;
pub(crate) use combine_region::SingleOperation;
pub(crate) use diagnostics::location_text;
pub use diagnostics::{Message, Recorder, Severity, SourceLocation};
pub use layouts::{Layouts, TensorLayout};
pub use module::{GpuError, ModuleInfo};
pub use modules::{chosen_module, inner_modules};
pub use ops::{AnyKind, OpKind, OpView, UpstreamKind, UpstreamView};
pub(crate) use ops::{kinds, views};
pub(crate) use product::{ProductTypes, ScaledTypes, check_scaled_elements, group_product_types};
pub use reason::Reason;
pub use semantics::LinearLayouts;
pub(crate) use tensor::memdesc;
pub use tensor::{TensorType, element_bits, element_name, is_element_of_block};
pub(crate) use uniform::{float_constant, integer_constant};
pub use unknown::{TRITON_VERSION, unknown_name};
