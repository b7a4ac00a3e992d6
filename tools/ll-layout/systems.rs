//! Comparison of layouts of different systems: equality, or the first difference.

use crate::Failure;
use crate::any_layout::AnyLayout;
use linear_layout::bridge::Difference;
use linear_layout::cute::{ComposedLayout, Layout};
use linear_layout::view::shape_text;
use serde_json::{Value, json};

/// Maximum number of coordinates that are compared one by one.
const MOST: i64 = 1 << 24;

pub(crate) enum SystemDifference {
    Held(Difference, Numbers),
    /// The layouts have different numbers of coordinates. The fields are the numbers in A and in B.
    Sizes(i64, i64),
    At {
        coordinate: i64,
        a: i64,
        b: i64,
    },
}

/// Formats element numbers as coordinates of a tensor. A number is printed as it is if `shape` is `None`.
///
/// `is_first_fastest` is true if the numbers are column-major, and false if they are row-major.
pub(crate) struct Numbers {
    shape: Option<Vec<u64>>,
    is_first_fastest: bool,
}

impl Numbers {
    /// Returns the coordinates of an element number. If the shape is unknown, returns the number.
    fn text(&self, number: i64) -> String {
        let (Some(shape), Ok(mut rest)) = (&self.shape, u64::try_from(number)) else {
            return number.to_string();
        };
        let mut index = vec![String::new(); shape.len()];
        let mut dims: Vec<usize> = (0..shape.len()).collect();
        if !self.is_first_fastest {
            dims.reverse();
        }
        for dim in dims {
            index[dim] = (rest % shape[dim]).to_string();
            rest /= shape[dim];
        }
        format!("({})", index.join(", "))
    }
}

/// Compares two layouts of which at least one is given as a CuTe or Tilus layout.
///
/// The outer `None` means that the caller should convert both layouts to linear layouts and compare these. The
/// inner `None` means that the layouts are equal.
pub(crate) fn difference(
    layouts: &[AnyLayout; 2],
) -> Option<Result<Option<SystemDifference>, Failure>> {
    let [a, b] = layouts;
    match (a, b) {
        (AnyLayout::Shared(_), AnyLayout::Linear(_))
        | (AnyLayout::Linear(_), AnyLayout::Shared(_)) => None,
        (AnyLayout::Cute(_) | AnyLayout::Shared(_), AnyLayout::Cute(_) | AnyLayout::Shared(_)) => {
            let functions = a.cute().and_then(|a| Ok((a, b.cute()?)));
            Some(match functions {
                Ok((Some(a), Some(b))) => functions_differ(&a, &b),
                Ok(_) => return None,
                Err(failure) => Err(failure),
            })
        }
        _ => {
            let (Some(first), Some(second)) = (a.distributed(), b.distributed()) else {
                let (slots, offsets) = if b.distributed().is_none() {
                    ("A", "B")
                } else {
                    ("B", "A")
                };
                return Some(Err(Failure::new(format!(
                    "{slots} maps slots to elements, but {offsets} maps coordinates to offsets in memory"
                ))
                .note(
                    "give two register layouts, or two layouts of CuTe or Tilus for memory",
                )));
            };
            let numbers = Numbers {
                shape: a.shape().or_else(|| b.shape()),
                is_first_fastest: matches!(a, AnyLayout::Cute(_))
                    || matches!(b, AnyLayout::Cute(_)),
            };
            let found = first.difference(&second).map_err(Failure::new);
            Some(found.map(|found| found.map(|found| SystemDifference::Held(found, numbers))))
        }
    }
}

