//! The report of a run: memory accesses by label and by source line, bank conflicts, and barriers.

mod advice;

pub(super) use advice::Sample;

use super::error::Site;
use linear_layout::target::{Banks, Wavefronts};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

/// The shared-memory accesses of one instruction.
///
/// # Units
/// `accesses` counts executions by a warp. `wavefronts` and `ideal` count passes through the banks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedUse {
    /// Name of the access, such as `ld.shared v4.b32`.
    pub label: String,
    /// The operation from which the instruction was decoded.
    pub site: Site,
    /// Number of executions by a warp.
    pub accesses: u64,
    /// Number of wavefronts of all accesses.
    pub wavefronts: u64,
    /// Number of wavefronts that the accesses would need without bank conflicts.
    pub ideal: u64,
}

/// The memory accesses of one source line, summed over all operations of the line.
///
/// # Units
/// Accesses are executions by a warp, wavefronts are passes through the banks of shared memory, and sectors are 32-byte
/// sectors of global memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LineUse {
    /// Location as `file:line`; empty if unknown.
    pub location: String,
    /// Text of the source line. If the source text is unknown, this is the text of the first LLVM-dialect operation
    /// that was compiled from the line.
    pub source: String,
    /// Locations of the inlined calls that lead to the operation, innermost call first.
    pub calls: Arc<[String]>,
    /// Number of shared-memory accesses.
    pub shared_accesses: u64,
    /// Number of wavefronts of all shared-memory accesses.
    pub wavefronts: u64,
    /// Number of wavefronts that the accesses would need without bank conflicts.
    pub ideal_wavefronts: u64,
    /// Number of global-memory accesses.
    pub global_accesses: u64,
    /// Number of sectors of all global-memory accesses.
    pub sectors: u64,
    /// Number of sectors that the accesses would need if the accessed bytes were contiguous.
    pub ideal_sectors: u64,
    /// Advice on how to avoid bank conflicts and partly used sectors: at most one text for shared memory and one
    /// for global memory.
    pub advice: Vec<String>,
}

impl LineUse {
    fn is_wasteful(&self) -> bool {
        self.wavefronts > self.ideal_wavefronts || self.sectors > self.ideal_sectors
    }
}

#[derive(Clone, Debug)]
pub(super) struct OpUse<'p> {
    pub(super) site: &'p Site,
    pub(super) is_shared: bool,
    pub(super) accesses: u64,
    pub(super) wavefronts: Wavefronts,
    pub(super) samples: &'p [Sample],
}

/// Groups the memory accesses in `uses` by source line, and adds advice to each line. Operations that were inlined
/// through different calls are in separate groups. The order of the groups is the order in which their lines first
/// occur in `uses`.
pub(super) fn by_line(uses: &[OpUse<'_>], banks: Banks) -> Vec<LineUse> {
    let mut lines: Vec<(LineUse, Vec<&Sample>)> = Vec::new();
    let mut known: HashMap<(String, Arc<[String]>), usize> = HashMap::new();
    for used in uses {
        let location = line_of(&used.site.location);
        // Operations without a location form their own lines.
        let key = match location {
            "" => &*used.site.text,
            location => location,
        };
        let index = *known
            .entry((key.to_owned(), used.site.calls.clone()))
            .or_insert_with(|| {
                let line = LineUse {
                    location: location.to_owned(),
                    source: used.site.text.to_string(),
                    calls: used.site.calls.clone(),
                    ..LineUse::default()
                };
                lines.push((line, Vec::new()));
                lines.len() - 1
            });
        let (line, samples) = &mut lines[index];
        let (accesses, taken, ideal) = match used.is_shared {
            true => (
                &mut line.shared_accesses,
                &mut line.wavefronts,
                &mut line.ideal_wavefronts,
            ),
            false => (
                &mut line.global_accesses,
                &mut line.sectors,
                &mut line.ideal_sectors,
            ),
        };
        *accesses += used.accesses;
        *taken += used.wavefronts.taken;
        *ideal += used.wavefronts.ideal;
        samples.extend(used.samples);
    }
    let advised = lines.into_iter().map(|(mut line, samples)| {
        let (shared, global): (Vec<&Sample>, Vec<&Sample>) =
            samples.into_iter().partition(|sample| sample.is_shared);
        let shared = advice::of_shared(&shared, banks);
        let advice = shared.into_iter().chain(advice::of_global(&global));
        line.advice = advice.collect();
        line
    });
    advised.collect()
}

fn line_of(location: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    match location.rsplit_once(':') {
        Some((line, column)) if is_number(column) && line.contains(':') => line,
        _ => location,
    }
}

/// The global-memory accesses with one label, such as `ld.global v4.b32`.
///
/// # Units
/// `sectors` and `ideal_sectors` count 32-byte sectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GlobalUse {
    /// Number of distinct executed instructions. An instruction in a loop body counts once.
    pub instructions: u64,
    /// Number of executions by a warp, over all thread blocks.
    pub accesses: u64,
    /// Number of sectors of all accesses.
    pub sectors: u64,
    /// Number of sectors that the accesses would need if the accessed bytes were contiguous.
    pub ideal_sectors: u64,
}

