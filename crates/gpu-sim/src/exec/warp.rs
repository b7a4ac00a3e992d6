//! Active lanes of a warp, and member masks.

use super::Exec;
use crate::error::{FaultKind, KernelError};

/// Returns true if `lane` is in the sorted list `lanes`. `first` is the first lane of the warp.
pub(crate) fn is_active(lanes: &[u32], first: u32, lane: u32) -> bool {
    let at_its_place = || lanes.get((lane - first) as usize) == Some(&lane);
    lane >= first && at_its_place() || lanes.binary_search(&lane).is_ok()
}

impl Exec<'_> {
    pub(crate) fn active_warps(&self) -> Vec<(u32, Vec<u32>)> {
        let per_warp = self.launch.machine.lanes_per_warp;
        let same = |a: &u32, b: &u32| a / per_warp == b / per_warp;
        self.lanes
            .chunk_by(same)
            .map(|lanes| (lanes[0] / per_warp, lanes.to_vec()))
            .collect()
    }

    /// Returns an error in two cases:
    /// - the member mask `mask` does not contain the lane `own`
    /// - `mask` contains a lane that is not active, although it exists and has not returned
    ///
    /// `lanes` contains the active lanes of the warp.
    pub(crate) fn check_members(
        &self,
        what: &str,
        warp: u32,
        lanes: &[u32],
        mask: u64,
        own: u32,
    ) -> Result<(), KernelError> {
        let per_warp = self.launch.machine.lanes_per_warp;
        if mask >> (own % per_warp) & 1 == 0 {
            let text = format!(
                "{what} by lane {}, which is not in the member mask {mask:#010x}",
                own % per_warp
            );
            return Err(self.fault(FaultKind::Divergence, own, text));
        }
        if lanes.len() == per_warp as usize {
            return Ok(());
        }
        for member in (0..per_warp).filter(|lane| mask >> lane & 1 == 1) {
            let lane = warp * per_warp + member;
            let absent = lane >= self.num_threads || self.exited[lane as usize];
            if !absent && !is_active(lanes, warp * per_warp, lane) {
                let text = format!(
                    "{what} in divergent code: lane {member} of the member mask {mask:#010x} does not reach \
                     the {what}"
                );
                return Err(self.fault(FaultKind::Divergence, own, text));
            }
        }
        Ok(())
    }
}
