//! Generators of operations: one file for each family.

mod amd;
mod buffers;
mod combine;
mod control;
mod elementwise;
mod global;
mod mover;
mod nvidia;
mod pairs;
mod plain;
mod product;
mod scaled;
mod views;

use super::random::Rng;
use super::text::Module;

/// A function that generates a random module, which is meant to be valid.
pub(crate) type Generator = fn(&mut Rng) -> Module;

/// Generators with their weights.
pub(crate) const GENERATORS: &[(Generator, usize)] = &[
    (elementwise::arith, 4),
    (elementwise::constant, 1),
    (elementwise::cast, 3),
    (elementwise::addptr, 2),
    (elementwise::external, 2),
    (elementwise::map_elementwise, 2),
    (elementwise::packed_arith, 1),
    (elementwise::print, 1),
    (views::convert_layout, 4),
    (views::splat, 2),
    (views::unsplat, 1),
    (views::make_range, 2),
    (views::expand_dims, 4),
    (views::broadcast, 3),
    (views::trans, 5),
    (views::reshape, 6),
    (views::join, 4),
    (views::split, 4),
    (views::cat, 2),
    (views::fp4_to_fp, 4),
    (combine::reduce, 4),
    (combine::scan, 3),
    (combine::gather, 3),
    (combine::histogram, 2),
    (product::dot, 6),
    (product::dot_scaled, 4),
    (product::warp_group_dot, 4),
    (product::warp_group_dot_wait, 1),
    (global::load, 3),
    (global::store, 2),
    (global::atomic, 4),
    (global::atomic_poll, 1),
    (global::make_tensor_descriptor, 2),
    (global::descriptor_access, 4),
    (global::descriptor_rows, 3),
    (global::argument, 3),
    (buffers::local_alloc, 4),
    (buffers::local_access, 4),
    (buffers::local_indexed, 4),
    (buffers::memdesc_index, 3),
    (buffers::memdesc_subslice, 5),
    (buffers::memdesc_trans, 4),
    (buffers::memdesc_reshape, 4),
    (buffers::memdesc_reinterpret, 3),
    (buffers::async_copy, 3),
    (buffers::async_groups, 1),
    (nvidia::barriers, 4),
    (nvidia::tma_copy, 4),
    (nvidia::tma_rows, 3),
    (nvidia::shared_store, 2),
    (nvidia::tensor_memory_access, 5),
    (nvidia::tensor_memory_view, 3),
    (nvidia::tensor_memory_copy, 2),
    (nvidia::tensor_core, 4),
    (nvidia::tensor_core_scaled, 3),
    (nvidia::others, 2),
    (amd::buffer_access, 4),
    (amd::buffer_to_local, 3),
    (amd::in_thread_transpose, 3),
    (amd::extract_slice, 2),
    (amd::concat, 2),
    (amd::local_load_packed, 2),
    (scaled::scaled, 5),
    (amd::copies, 3),
    (mover::copy, 3),
    (mover::fused, 2),
    (mover::rows, 3),
    (mover::descriptor, 2),
    (mover::waits, 2),
    (plain::program, 2),
    (plain::cluster, 3),
    (plain::call, 3),
    (pairs::product, 4),
    (pairs::image, 2),
    (control::loops, 3),
    (control::conditions, 2),
    (control::masked, 1),
    (control::warp_specialize, 4),
];
