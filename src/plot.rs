//! Plots, as SVG and as PNG.

pub mod lines;

use crate::error::{Error, Result};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;
use std::sync::Once;

/// A curve: its name, and its steps (seconds, objective), or (epoch, loss).
pub struct Curve<'a> {
    /// What it is called in the legend.
    pub name: &'a str,
    /// Every improvement.
    pub steps: &'a [(f64, f64)],
}

const SIZE: (u32, u32) = (960, 540);
pub(crate) const FONT: &str = "sans-serif";
/// One a curve; readable on white and on black.
pub(crate) const COLOURS: [RGBColor; 8] = [
    RGBColor(125, 125, 125),
    RGBColor(214, 69, 45),
    RGBColor(45, 125, 200),
    RGBColor(45, 155, 90),
    RGBColor(225, 150, 20),
    RGBColor(150, 90, 190),
    RGBColor(20, 160, 165),
    RGBColor(160, 110, 80),
];

/// A group of vertical lines.
pub struct Bars {
    /// What it is called in the legend.
    pub name: String,
    /// For each line where its dot is, and where it ends.
    pub heights: Vec<(f64, f64)>,
}

/// The best objective over time, as steps, one curve for each run: `path` with the endings .svg and .png.
pub fn primal_bounds(path: &Path, title: &str, until: f64, curves: &[Curve<'_>]) -> Result<()> {
    register_font();
    let failed = |ending: &str, why: String| Error::File { path: path.with_extension(ending), why };
    let svg = path.with_extension("svg");
    draw_curves(SVGBackend::new(&svg, SIZE).into_drawing_area(), title, until, curves)
        .map_err(|e| failed("svg", e))?;
    let png = path.with_extension("png");
    draw_curves(BitMapBackend::new(&png, SIZE).into_drawing_area(), title, until, curves)
        .map_err(|e| failed("png", e))
}

/// Losses over the epochs of training, one line for each: `path` with the endings .svg and .png.
pub fn learning_curves(path: &Path, title: &str, curves: &[Curve<'_>]) -> Result<()> {
    register_font();
    let failed = |ending: &str, why: String| Error::File { path: path.with_extension(ending), why };
    let svg = path.with_extension("svg");
    draw_learning(SVGBackend::new(&svg, SIZE).into_drawing_area(), title, curves)
        .map_err(|e| failed("svg", e))?;
    let png = path.with_extension("png");
    draw_learning(BitMapBackend::new(&png, SIZE).into_drawing_area(), title, curves)
        .map_err(|e| failed("png", e))
}

/// How far the solutions of each pool are from its best: one line for each pool, from 0 to its worst
/// solution in percent, with a dot at the middle one. `path` with the endings .svg and .png.
pub fn spreads(path: &Path, title: &str, groups: &[Bars]) -> Result<()> {
    register_font();
    let failed = |ending: &str, why: String| Error::File { path: path.with_extension(ending), why };
    let svg = path.with_extension("svg");
    draw_spreads(SVGBackend::new(&svg, SIZE).into_drawing_area(), title, groups)
        .map_err(|e| failed("svg", e))?;
    let png = path.with_extension("png");
    draw_spreads(BitMapBackend::new(&png, SIZE).into_drawing_area(), title, groups)
        .map_err(|e| failed("png", e))
}

/// The letters are the crate's own: what a machine has for fonts leaves no trace.
pub(crate) fn register_font() {
    static FONTS: Once = Once::new();
    FONTS.call_once(|| {
        // Fails only for bytes that are no font.
        let _ = plotters::style::register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
    });
}

pub(crate) type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

pub(crate) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A white sheet with a caption and two axes: what all plots share.
fn axes<'a, B: DrawingBackend>(
    area: &'a DrawingArea<B, Shift>,
    title: &str,
    (across, x): (&str, Range<f64>),
    (upwards, y): (&str, Range<f64>),
) -> std::result::Result<Chart<'a, B>, String> {
    area.fill(&WHITE).map_err(words)?;
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 22))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(84)
        .build_cartesian_2d(x, y)
        .map_err(words)?;
    chart
        .configure_mesh()
        .x_desc(across)
        .y_desc(upwards)
        .label_style((FONT, 14))
        .axis_desc_style((FONT, 15))
        .light_line_style(WHITE)
        .draw()
        .map_err(words)?;
    Ok(chart)
}