/// The statistics of a launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Number of thread blocks.
    pub blocks: u64,
    /// Number of threads per block.
    pub threads_per_block: u32,
    /// Number of executed instructions, including terminators. Lanes that execute an instruction together count once.
    pub instructions: u64,
    /// Number of executed block, cluster and named barriers, over all thread blocks.
    pub barriers: u64,
    /// Number of executed warp barriers.
    pub warp_barriers: u64,
    /// Number of executed cross-lane operations (shuffles, lane permutes, DPP). Each execution by a warp counts
    /// once.
    pub shuffles: u64,
    /// Number of bytes that were stored redundantly: an unordered thread stored the same value to the same byte.
    /// For example, if 32 unordered threads store the same 4 bytes to one address, 31 of the 32 stores are
    /// redundant, which are 124 bytes.
    pub redundant_bytes: u64,
    /// Bytes of shared memory per thread block.
    pub shared_bytes: u32,
    /// Global-memory accesses by label, such as `ld.global v4.b32`.
    pub global: BTreeMap<String, GlobalUse>,
    /// Shared-memory accesses by instruction, in program order.
    pub shared: Vec<SharedUse>,
    /// Memory accesses by source line, in program order.
    pub lines: Vec<LineUse>,
}

impl Report {
    /// Adds the counts in `other`, a report on further thread blocks. The fields `global`, `shared` and `lines` do
    /// not change.
    pub(super) fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.instructions += other.instructions;
        self.barriers += other.barriers;
        self.warp_barriers += other.warp_barriers;
        self.shuffles += other.shuffles;
        self.redundant_bytes += other.redundant_bytes;
    }

    /// Replaces the source text of each reported line that is in the file `file`. `text` is the contents of this
    /// file.
    #[must_use]
    pub fn with_source(mut self, file: &str, text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        for used in &mut self.lines {
            let number = used.location.strip_prefix(file);
            let number = number.and_then(|rest| rest.strip_prefix(':')?.parse::<usize>().ok());
            let line = number.and_then(|number| lines.get(number.checked_sub(1)?));
            if let Some(line) = line {
                used.source = line.trim().to_owned();
            }
        }
        self
    }

    /// Returns the number of wavefronts in excess of the ideal number, over all shared-memory accesses.
    pub fn bank_conflicts(&self) -> u64 {
        self.shared
            .iter()
            .map(|access| access.wavefronts - access.ideal)
            .sum()
    }

    /// Returns the report as one JSON object.
    ///
    /// The keys are `blocks`, `threads_per_block`, `instructions`, `barriers`, `warp_barriers`, `shuffles`,
    /// `redundant_bytes`, `shared_bytes`, `bank_conflicts`, `global` and `shared` (each maps a label to counts), and
    /// `lines` (a list of objects with `location`, `source`, `calls`, counts and `advice`).
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
        let shared = self.shared_by_label();
        let shared = shared.iter().map(|(label, used)| {
            let counts = object(&[
                ("instructions", used.0),
                ("accesses", used.1),
                ("wavefronts", used.2),
                ("ideal", used.3),
            ]);
            format!("{}:{{{counts}}}", json_string(label))
        });
        let strings = |texts: &[String]| {
            let texts = texts.iter().map(|text| json_string(text));
            texts.collect::<Vec<_>>().join(",")
        };
        let lines = self.lines.iter().map(|used| {
            let counts = object(&[
                ("shared_accesses", used.shared_accesses),
                ("wavefronts", used.wavefronts),
                ("ideal_wavefronts", used.ideal_wavefronts),
                ("global_accesses", used.global_accesses),
                ("sectors", used.sectors),
                ("ideal_sectors", used.ideal_sectors),
            ]);
            format!(
                "{{\"location\":{},\"source\":{},\"calls\":[{}],{counts},\"advice\":[{}]}}",
                json_string(&used.location),
                json_string(&used.source),
                strings(&used.calls),
                strings(&used.advice)
            )
        });
        format!(
            "{{{},\"global\":{{{}}},\"shared\":{{{}}},\"lines\":[{}]}}",
            object(&numbers),
            global.collect::<Vec<_>>().join(","),
            shared.collect::<Vec<_>>().join(","),
            lines.collect::<Vec<_>>().join(",")
        )
    }

    /// Returns the counts of all shared-memory accesses, summed over the instructions with the same label:
    /// (instructions, accesses, wavefronts, ideal wavefronts).
    fn shared_by_label(&self) -> BTreeMap<&str, (u64, u64, u64, u64)> {
        let mut by_label: BTreeMap<&str, (u64, u64, u64, u64)> = BTreeMap::new();
        for access in &self.shared {
            let sum = by_label.entry(&access.label).or_default();
            sum.0 += 1;
            sum.1 += access.accesses;
            sum.2 += access.wavefronts;
            sum.3 += access.ideal;
        }
        by_label
    }
}

