//! Hovers of `ttg.convert_layout`, which show the plan and its cost.

use linear_layout::machine::check_plan;
use linear_layout::plan::{ConvertPlan, PlanOptions, Strategy, plan_conversion};
use linear_layout::target::Target;
use linear_layout::view::{Mention, Mentions, SPLIT_MARKER};
use linear_layout_mlir::ir::ops::OpKind;
use std::ops::Range;

/// log2 of the maximum number of slots or elements of a conversion whose plan a hover explains. The limit bounds
/// the latency of hovers.
const MOST_BITS: usize = 20;

/// Maximum number of lines of a plan that a hover shows.
const MAX_STEPS: usize = 24;

/// Finds the layout conversion at byte `offset`. Returns its range in the text, and a description of its plan.
/// Returns `None` if there is no layout conversion at this offset.
pub(crate) fn at(text: &str, offset: usize) -> Option<(Range<usize>, String)> {
    let name = OpKind::TtgConvertLayout.name();
    let from = offset.saturating_sub(name.len());
    let from = (from..=offset).find(|at| text.is_char_boundary(*at))?;
    let start = from
        + text
            .get(from..)?
            .find(name)
            .filter(|at| from + at <= offset)?;
    let end = start + name.len();
    let is_word = |c: char| c.is_alphanumeric() || "_.$".contains(c);
    if text[end..].starts_with(is_word) || text[..start].ends_with(is_word) {
        return None;
    }
    let mentions = Mentions::of(text);
    let holders = mentions.mentions().iter().filter_map(|mention| {
        let (span, _) = mention.holder.as_ref()?;
        (span.start >= end).then_some((mention, span))
    });
    // The innermost encoding comes first, with its tensor.
    let mut types: Vec<(&Mention, &Range<usize>)> = Vec::new();
    for (mention, span) in holders {
        if types.iter().all(|(_, known)| *known != span) {
            types.push((mention, span));
        }
        if types.len() == 2 {
            break;
        }
    }
    let [(src, from), (dst, to)] = types[..] else {
        return None;
    };
    // Only the operand and attributes precede the types.
    let arrow = text.get(from.end..to.start)?.trim();
    if arrow.trim_start_matches(')').trim() != "->" || text.get(end..from.start)?.contains("->") {
        return None;
    }
    let is_forced = text[end..from.start].contains("force_warp_shuffle");
    let markdown = describe(text, start, (src, dst), &text[from.clone()], is_forced);
    Some((start..end, markdown))
}

fn describe(
    text: &str,
    at: usize,
    (src, dst): (&Mention, &Mention),
    type_: &str,
    is_forced: bool,
) -> String {
    let (target, is_named) = target_of(text, at);
    let planned = element_bits(type_)
        .ok_or_else(|| format!("the element width of `{type_}` is unknown"))
        .and_then(|bits| plan((src, dst), bits, target, is_forced));
    let named = if is_named {
        ""
    } else {
        " (default, because the module has no known `ttg.target`)"
    };
    match planned {
        Err(reason) => format!("**Conversion on {target}{named}**: {reason}\n"),
        Ok(text) => format!("**Conversion on {target}{named}**: {text}"),
    }
}

fn plan(
    (src, dst): (&Mention, &Mention),
    bits: u32,
    target: &Target,
    is_forced: bool,
) -> Result<String, String> {
    let layout = |mention: &Mention| {
        let shape = mention.shape().unwrap_or_default();
        let layout = mention.encoding.to_linear_layout(shape);
        layout.map_err(|error| error.to_string())
    };
    let (src, dst) = (layout(src)?, layout(dst)?);
    let size = src.total_in_bits().max(dst.total_in_bits());
    if size > MOST_BITS {
        return Err(format!(
            "a layout of the conversion has 2^{size} slots; plans are shown for at most 2^{MOST_BITS} slots"
        ));
    }
    let mut options = PlanOptions::new();
    options.strategy = is_forced.then_some(Strategy::Shuffle);
    let plan = plan_conversion(&src, &dst, bits, target, &options).map_err(|e| e.to_string())?;
    let report = check_plan(plan.program(), &src, &dst, target).map_err(|e| e.to_string())?;
    let program = plan.program();
    let mut text = format!(
        "{}, {}\n\n- cost: {}\n- shared memory: {} bytes\n- bank conflicts: {}\n- barriers: {}\n",
        plan.kind(),
        match program.steps().len() {
            1 => "1 step".to_owned(),
            count => format!("{count} steps"),
        },
        program.cost(),
        program.scratch_bytes(),
        report.conflicts(),
        program.num_barriers(),
    );
    text += &steps(&plan);
    Ok(text)
}

