//! Colours of fills and lines, for a light and a dark background.

use super::Paint;

/// Number of tints: eight hues with four shades each.
pub(crate) const NUM_TINTS: u32 = 32;

/// The background of a picture, light or dark, which determines the colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark text on a light background.
    Light,
    /// Light text on a dark background.
    Dark,
}

/// Hues of the tints, in degrees. Neighbours in this list are distinguishable even with red-green colour blindness.
pub(super) const HUES: [u32; 8] = [210, 35, 130, 325, 55, 180, 265, 5];

/// Saturation and lightness, in percent, of the four shades of a hue on a light background.
const LIGHT: [(u32, u32); 4] = [(85, 91), (80, 84), (72, 77), (62, 70)];
const DARK: [(u32, u32); 4] = [(45, 15), (45, 20), (45, 25), (45, 30)];

impl Theme {
    /// Returns the colour of a fill as `[red, green, blue]`. The colour of `Blank` is the background colour.
    #[must_use]
    pub fn rgb(self, paint: Paint) -> [u8; 3] {
        match (paint, self) {
            (Paint::Blank, Self::Light) => [255, 255, 255],
            (Paint::Blank, Self::Dark) => [22, 24, 29],
            (Paint::Gap, Self::Light) => [226, 228, 232],
            (Paint::Gap, Self::Dark) => [44, 47, 54],
            (Paint::Warning, Self::Light) => [255, 184, 176],
            (Paint::Warning, Self::Dark) => [122, 38, 34],
            (Paint::Difference, Self::Light) => [255, 231, 184],
            (Paint::Difference, Self::Dark) => [74, 56, 20],
            (Paint::Tint(tint), _) => {
                let tint = (tint % NUM_TINTS) as usize;
                let shades = match self {
                    Self::Light => LIGHT,
                    Self::Dark => DARK,
                };
                let (saturation, lightness) = shades[tint % 4];
                rgb_of_hsl(HUES[tint / 4], saturation, lightness)
            }
        }
    }

    /// Returns the colour of text as `[red, green, blue]`. The text is readable on every fill.
    #[must_use]
    pub const fn ink(self) -> [u8; 3] {
        match self {
            Self::Light => [26, 29, 36],
            Self::Dark => [230, 232, 237],
        }
    }

    /// Returns the arrow colour with the index `i` as `[red, green, blue]`.
    pub(super) fn arrow(self, i: usize) -> [u8; 3] {
        let hue = HUES[i % HUES.len()];
        match self {
            Self::Light => rgb_of_hsl(hue, 75, 36),
            Self::Dark => rgb_of_hsl(hue, 70, 70),
        }
    }
}

/// Converts a colour from HSL to `[red, green, blue]`. The hue is in degrees, and the saturation and the lightness
/// are in percent.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "channels are rounded to 0..=255"
)]
fn rgb_of_hsl(hue: u32, saturation: u32, lightness: u32) -> [u8; 3] {
    let (s, l) = (f64::from(saturation) / 100.0, f64::from(lightness) / 100.0);
    let channel = |n: u32| {
        let k = f64::from((n * 30 + hue) % 360) / 30.0;
        let wave = (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        ((l - s * l.min(1.0 - l) * wave) * 255.0).round() as u8
    };
    [channel(0), channel(8), channel(4)]
}

/// Formats a colour as `#rrggbb`.
pub(super) fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Returns the index of a fill in the iteration order of [`all`].
pub(super) const fn number(paint: Paint) -> u32 {
    match paint {
        Paint::Tint(tint) => tint % NUM_TINTS,
        Paint::Blank => NUM_TINTS,
        Paint::Gap => NUM_TINTS + 1,
        Paint::Warning => NUM_TINTS + 2,
        Paint::Difference => NUM_TINTS + 3,
    }
}

/// Returns all fills: first the tints, and then the other fills.
pub(super) fn all() -> impl Iterator<Item = Paint> {
    let others = [Paint::Blank, Paint::Gap, Paint::Warning, Paint::Difference];
    (0..NUM_TINTS).map(Paint::Tint).chain(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance as defined in the Web Content Accessibility Guidelines.
    fn luminance(rgb: [u8; 3]) -> f64 {
        let [r, g, b] = rgb.map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    #[test]
    fn text_is_readable_on_every_paint() {
        for theme in [Theme::Light, Theme::Dark] {
            for paint in all() {
                let [a, b] = [theme.rgb(paint), theme.ink()].map(luminance);
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast >= 4.5, "{theme:?} {paint:?}: {contrast:.1}");
            }
        }
    }

    #[test]
    fn paints_have_numbers_of_their_own_and_all_tints_differ() {
        let numbers: Vec<u32> = all().map(number).collect();
        assert_eq!(numbers, (0..NUM_TINTS + 4).collect::<Vec<_>>());
        for theme in [Theme::Light, Theme::Dark] {
            let mut seen: Vec<_> = all().map(|p| theme.rgb(p)).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), numbers.len());
        }
        let mut hues: Vec<u32> = (0..32).map(|i| number(Paint::hue(i))).collect();
        assert_eq!(&hues[..3], [0, 4, 8]);
        hues.sort_unstable();
        hues.dedup();
        assert_eq!(hues.len(), 32);
    }
}
