//! The figures of a report: the primal gap over time, and instance by instance against the baseline.
//! Each is drawn once, and comes out as SVG (also inside the HTML page) and as PNG.

use super::metrics::FamilyResult;
use super::report::Report;
use super::runs::Run;
use crate::data::npz::save;
use crate::error::{Error, Result};
use crate::measure::primal_gap;
use crate::plot::{self, COLOURS, FONT, words};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

/// Small, because two of them stand side by side in the page: the letters stay readable.
const SIZE: (u32, u32) = (680, 440);

/// A gap of this size and everything below it is drawn at the edge: a logarithm knows no zero.
const SMALLEST: f64 = 1e-5;

/// A picture.
pub struct Figure {
    /// Its file, without the ending.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Across: what, and from where to where.
    across: (String, Range<f64>),
    /// Upwards.
    upwards: (String, Range<f64>),
    /// Across is a gap, as upwards always is; else seconds.
    both_gaps: bool,
    /// Curves, or points.
    series: Vec<Series>,
}

/// The curve or the points of a strategy.
struct Series {
    name: String,
    /// Which of the colours.
    colour: usize,
    points: Vec<(f64, f64)>,
}

/// The logarithm of a gap, as it is drawn.
fn height(gap: f64) -> f64 {
    gap.clamp(SMALLEST, 10.0).log10()
}

/// The decades that hold these values.
fn decades(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return -2.0..0.0;
    }
    let (low, high) = (low.floor(), high.ceil());
    low..high.max(low + 1.0)
}

/// Both figures of each family.
pub fn all(report: &Report) -> Vec<Figure> {
    let families = report.analysis.families.iter().filter(|family| !family.instances.is_empty());
    families.flat_map(|family| [Some(curves(report, family)), scatter(family)]).flatten().collect()
}

/// The mean primal gap over time of each strategy.
fn curves(report: &Report, family: &FamilyResult) -> Figure {
    const STEPS: usize = 240;
    let limit = report.limit();
    let mut series: Vec<Series> = vec![];
    for (k, row) in family.rows.iter().enumerate() {
        let counts = |run: &&Run| {
            run.strategy == row.strategy && family.instances.iter().any(|one| one.name == run.instance)
        };
        let runs: Vec<&Run> = report.runs.iter().filter(counts).collect();
        let gap = |run: &&Run, at: f64| {
            let step = run.found.trajectory.iter().rev().find(|step| step.0 <= at).filter(|_| run.is_sound());
            step.map_or(1.0, |step| primal_gap(step.1, report.analysis.best[&run.instance].0))
        };
        let point = |i: usize| {
            let at = limit * i as f64 / STEPS as f64;
            let sum: f64 = runs.iter().map(|run| gap(run, at)).sum();
            (at, height(sum / runs.len().max(1) as f64))
        };
        let points = (0..=STEPS).map(point).collect();
        series.push(Series { name: row.strategy.clone(), colour: k, points });
    }
    let heights = series.iter().flat_map(|one| &one.points).map(|point| point.1);
    Figure {
        name: format!("curves-{}", family.family),
        title: format!("{}: mean primal gap over time", family.family),
        across: ("seconds".to_string(), 0.0..limit),
        upwards: ("primal gap".to_string(), decades(heights)),
        both_gaps: false,
        series,
    }
}

/// The relative gap of each instance with each strategy, against the baseline's.
fn scatter(family: &FamilyResult) -> Option<Figure> {
    let baseline = family.baseline?[0];
    let of = |k: usize, i: usize| height(family.instances[i].scores[k].gap_rel);
    let points = |k: usize| (0..family.instances.len()).map(|i| (of(baseline, i), of(k, i))).collect();
    let others = (0..family.rows.len()).filter(|&k| k != baseline);
    let series: Vec<Series> = others
        .map(|k| Series { name: family.rows[k].strategy.clone(), colour: k, points: points(k) })
        .collect();
    let points = || series.iter().flat_map(|one| &one.points);
    if points().all(|point| point.0.max(point.1) <= height(0.0)) {
        return None; // nobody has a gap
    }
    let range = decades(points().flat_map(|point| [point.0, point.1]));
    let name = &family.rows[baseline].strategy;
    Some(Figure {
        name: format!("scatter-{}", family.family),
        title: format!("{}: each instance (below the line: better)", family.family),
        across: (format!("gap of {name}"), range.clone()),
        upwards: ("gap of the strategy".to_string(), range),
        both_gaps: true,
        series,
    })
}

impl Figure {
    /// As text, to be put into a page.
    pub fn svg(&self) -> Result<String> {
        plot::register_font();
        let mut text = String::new();
        let failed = |why: String| Error::File { path: format!("{}.svg", self.name).into(), why };
        self.draw(SVGBackend::with_string(&mut text, SIZE).into_drawing_area()).map_err(failed)?;
        Ok(text)
    }

    /// As two files in a folder.
    pub fn write(&self, folder: &Path) -> Result<()> {
        save(&folder.join(format!("{}.svg", self.name)), self.svg()?.as_bytes())?;
        let png = folder.join(format!("{}.png", self.name));
        self.draw(BitMapBackend::new(&png, SIZE).into_drawing_area())
            .map_err(|why| Error::File { path: png.clone(), why })
    }

    fn draw<B: DrawingBackend>(&self, area: DrawingArea<B, Shift>) -> std::result::Result<(), String> {
        area.fill(&WHITE).map_err(words)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, (FONT, 19))
            .margin(12)
            .margin_right(28)
            .x_label_area_size(42)
            .y_label_area_size(84)
            .build_cartesian_2d(self.across.1.clone(), self.upwards.1.clone())
            .map_err(words)?;
        let gap = |value: &f64| {
            let text = format!("{:.4}", 100.0 * 10f64.powf(*value));
            format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
        };
        let across = |value: &f64| if self.both_gaps { gap(value) } else { value.to_string() };
        let labels = |range: &Range<f64>| (range.end - range.start) as usize + 1;
        chart
            .configure_mesh()
            .x_desc(&self.across.0)
            .y_desc(&self.upwards.0)
            .x_labels(if self.both_gaps { labels(&self.across.1) } else { 10 })
            .y_labels(labels(&self.upwards.1))
            .x_label_formatter(&across)
            .y_label_formatter(&gap)
            .label_style((FONT, 14))
            .axis_desc_style((FONT, 15))
            .light_line_style(TRANSPARENT)
            .draw()
            .map_err(words)?;
        if self.both_gaps {
            let ends = [self.across.1.start, self.across.1.end].map(|at| (at, at));
            let line = PathElement::new(ends, BLACK.mix(0.4).stroke_width(1));
            chart.draw_series([line]).map_err(words)?;
        }
        for Series { name, colour, points } in &self.series {
            let colour = COLOURS[colour % COLOURS.len()];
            let drawn = if self.both_gaps {
                let dot = |&point: &(f64, f64)| Circle::new(point, 5, colour.mix(0.8).filled());
                chart.draw_series(points.iter().map(dot)).map_err(words)?
            } else {
                let line = LineSeries::new(points.iter().copied(), colour.stroke_width(3));
                chart.draw_series(line).map_err(words)?
            };
            let mark = colour.stroke_width(4);
            drawn.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], mark));
        }
        let place =
            if self.both_gaps { SeriesLabelPosition::UpperLeft } else { SeriesLabelPosition::UpperRight };
        plot::legend(&mut chart, place)?;
        area.present().map_err(words)
    }
}
