//! What a run did: accesses by width, bank conflicts, barriers.

use super::error::Site;
use std::collections::BTreeMap;
use std::fmt;

/// The shared-memory accesses of one instruction.
///
/// # Units
/// `accesses` counts warps that executed the instruction; `wavefronts` and `ideal` count passes
/// through the banks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedUse {
    /// What the access is called, such as `ld.shared v4.b32`.
    pub label: String,
    /// The instruction.
    pub site: Site,
    /// Executions by a warp.
    pub accesses: u64,
    /// Wavefronts they took.
    pub wavefronts: u64,
    /// Wavefronts they would take without any conflict.
    pub ideal: u64,
}

/// The global-memory accesses of one width.
///
/// # Units
/// `sectors` and `ideal_sectors` count pieces of 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GlobalUse {
    /// Instructions in the kernel that were executed; a loop body counts once.
    pub instructions: u64,
    /// Executions by a warp, all blocks together.
    pub accesses: u64,
    /// Sectors that the warps touched.
    pub sectors: u64,
    /// Sectors that as many distinct bytes would fill.
    pub ideal_sectors: u64,
}

/// What a launch did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Blocks run.
    pub blocks: u64,
    /// Threads per block.
    pub threads_per_block: u32,
    /// Instructions executed, counted once per block.
    pub instructions: u64,
    /// Block barriers executed, all blocks together.
    pub barriers: u64,
    /// Warp barriers executed by warps.
    pub warp_barriers: u64,
    /// Cross-lane operations executed by warps (shuffles, permutes over lanes, DPP).
    pub shuffles: u64,
    /// Bytes that several unordered threads stored with the same value.
    pub redundant_bytes: u64,
    /// Bytes of shared memory, from the variables' sizes.
    pub shared_bytes: u32,
    /// Global accesses by label, such as `ld.global v4.b32`.
    pub global: BTreeMap<String, GlobalUse>,
    /// Shared accesses by instruction, in program order.
    pub shared: Vec<SharedUse>,
}

impl Report {
    /// Adds what other blocks of the same launch have counted, accesses aside.
    pub(super) fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.instructions += other.instructions;
        self.barriers += other.barriers;
        self.warp_barriers += other.warp_barriers;
        self.shuffles += other.shuffles;
        self.redundant_bytes += other.redundant_bytes;
    }

    /// Wavefronts beyond the ideal, over all shared accesses.
    pub fn bank_conflicts(&self) -> u64 {
        self.shared
            .iter()
            .map(|access| access.wavefronts - access.ideal)
            .sum()
    }

    /// The report as one JSON object.
    ///
    /// Keys: `blocks`, `threads_per_block`, `instructions`, `barriers`, `warp_barriers`,
    /// `shuffles`, `redundant_bytes`, `shared_bytes`, `bank_conflicts`, `global` (label to
    /// counts) and `shared` (a list with `label`, `op`, `location` and counts).
    pub fn to_json(&self) -> String {
        let numbers = [
            ("blocks", self.blocks),
            ("threads_per_block", self.threads_per_block.into()),
            ("instructions", self.instructions),
            ("barriers", self.barriers),
            ("warp_barriers", self.warp_barriers),
            ("shuffles", self.shuffles),
            ("redundant_bytes", self.redundant_bytes),
            ("shared_bytes", self.shared_bytes.into()),
            ("bank_conflicts", self.bank_conflicts()),
        ];
        let object = |pairs: &[(&str, u64)]| {
            let pairs = pairs
                .iter()
                .map(|(name, value)| format!("\"{name}\":{value}"));
            pairs.collect::<Vec<_>>().join(",")
        };
        let global = self.global.iter().map(|(label, used)| {
            let counts = object(&[
                ("instructions", used.instructions),
                ("accesses", used.accesses),
                ("sectors", used.sectors),
                ("ideal_sectors", used.ideal_sectors),
            ]);
            format!("{}:{{{counts}}}", json_string(label))
        });
        let shared = self.shared.iter().map(|used| {
            let counts = object(&[
                ("accesses", used.accesses),
                ("wavefronts", used.wavefronts),
                ("ideal", used.ideal),
            ]);
            let [label, op, location] =
                [&*used.label, &used.site.text, &used.site.location].map(json_string);
            format!("{{\"label\":{label},\"op\":{op},\"location\":{location},{counts}}}")
        });
        format!(
            "{{{},\"global\":{{{}}},\"shared\":[{}]}}",
            object(&numbers),
            global.collect::<Vec<_>>().join(","),
            shared.collect::<Vec<_>>().join(",")
        )
    }
}

/// A JSON string with its quotes.
pub(crate) fn json_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} blocks of {} threads, {} instructions, {} barriers, {} shuffles",
            self.blocks, self.threads_per_block, self.instructions, self.barriers, self.shuffles
        )?;
        for (label, used) in &self.global {
            writeln!(
                f,
                "{label} x {}: {} executed by warps, {} sectors (ideal {})",
                used.instructions, used.accesses, used.sectors, used.ideal_sectors
            )?;
        }
        let mut by_label: BTreeMap<&str, (u64, u64, u64, u64)> = BTreeMap::new();
        for access in &self.shared {
            let sum = by_label.entry(&access.label).or_default();
            sum.0 += 1;
            sum.1 += access.accesses;
            sum.2 += access.wavefronts;
            sum.3 += access.ideal;
        }
        for (label, (instructions, accesses, wavefronts, ideal)) in by_label {
            writeln!(
                f,
                "{label} x {instructions}: {accesses} executed by warps, {wavefronts} wavefronts (ideal {ideal})"
            )?;
        }
        write!(
            f,
            "shared memory: {} bytes, {} bank conflicts",
            self.shared_bytes,
            self.bank_conflicts()
        )?;
        for access in self
            .shared
            .iter()
            .filter(|access| access.wavefronts > access.ideal)
        {
            write!(
                f,
                "\n  {} conflicts ({} wavefronts, ideal {}) in {}",
                access.wavefronts - access.ideal,
                access.wavefronts,
                access.ideal,
                access.site
            )?;
        }
        if self.redundant_bytes > 0 {
            write!(
                f,
                "\n{} bytes were stored by several threads (same value)",
                self.redundant_bytes
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_of_one_kind_are_counted_together() {
        let used = |label: &str, count: u64| SharedUse {
            label: label.into(),
            site: Site::default(),
            accesses: count,
            wavefronts: 10 * count,
            ideal: 5 * count,
        };
        let report = Report {
            shared: vec![used("ld b32", 1), used("st b32", 2), used("ld b32", 3)],
            ..Report::default()
        };
        let text = report.to_string();
        let expected = [
            "ld b32 x 2: 4 executed by warps, 40 wavefronts (ideal 20)",
            "st b32 x 1: 2 executed by warps, 20 wavefronts (ideal 10)",
        ];
        assert!(text.contains(&expected.join("\n")), "{text}");
    }

    #[test]
    fn json_is_well_formed() {
        let mut report = Report {
            blocks: 2,
            ..Report::default()
        };
        report.global.insert(
            "ld.global b32".into(),
            GlobalUse {
                instructions: 1,
                ..GlobalUse::default()
            },
        );
        report.shared.push(SharedUse {
            label: "ld.shared b32".into(),
            site: Site {
                text: "a \"b\"\n".into(),
                ..Site::default()
            },
            accesses: 1,
            wavefronts: 3,
            ideal: 1,
        });
        let value: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!(value["bank_conflicts"], 2);
        assert_eq!(value["global"]["ld.global b32"]["instructions"], 1);
        assert_eq!(value["shared"][0]["op"], "a \"b\"\n");
    }
}
