//! Lines through points: any number over any other.

use super::{axes, legend, register_font, words};
use crate::error::{Error, Result};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

/// A line through points.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is called in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// What is on an axis, and from where to where.
pub type Axis<'a> = (&'a str, Range<f64>);

const SIZE: (u32, u32) = (720, 540);

const COLOURS: [RGBColor; 7] = [
    RGBColor(200, 60, 40),
    RGBColor(30, 110, 180),
    RGBColor(40, 140, 80),
    RGBColor(230, 150, 30),
    RGBColor(130, 70, 160),
    RGBColor(120, 120, 120),
    RGBColor(90, 60, 40),
];

/// Lines with a dot at each point; the diagonal, if wanted, is where both axes are equal. `path` with the
/// endings .svg and .png.
pub fn lines(path: &Path, title: &str, x: Axis<'_>, y: Axis<'_>, diagonal: bool, all: &[Line]) -> Result<()> {
    register_font();
    let failed = |ending: &str, why: String| Error::File { path: path.with_extension(ending), why };
    let svg = path.with_extension("svg");
    let axes = || (x.clone(), y.clone());
    draw(SVGBackend::new(&svg, SIZE).into_drawing_area(), title, axes(), diagonal, all)
        .map_err(|e| failed("svg", e))?;
    let png = path.with_extension("png");
    draw(BitMapBackend::new(&png, SIZE).into_drawing_area(), title, axes(), diagonal, all)
        .map_err(|e| failed("png", e))
}

fn draw<B: DrawingBackend>(
    area: DrawingArea<B, Shift>,
    title: &str,
    (x, y): (Axis<'_>, Axis<'_>),
    diagonal: bool,
    all: &[Line],
) -> std::result::Result<(), String> {
    let ends = [(x.1.start, x.1.start), (x.1.end, x.1.end)];
    let mut chart = axes(&area, title, x, y)?;
    if diagonal {
        let grey = RGBColor(190, 190, 190).stroke_width(1);
        chart.draw_series(LineSeries::new(ends, grey)).map_err(words)?;
    }
    for (line, &colour) in all.iter().zip(COLOURS.iter().cycle()) {
        let style = colour.stroke_width(2);
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), style))
            .map_err(words)?
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
        let dot = |&point: &(f64, f64)| Circle::new(point, 3, colour.filled());
        chart.draw_series(line.points.iter().map(dot)).map_err(words)?;
    }
    if !all.is_empty() {
        legend(&mut chart, SeriesLabelPosition::LowerRight)?;
    }
    area.present().map_err(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_files_are_written_whatever_the_lines() {
        let folder = std::env::temp_dir().join(format!("apollo-lines-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, points) in
            [("none", vec![]), ("one", vec![(0.5, 0.5)]), ("two", vec![(0.1, 0.5), (0.9, 0.2)])]
        {
            let path = folder.join(name);
            let line = Line { name: name.into(), points };
            lines(&path, name, ("across", 0.0..1.0), ("upwards", 0.0..1.0), true, &[line]).unwrap();
            let svg = std::fs::read_to_string(path.with_extension("svg")).unwrap();
            assert!(svg.contains("across") && svg.contains("upwards"));
            assert!(std::fs::read(path.with_extension("png")).unwrap().starts_with(b"\x89PNG"));
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