fn functions_differ(
    a: &ComposedLayout,
    b: &ComposedLayout,
) -> Result<Option<SystemDifference>, Failure> {
    let (size, other) = (a.layout.size(), b.layout.size());
    if size != other {
        return Ok(Some(SystemDifference::Sizes(size, other)));
    }
    let found = if (a.swizzle, a.offset) == (b.swizzle, b.offset) {
        // A swizzle maps different indices to different indices.
        first_coordinate(&a.layout, &b.layout)
    } else if size > MOST {
        return Err(Failure::new(format!(
            "A and B have {size} coordinates and different swizzles or offsets; such layouts are compared for at \
             most {MOST} coordinates"
        )));
    } else {
        (0..size).find(|c| a.at(*c).ok() != b.at(*c).ok())
    };
    let Some(coordinate) = found else {
        return Ok(None);
    };
    let (x, y) = (a.at(coordinate), b.at(coordinate));
    let (a, b) = (x.map_err(Failure::new)?, y.map_err(Failure::new)?);
    Ok(Some(SystemDifference::At { coordinate, a, b }))
}

/// Returns the first coordinate at which two layouts with the same size differ. Returns `None` if they are equal.
///
/// The layouts are coalesced first, so that no two adjacent modes can be merged. The first pair of different modes
/// then determines the first difference. This difference is at the index 1 of these modes, or at the end of the
/// shorter mode.
fn first_coordinate(a: &Layout, b: &Layout) -> Option<i64> {
    let (a, b) = (a.coalesce(), b.coalesce());
    let mut before = 1;
    for (x, y) in a.leaves().iter().zip(b.leaves()) {
        if x != y {
            let ends = [before, before * x.shape.min(y.shape)];
            return ends.into_iter().find(|c| a.at(*c).ok() != b.at(*c).ok());
        }
        before *= x.shape;
    }
    None
}

/// Formats the difference between two layouts. Also returns true if there is no difference.
pub(crate) fn report(found: Option<SystemDifference>, as_json: bool) -> (String, bool) {
    let Some(found) = found else {
        let text = if as_json {
            json!({"equal": true}).to_string()
        } else {
            "equal: both put the same elements in the same places".to_owned()
        };
        return (text, true);
    };
    let (text, json) = match found {
        SystemDifference::Sizes(a, b) => (
            format!("A has {a} coordinates and B has {b}"),
            json!({"sizes": [a, b]}),
        ),
        SystemDifference::At { coordinate, a, b } => (
            format!("first at coordinate {coordinate}, which maps to index {a} in A and {b} in B"),
            json!({"coordinate": coordinate, "a": a, "b": b}),
        ),
        SystemDifference::Held(Difference::Shapes { first, second }, _) => (
            format!(
                "the tensor of A has shape {}, the tensor of B has shape {}",
                shape_text(&first),
                shape_text(&second)
            ),
            json!({"shapes": [first, second]}),
        ),
        SystemDifference::Held(Difference::Sizes { first, second }, _) => (
            format!(
                "A has {} threads with {} registers each, B has {} threads with {} registers each",
                first.0, first.1, second.0, second.1
            ),
            json!({"threads": [first.0, second.0], "registers": [first.1, second.1]}),
        ),
        SystemDifference::Held(
            Difference::At {
                thread,
                value,
                first,
                second,
            },
            numbers,
        ) => (
            format!(
                "first in thread {thread}, where register {value} holds element {} in A and {} in B",
                numbers.text(first),
                numbers.text(second)
            ),
            json!({"thread": thread, "register": value, "a": first, "b": second}),
        ),
        SystemDifference::Held(other, _) => {
            (other.to_string(), json!({"difference": other.to_string()}))
        }
    };
    if as_json {
        let mut object = json!({"equal": false});
        if let (Value::Object(object), Value::Object(more)) = (&mut object, json) {
            object.extend(more);
        }
        (object.to_string(), false)
    } else {
        (format!("different: {text}"), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layouts() -> Vec<Layout> {
        let mut all = Vec::new();
        for shape in [1, 2, 3, 4, 6, 12] {
            for first in 0..7 {
                for second in 0..7 {
                    let text = format!("({shape},{}):({first},{second})", 12 / shape);
                    all.push(text.parse().expect("the text of a layout"));
                }
            }
        }
        all
    }

    #[test]
    fn the_first_difference_is_found_by_modes() {
        let all = layouts();
        for a in &all {
            for b in &all {
                let expected = (0..12).find(|c| a.at(*c).ok() != b.at(*c).ok());
                assert_eq!(first_coordinate(a, b), expected, "{a} {b}");
            }
        }
    }
}