/// Formats a plan as a Markdown code block with at most [`MAX_STEPS`] lines.
fn steps(plan: &ConvertPlan) -> String {
    let text = plan.to_string();
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = lines[..lines.len().min(MAX_STEPS)].join("\n");
    if lines.len() > MAX_STEPS {
        shown += &format!("\n... {} more lines", lines.len() - MAX_STEPS);
    }
    format!("```text\n{shown}\n```\n")
}

/// Returns the target of the module that contains the byte offset `at`.
///
/// Also returns true if the module names a known `ttg.target`, and false if a default target is assumed.
fn target_of(text: &str, at: usize) -> (&'static Target, bool) {
    let begin = text[..at].rfind(SPLIT_MARKER).unwrap_or(0);
    let module = &text[begin..at];
    let value = |key: &str| {
        let rest = &module[module.rfind(key)? + key.len()..];
        let rest = rest.trim_start_matches('"').trim_start();
        Some(rest.strip_prefix('=')?.trim_start())
    };
    let named = value("ttg.target")
        .and_then(|rest| rest.strip_prefix('"')?.split('"').next())
        .and_then(|name| Target::parse(name).ok());
    let lanes = value("ttg.threads-per-warp").map_or(32, |rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit());
        rest[..end.unwrap_or(rest.len())].parse().unwrap_or(32)
    });
    let target = named.unwrap_or_else(|| Target::default_for_lanes(lanes));
    (target, named.is_some())
}

/// Returns the number of bits per element of a tensor type. Pointers have 64 bits. Returns `None` if the type is
/// not a tensor of a known element type.
fn element_bits(type_: &str) -> Option<u32> {
    let inside = type_.strip_prefix("tensor<")?;
    let sizes = |c: char| c.is_ascii_digit() || c == 'x';
    let element = inside.trim_start_matches(sizes);
    if element.starts_with("!tt.ptr") {
        return Some(64);
    }
    let name = element.split([',', '>']).next()?.trim();
    let digits = name.trim_start_matches("bf").trim_start_matches(['f', 'i']);
    let end = digits.find(|c: char| !c.is_ascii_digit());
    let bits: u32 = digits[..end.unwrap_or(digits.len())].parse().ok()?;
    (bits.is_power_of_two() && bits <= 64).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::{at, element_bits};

    const MODULE: &str = r#"
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {
  tt.func @f(%x: tensor<512xf32, #a>) {
    %0 = ttg.convert_layout %x {note = "a"} : tensor<512xf32, #a> -> tensor<512xf32, #b>
    %1 = "ttg.convert_layout"(%0) : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
    tt.return
  }
}
"#;

    #[test]
    fn a_conversion_says_its_plan_and_cost() {
        let place = MODULE.find("ttg.convert").expect("is there");
        for inside in [0, 5, 18] {
            let (span, text) = at(MODULE, place + inside).expect("a conversion");
            assert_eq!(&MODULE[span], "ttg.convert_layout");
            for part in [
                "on cuda:80",
                "shared",
                "cost: ",
                "2048 bytes",
                "bank conflicts: 0",
            ] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
        let place = MODULE.rfind("ttg.convert").expect("is there");
        let (_, text) = at(MODULE, place).expect("a conversion");
        assert!(text.contains("rename, 0 steps"), "{text}");
        assert_eq!(
            at(MODULE, MODULE.find("tt.return").expect("is there")),
            None
        );
    }

    #[test]
    fn text_that_is_being_written_has_no_plan_yet() {
        for cut in 0..MODULE.len() {
            for offset in [0, cut / 2, cut.saturating_sub(1), cut] {
                let _ = at(&MODULE[..cut], offset);
            }
        }
    }

    #[test]
    fn elements_have_widths() {
        for (type_, bits) in [
            ("tensor<4xf32, #a>", Some(32)),
            ("tensor<4x8xbf16, #a>", Some(16)),
            ("tensor<4xi1, #a>", Some(1)),
            ("tensor<f8E4M3FN, #a>", Some(8)),
            ("tensor<4x!tt.ptr<f32>, #a>", Some(64)),
            ("tensor<4xindex, #a>", None),
            ("tensor<4xi7, #a>", None),
        ] {
            assert_eq!(element_bits(type_), bits, "{type_}");
        }
    }
}
