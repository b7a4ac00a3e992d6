//! Axis information of all functions of a module, valid until the IR changes.

use super::{AxisAnalysis, Indices};
use crate::sys;
use crate::sys::build::Op;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Debug, Default)]
pub(crate) struct AxisFacts {
    functions: RefCell<HashMap<usize, Rc<AxisAnalysis>>>,
    indices: Indices,
}

impl AxisFacts {
    pub(crate) fn with(indices: Indices) -> Self {
        Self {
            indices,
            ..Self::default()
        }
    }

    pub(crate) fn of(&self, function: Op<'_>) -> Rc<AxisAnalysis> {
        let mut functions = self.functions.borrow_mut();
        let known = functions.entry(sys::operation_id(function));
        Rc::clone(known.or_insert_with(|| Rc::new(AxisAnalysis::with(function, self.indices))))
    }
}
