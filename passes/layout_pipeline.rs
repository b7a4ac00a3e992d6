//! `layout-pipeline`: from default layouts to the LLVM dialect, by the passes of this project.

use super::Pass;
use super::context::PassContext;
use super::table::{LayoutPipelineOptions, PassKind};
use crate::sys::{FollowUp, Reported};

impl Pass for LayoutPipelineOptions {
    fn run(&self, _: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        Ok(Vec::new())
    }

    fn pipeline(&self) -> String {
        // A value in braces is taken as it is.
        let option = |key: &str, value: Option<&str>| {
            value.map_or_else(String::new, |value| format!("{key}={{{value}}} "))
        };
        let target = option("target", self.target.as_deref());
        let abi = option("abi", Some(&self.abi));
        let shared = option("shared", Some(&self.shared));
        let limit = option("shared-limit", Some(&self.shared_limit));
        let memory = option("memory", Some(&self.memory));
        let pass = |kind: PassKind, options: String| format!("{}{{{options}}}", kind.argument());
        [
            pass(
                PassKind::ResolveAutoLayouts,
                option("target", self.target.as_deref()),
            ),
            pass(PassKind::Coalesce, String::new()),
            pass(PassKind::RemoveLayoutConversions, target.clone() + &memory),
            pass(
                PassKind::ReduceDataDuplication,
                option("only-cheaper", Some("true")),
            ),
            pass(PassKind::FoldLayoutConversions, String::new()),
            pass(
                PassKind::ConvertLayoutsToLLVM,
                target + &abi + &shared + &limit,
            ),
        ]
        .join(",")
    }
}
