//! Plots, as SVG and as PNG.

use crate::error::{Error, Result};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;
use std::sync::Once;

/// A curve: its name, and its steps (seconds, objective).
pub struct Curve<'a> {
    /// What it is called in the legend.
    pub name: &'a str,
    /// Every improvement.
    pub steps: &'a [(f64, f64)],
}

const SIZE: (u32, u32) = (960, 540);
const FONT: &str = "sans-serif";
const COLOURS: [RGBColor; 4] =
    [RGBColor(120, 120, 120), RGBColor(200, 60, 40), RGBColor(30, 110, 180), RGBColor(40, 140, 80)];

/// The best objective over time, as steps, one curve for each run: `path` with the endings .svg and .png.
pub fn primal_bounds(path: &Path, title: &str, until: f64, curves: &[Curve<'_>]) -> Result<()> {
    static FONTS: Once = Once::new();
    FONTS.call_once(|| {
        // Fails only for bytes that are no font.
        let _ = plotters::style::register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
    });
    let failed = |ending: &str, why: String| Error::File { path: path.with_extension(ending), why };
    let svg = path.with_extension("svg");
    draw(SVGBackend::new(&svg, SIZE).into_drawing_area(), title, until, curves)
        .map_err(|e| failed("svg", e))?;
    let png = path.with_extension("png");
    draw(BitMapBackend::new(&png, SIZE).into_drawing_area(), title, until, curves)
        .map_err(|e| failed("png", e))
}

fn draw<B: DrawingBackend>(
    area: DrawingArea<B, Shift>,
    title: &str,
    until: f64,
    curves: &[Curve<'_>],
) -> std::result::Result<(), String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    area.fill(&WHITE).map_err(|e| words(&e))?;
    let (low, high) = range(until, curves);
    let mut chart = ChartBuilder::on(&area)
        .caption(title, (FONT, 22))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(84)
        .build_cartesian_2d(0.0..until, low..high)
        .map_err(|e| words(&e))?;
    chart
        .configure_mesh()
        .x_desc("seconds")
        .y_desc("best objective")
        .label_style((FONT, 14))
        .axis_desc_style((FONT, 15))
        .light_line_style(WHITE)
        .draw()
        .map_err(|e| words(&e))?;
    for (curve, &colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        let style = colour.stroke_width(3);
        chart
            .draw_series(LineSeries::new(staircase(curve.steps, until), style))
            .map_err(|e| words(&e))?
            .label(curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.85))
        .border_style(RGBColor(200, 200, 200))
        .label_font((FONT, 15))
        .draw()
        .map_err(|e| words(&e))?;
    area.present().map_err(|e| words(&e))
}

/// The heights to show. The first solutions of a run may be so poor that they flatten everything else:
/// what was the best before a tenth of the time had passed does not stretch the picture.
fn range(until: f64, curves: &[Curve<'_>]) -> (f64, f64) {
    let shown = curves.iter().flat_map(|curve| {
        let early = curve.steps.iter().take_while(|step| step.0 < 0.1 * until).count();
        &curve.steps[early.saturating_sub(1)..]
    });
    let (low, high) = shown
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), step| (low.min(step.1), high.max(step.1)));
    if low > high {
        return (0.0, 1.0);
    }
    let margin = 0.08 * (high - low).max(1e-3 * low.abs()).max(1e-9);
    (low - margin, high + margin)
}

/// The corners of a step function that goes on until the end.
fn staircase(steps: &[(f64, f64)], until: f64) -> Vec<(f64, f64)> {
    let mut corners = vec![];
    for &(at, objective) in steps {
        if let Some(&(_, before)) = corners.last() {
            corners.push((at, before));
        }
        corners.push((at, objective));
    }
    if let Some(&(_, last)) = corners.last() {
        corners.push((until, last));
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_files_are_written_whatever_the_curves() {
        let folder = std::env::temp_dir().join(format!("apollo-plot-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, steps) in
            [("none", vec![]), ("one", vec![(1.0, 5.0)]), ("two", vec![(1.0, 5.0), (2.0, -3.0)])]
        {
            let path = folder.join(name);
            primal_bounds(&path, name, 3.0, &[Curve { name, steps: &steps }]).unwrap();
            assert!(std::fs::read_to_string(path.with_extension("svg")).unwrap().contains("best objective"));
            assert!(std::fs::read(path.with_extension("png")).unwrap().starts_with(b"\x89PNG"));
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_unwritable_place_is_named() {
        let error = primal_bounds(Path::new("/nonexistent/plot"), "", 1.0, &[]).unwrap_err().to_string();
        assert!(error.contains("/nonexistent/plot.svg"), "{error}");
    }
}