/// Returns `text` as a quoted and escaped JSON string.
pub fn json_string(text: &str) -> String {
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
        for (label, (instructions, accesses, wavefronts, ideal)) in self.shared_by_label() {
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
        if self.redundant_bytes > 0 {
            write!(
                f,
                "\n{} bytes were stored by several threads (same value)",
                self.redundant_bytes
            )?;
        }
        for line in self.lines.iter().filter(|line| line.is_wasteful()) {
            write!(f, "\n{line}")?;
        }
        Ok(())
    }
}

impl fmt::Display for LineUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = match &*self.location {
            "" => "unknown line",
            location => location,
        };
        let source: String = self.source.chars().take(120).collect();
        write!(f, "{location}: `{source}`")?;
        for call in self.calls.iter().filter(|call| !call.is_empty()) {
            write!(f, "\n  called at {call}")?;
        }
        if self.shared_accesses > 0 {
            write!(
                f,
                "\n  shared: {} executed by warps, {} wavefronts (ideal {}), {} conflicts",
                self.shared_accesses,
                self.wavefronts,
                self.ideal_wavefronts,
                self.wavefronts - self.ideal_wavefronts
            )?;
        }
        if self.global_accesses > 0 {
            write!(
                f,
                "\n  global: {} executed by warps, {} sectors (ideal {})",
                self.global_accesses, self.sectors, self.ideal_sectors
            )?;
        }
        for advice in &self.advice {
            write!(f, "\n  advice: {advice}")?;
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
            site: Site::default(),
            accesses: 1,
            wavefronts: 3,
            ideal: 1,
        });
        report.lines.push(LineUse {
            source: "a \"b\"\n".into(),
            advice: vec!["pad".into()],
            ..LineUse::default()
        });
        let value: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!(value["bank_conflicts"], 2);
        assert_eq!(value["global"]["ld.global b32"]["instructions"], 1);
        assert_eq!(value["shared"]["ld.shared b32"]["wavefronts"], 3);
        assert_eq!(value["lines"][0]["source"], "a \"b\"\n");
        assert_eq!(value["lines"][0]["advice"][0], "pad");
    }
}
