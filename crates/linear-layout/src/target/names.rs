//! Names of GPUs: names in `ttg.target`, processor names and product names.

use super::{TARGETS, Target};
use crate::encoding::spelling::edits;
use thiserror::Error;

/// For each target, the names of its products, in lower case without spaces.
///
/// # Source
/// NVIDIA's table of compute capabilities; LLVM's AMDGPU usage guide, "Processors".
#[rustfmt::skip]
const PRODUCTS: &[(&str, &[&str])] = &[
    ("cuda:70", &["v100", "titanv", "gv100"]),
    ("cuda:72", &["xavier"]),
    ("cuda:75", &[
        "t4", "t1000", "titanrtx", "gtx1650", "gtx1660", "gtx1660ti", "rtx2060", "rtx2070", "rtx2080", "rtx2080ti",
    ]),
    ("cuda:80", &["a100", "a800", "a30"]),
    ("cuda:86", &[
        "a2", "a10", "a10g", "a16", "a40", "a4000", "a5000", "a6000", "rtxa2000", "rtxa4000", "rtxa5000", "rtxa6000",
        "rtx3050", "rtx3060", "rtx3060ti", "rtx3070", "rtx3070ti", "rtx3080", "rtx3080ti", "rtx3090", "rtx3090ti",
    ]),
    ("cuda:87", &["orin", "agxorin"]),
    ("cuda:89", &[
        "l4", "l20", "l40", "l40s", "rtx4050", "rtx4060", "rtx4060ti", "rtx4070", "rtx4070ti", "rtx4080", "rtx4090",
        "rtx4090d", "rtx4000ada", "rtx5000ada", "rtx6000ada",
    ]),
    ("cuda:90", &["h100", "h200", "h800", "h20", "gh200"]),
    ("cuda:100", &["b100", "b200", "gb200"]),
    ("cuda:103", &["b300", "gb300"]),
    ("cuda:110", &["thor"]),
    ("cuda:120", &[
        "rtx5050", "rtx5060", "rtx5060ti", "rtx5070", "rtx5070ti", "rtx5080", "rtx5090", "rtxpro5000", "rtxpro6000",
    ]),
    ("cuda:121", &["gb10", "dgxspark"]),
    ("hip:gfx90a", &["mi210", "mi250", "mi250x"]),
    ("hip:gfx942", &["mi300", "mi300a", "mi300x", "mi308x", "mi325x"]),
    ("hip:gfx950", &["mi350", "mi350x", "mi355x"]),
    ("hip:gfx1100", &["rx7900xtx", "rx7900xt", "rx7900gre", "w7900", "w7800"]),
    ("hip:gfx1101", &["rx7800xt", "rx7700xt", "w7700"]),
    ("hip:gfx1102", &["rx7600", "rx7600xt", "w7600", "w7500"]),
    ("hip:gfx1103", &["780m", "760m", "740m"]),
    ("hip:gfx1150", &["890m"]),
    ("hip:gfx1151", &["8060s", "strixhalo"]),
    ("hip:gfx1152", &["860m"]),
    ("hip:gfx1200", &["rx9060xt"]),
    ("hip:gfx1201", &["rx9070", "rx9070xt", "rx9070gre"]),
];

/// Processors that are older than all supported targets, each with the names of its products.
#[rustfmt::skip]
const OLDER: &[(&str, &[&str])] = &[
    ("sm_37", &["k80"]),
    ("sm_52", &["m40", "m60"]),
    ("sm_60", &["p100"]),
    ("sm_61", &["p4", "p40", "gtx1060", "gtx1070", "gtx1080", "gtx1080ti", "titanxp"]),
    ("gfx900", &["mi25"]),
    ("gfx906", &["mi50", "mi60"]),
    ("gfx908", &["mi100"]),
    ("gfx1030", &["rx6800", "rx6800xt", "rx6900xt", "rx6950xt"]),
    ("gfx1031", &["rx6700xt"]),
    ("gfx1032", &["rx6600", "rx6600xt"]),
];

/// Brand names that may precede the name of a product.
const BRANDS: [&str; 9] = [
    "nvidia", "amd", "geforce", "tesla", "quadro", "jetson", "instinct", "radeon", "pro",
];

