//! CuTe layouts.

mod composed;
mod divide;
mod inverse;
mod layout;
mod shape;
mod swizzle;
mod tuple;

pub(crate) use composed::ComposedLayout;
pub(crate) use layout::CuteLayout;
pub(crate) use swizzle::Swizzle;
