//! `count-async-waits`: raises the `num` of waits, so that groups committed after the wait's tokens stay in flight.
//!
//! ```text
//! a = commit; b = commit; wait a {num = 0}          a = commit; b = commit; wait a {num = 1}
//! ```
//!
//! # Source
//! Triton's `updateWaits` (NVIDIA pipeliner), and `tritonamdgpu-update-async-wait-count`, which counts instructions.
//! Here the lowering converts groups to instructions.

use super::Pass;
use super::context::PassContext;
use super::table::CountAsyncWaitsOptions;
use crate::analysis::effects::{Act, Channel, Effects, OpId};
use crate::analysis::flow;
use crate::analysis::tokens::{TokenOp, groups_since};
use crate::ir::OpKind;
use crate::ir::ops::ttg;
use crate::sys::build::{self, Op};
use crate::sys::{FollowUp, Reported, operation_id};
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use std::collections::HashMap;

impl Pass for CountAsyncWaitsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        for function in build::in_order(context.module()) {
            if OpKind::TtFunc.is(function) {
                count(context, function);
            }
        }
        Ok(Vec::new())
    }
}

fn count<'c>(context: &PassContext<'c>, function: Op<'c>) {
    let mut ops: HashMap<OpId, TokenOp> = HashMap::new();
    let mut waits = Vec::new();
    let read = flow::of_tokens(function, &mut |op, tokens| {
        let Some(result) = tokens.results.first().copied() else {
            return Ok(Effects::default());
        };
        let (found, act) = if ttg::AsyncCommitGroup::of(op).is_some() {
            (TokenOp::Commit(result), Act::Commit(Channel::Copies))
        } else if let Some(wait) = ttg::AsyncWait::of(op) {
            waits.push(wait);
            let tokens = tokens.operands.clone();
            (TokenOp::Wait { tokens, result }, observe(wait))
        } else {
            return Ok(Effects::default());
        };
        ops.insert(operation_id(op), found);
        Ok(Effects {
            acts: vec![act],
            ..Effects::default()
        })
    });
    let since = groups_since(&read.flow, &ops);
    let i32 = IntegerType::new(build::context(function), 32).into();
    for wait in waits {
        let groups = since.get(&operation_id(wait.op())).copied();
        if let Some(groups) = groups.map(i64::from).filter(|groups| *groups > wait.num()) {
            let num = IntegerAttribute::new(i32, groups).into();
            context
                .rewriter()
                .set_attribute(wait.op(), ttg::AsyncWait::NUM_KEY, num);
        }
    }
}

fn observe(wait: ttg::AsyncWait<'_, '_>) -> Act {
    Act::Observe {
        channel: Channel::Copies,
        at_most: wait.num().try_into().unwrap_or_default(),
    }
}