/// The names of what was drawn.
pub(crate) fn legend<'a, B: DrawingBackend + 'a>(
    chart: &mut Chart<'a, B>,
    position: SeriesLabelPosition,
) -> std::result::Result<(), String> {
    chart
        .configure_series_labels()
        .position(position)
        .background_style(WHITE.mix(0.85))
        .border_style(RGBColor(200, 200, 200))
        .label_font((FONT, 15))
        .draw()
        .map_err(words)
}

fn draw_curves<B: DrawingBackend>(
    area: DrawingArea<B, Shift>,
    title: &str,
    until: f64,
    curves: &[Curve<'_>],
) -> std::result::Result<(), String> {
    let (low, high) = range(until, curves);
    let mut chart = axes(&area, title, ("seconds", 0.0..until), ("best objective", low..high))?;
    for (curve, &colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        let style = colour.stroke_width(3);
        chart
            .draw_series(LineSeries::new(staircase(curve.steps, until), style))
            .map_err(words)?
            .label(curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
    }
    legend(&mut chart, SeriesLabelPosition::UpperRight)?;
    area.present().map_err(words)
}

fn draw_learning<B: DrawingBackend>(
    area: DrawingArea<B, Shift>,
    title: &str,
    curves: &[Curve<'_>],
) -> std::result::Result<(), String> {
    let until = curves.iter().flat_map(|curve| curve.steps).fold(2.0, |a: f64, step| a.max(step.0));
    let (low, high) = range(until, curves);
    let mut chart = axes(&area, title, ("epoch", 1.0..until), ("loss", low..high))?;
    for (curve, &colour) in curves.iter().zip(COLOURS.iter().cycle().skip(1)) {
        let style = colour.stroke_width(3);
        chart
            .draw_series(LineSeries::new(curve.steps.iter().copied(), style))
            .map_err(words)?
            .label(curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
    }
    legend(&mut chart, SeriesLabelPosition::UpperRight)?;
    area.present().map_err(words)
}

fn draw_spreads<B: DrawingBackend>(
    area: DrawingArea<B, Shift>,
    title: &str,
    groups: &[Bars],
) -> std::result::Result<(), String> {
    let lines: usize = groups.iter().map(|group| group.heights.len()).sum();
    let highest = groups.iter().flat_map(|group| &group.heights).fold(0.0, |a: f64, line| a.max(line.1));
    let top = if highest > 0.0 { 1.08 * highest } else { 1.0 };
    let x = ("instance, by its spread", 0.0..lines.max(1) as f64);
    let mut chart = axes(&area, title, x, ("worse than the best of its pool, in %", 0.0..top))?;
    let mut first = 0;
    for (group, &colour) in groups.iter().zip(COLOURS.iter().cycle().skip(1)) {
        let at = |k: usize| (first + k) as f64 + 0.5;
        let style = colour.stroke_width(2);
        let upright =
            |(k, &(_, worst)): (usize, &(f64, f64))| PathElement::new([(at(k), 0.0), (at(k), worst)], style);
        chart
            .draw_series(group.heights.iter().enumerate().map(upright))
            .map_err(words)?
            .label(&group.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
        let dot = |(k, &(middle, _)): (usize, &(f64, f64))| Circle::new((at(k), middle), 3, colour.filled());
        chart.draw_series(group.heights.iter().enumerate().map(dot)).map_err(words)?;
        first += group.heights.len();
    }
    legend(&mut chart, SeriesLabelPosition::UpperLeft)?;
    area.present().map_err(words)
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
    fn spreads_are_drawn_however_few_or_flat() {
        let folder = std::env::temp_dir().join(format!("apollo-spreads-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, heights) in
            [("none", vec![]), ("flat", vec![(0.0, 0.0)]), ("some", vec![(0.5, 1.0), (2.0, 9.0)])]
        {
            let path = folder.join(name);
            spreads(&path, name, &[Bars { name: name.into(), heights }]).unwrap();
            assert!(std::fs::read_to_string(path.with_extension("svg")).unwrap().contains("worse than"));
            assert!(std::fs::read(path.with_extension("png")).unwrap().starts_with(b"\x89PNG"));
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn learning_is_drawn_after_any_number_of_epochs() {
        let folder = std::env::temp_dir().join(format!("apollo-learning-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, steps) in
            [("none", vec![]), ("one", vec![(1.0, 5.0)]), ("two", vec![(1.0, 5.0), (2.0, 3.0)])]
        {
            let path = folder.join(name);
            learning_curves(&path, name, &[Curve { name: "validation", steps: &steps }]).unwrap();
            assert!(std::fs::read_to_string(path.with_extension("svg")).unwrap().contains("epoch"));
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