impl Target {
    /// Finds a target by its name in `ttg.target`, by its processor or by a product name. Case is ignored.
    ///
    /// # Errors
    /// Returns an error if `name` is unknown, or if the product is too old. The error contains the nearest known
    /// name or the processor of the old product.
    ///
    /// ```
    /// use linear_layout::target::Target;
    /// for name in ["cuda:90", "sm_90", "sm90a", "H100", "NVIDIA H100 80GB HBM3"] {
    ///     assert_eq!(Target::parse(name)?.name, "cuda:90");
    /// }
    /// assert_eq!(Target::parse("Radeon RX 7900 XTX")?.name, "hip:gfx1100");
    /// let error = |name| Target::parse(name).unwrap_err().to_string();
    /// assert_eq!(error("cuda:91"), "unknown target `cuda:91`; the nearest is `cuda:90`");
    /// assert_eq!(error("mi30x"), "unknown target `mi30x`; the nearest is `mi300x`, which is `hip:gfx942`");
    /// assert_eq!(error("mi100"), "target `mi100` is not supported: `gfx908` is too old; the oldest supported target is `hip:gfx90a`");
    /// # Ok::<(), linear_layout::target::TargetError>(())
    /// ```
    pub fn parse(name: &str) -> Result<&'static Self, TargetError> {
        let asked = name.trim().to_lowercase();
        Self::of_processor(&asked)
            .or_else(|| product(PRODUCTS, &asked).and_then(Self::named))
            .ok_or_else(|| TargetError {
                name: name.trim().to_owned(),
                processor: product(OLDER, &asked),
            })
    }

    fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Finds a target by the name of its processor, which has one of the forms `cuda:90`, `sm_90`, `sm90`,
    /// `hip:gfx942` and `gfx942`.
    fn of_processor(asked: &str) -> Option<&'static Self> {
        let number = ["cuda:", "sm_", "sm"]
            .iter()
            .find_map(|prefix| asked.strip_prefix(prefix));
        let Some(number) = number else {
            let bare = asked.strip_prefix("hip:").unwrap_or(asked);
            return Self::named(&format!("hip:{bare}"));
        };
        // LLVM's suffixes of architecture-specific and family-specific code.
        let end = |c: char| c.is_ascii_digit();
        let number = number
            .strip_suffix(['a', 'f'])
            .filter(|rest| rest.ends_with(end))
            .unwrap_or(number);
        Self::named(&format!("cuda:{number}"))
    }
}

/// Looks up a product such as `rtx 4090` in `table`, and returns the target or processor that the table lists for
/// this product.
///
/// A leading brand and trailing words such as `pcie` or `80gb` are ignored, since drivers print them.
fn product(table: &[(&'static str, &[&str])], asked: &str) -> Option<&'static str> {
    if asked.contains(':') {
        return None;
    }
    let mut words: Vec<&str> = asked.split([' ', '-', '_']).collect();
    let find = |words: &[&str]| {
        let name = words.concat();
        let row = table
            .iter()
            .find(|(_, names)| names.contains(&name.as_str()));
        row.map(|(target, _)| *target)
    };
    loop {
        let found = (0..words.len())
            .take_while(|i| *i == 0 || BRANDS.contains(&words[i - 1]))
            .find_map(|i| find(&words[i..]));
        if found.is_some() || !words.pop().is_some_and(is_variant) {
            return found;
        }
    }
}

/// Returns true if `word` is a form factor, a memory size or another word that does not affect which processor a
/// product has.
fn is_variant(word: &str) -> bool {
    let is_memory = word.ends_with("gb") && word.starts_with(|c: char| c.is_ascii_digit());
    let known = ["pcie", "nvl", "gpu", "laptop", "super", "graphics"];
    is_memory || known.contains(&word) || word.starts_with("sxm") || word.starts_with("hbm")
}

/// The error for an unknown or unsupported target name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", text(.name, *.processor))]
pub struct TargetError {
    name: String,
    /// The processor of the named product if the product is too old, or `None` if the name is unknown.
    processor: Option<&'static str>,
}

fn text(name: &str, processor: Option<&str>) -> String {
    if let Some(processor) = processor {
        let least = match processor.starts_with("sm_") {
            true => "cuda:70",
            false if processor.starts_with("gfx10") => "hip:gfx1100",
            false => "hip:gfx90a",
        };
        return format!(
            "target `{name}` is not supported: `{processor}` is too old; the oldest supported target is `{least}`"
        );
    }
    let nearest = match nearest(&name.to_lowercase()) {
        Some((near, target)) if near == target => format!("the nearest is `{near}`"),
        Some((near, target)) => format!("the nearest is `{near}`, which is `{target}`"),
        None => {
            "known targets are `cuda:70` to `cuda:121`, `hip:gfx90a` to `hip:gfx1251`, and products such as `h100`, \
             `mi300x`"
                .to_owned()
        }
    };
    let shown: String = name.chars().take(60).collect();
    format!("unknown target `{shown}`; {nearest}")
}

/// Returns the known name with the smallest edit distance to `name`, and the target that has this name. If several
/// names have the smallest distance, names that start with `name` are preferred, then names with the same last
/// letter. Returns `None` if the distance is more than a third of the length of `name`.
fn nearest(name: &str) -> Option<(String, &'static str)> {
    let processors = TARGETS.iter().flat_map(|target| {
        let bare = target.name.split_once(':').map_or("", |(_, bare)| bare);
        let processor = match target.name.starts_with("cuda:") {
            true => format!("sm_{bare}"),
            false => bare.to_owned(),
        };
        [target.name.to_owned(), processor].map(|known| (known, target.name))
    });
    let products = PRODUCTS
        .iter()
        .flat_map(|(target, names)| names.iter().map(|known| ((*known).to_owned(), *target)));
    let last = |text: &str| text.chars().last();
    processors
        .chain(products)
        .map(|(known, target)| {
            let is_longer = known.starts_with(name);
            let has_last = last(&known) == last(name);
            (edits(name, &known), !is_longer, !has_last, known, target)
        })
        .filter(|(count, ..)| 3 * count <= name.chars().count())
        .min()
        .map(|(.., known, target)| (known, target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Vendor;

    #[test]
    fn every_name_parses_to_itself() {
        for t in TARGETS {
            assert_eq!(Target::parse(t.name).unwrap(), t);
            assert_eq!(Target::parse(&t.name.to_uppercase()).unwrap(), t);
            let bare = t.name.split_once(':').unwrap().1;
            let bare = if t.vendor == Vendor::Nvidia {
                format!("sm_{bare}")
            } else {
                bare.to_owned()
            };
            assert_eq!(Target::parse(&bare).unwrap(), t);
            // LLVM has no name for `cuda:107`, which runs code for `sm_100`.
            if t.name != "cuda:107" {
                assert_eq!(Target::parse(t.llvm_cpu).unwrap(), t);
            }
        }
    }

    #[test]
    fn every_product_is_of_one_target() {
        let mut seen = Vec::new();
        for (target, names) in PRODUCTS {
            assert!(Target::named(target).is_some(), "{target}");
            for name in *names {
                assert_eq!(Target::parse(name).unwrap().name, *target);
                assert!(!seen.contains(name), "{name} is listed twice");
                seen.push(name);
            }
        }
    }

    #[test]
    fn products_are_read_as_drivers_print_them() {
        for (name, target) in [
            ("NVIDIA H100 80GB HBM3", "cuda:90"),
            ("NVIDIA A100-SXM4-80GB", "cuda:80"),
            ("Tesla V100-SXM2-16GB", "cuda:70"),
            ("NVIDIA GeForce RTX 4090", "cuda:89"),
            ("NVIDIA GeForce RTX 4070 Ti SUPER", "cuda:89"),
            ("NVIDIA RTX PRO 6000", "cuda:120"),
            ("AMD Instinct MI300X", "hip:gfx942"),
            ("AMD Radeon RX 9070 XT", "hip:gfx1201"),
            ("rtx4090", "cuda:89"),
            ("MI355X", "hip:gfx950"),
        ] {
            assert_eq!(Target::parse(name).unwrap().name, target, "{name}");
        }
    }

    #[test]
    fn unknown_names_get_the_nearest_or_an_outline() {
        let check = |name: &str, end: &str| {
            let text = Target::parse(name).unwrap_err().to_string();
            assert_eq!(text, format!("unknown target `{name}`; {end}"));
            assert!(text.len() <= 200, "{text}");
        };
        let outline = "known targets are `cuda:70` to `cuda:121`, `hip:gfx90a` to `hip:gfx1251`, and products such as \
                       `h100`, `mi300x`";
        for name in ["", "cuda", "hip:gfx", "hip:sm_90", "é", "a", "tpu"] {
            check(name, outline);
        }
        check("cuda:9", "the nearest is `cuda:90`");
        check("cuda:90aa", "the nearest is `cuda:90`");
        check("sm_91", "the nearest is `sm_90`, which is `cuda:90`");
        check("gfx943", "the nearest is `gfx942`, which is `hip:gfx942`");
        check("rtx4091", "the nearest is `rtx4090`, which is `cuda:89`");
        let text = |name| Target::parse(name).unwrap_err().to_string();
        assert_eq!(
            text("P100"),
            "target `P100` is not supported: `sm_60` is too old; the oldest supported target is `cuda:70`"
        );
        assert_eq!(
            text("rx 6900 xt"),
            "target `rx 6900 xt` is not supported: `gfx1030` is too old; the oldest supported target is `hip:gfx1100`"
        );
    }
}
