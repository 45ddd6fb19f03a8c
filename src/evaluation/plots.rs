//! The plots of a group: how far probabilities can be believed, and how precise the surest values are.

use super::report::{Curve, Group, STAGES, Summary};
use crate::error::Result;
use crate::plot::lines::{Line, lines};
use crate::quality::COVERAGES;
use std::path::Path;

/// Writes `FAMILY-STAGE-reliability`, `…-zeros` and `…-ones` into the folder, each as .svg and .png.
pub fn draw(folder: &Path, group: &Group) -> Result<()> {
    let fit = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let family: String = group.family.chars().map(fit).collect();
    let stage = match STAGES.iter().position(|stage| *stage == group.stage) {
        Some(1) => "alpha0.3",
        Some(2) => "alpha0.5",
        Some(3) => "alpha0.7",
        _ => "whole",
    };
    // An ending is added to the name, which has a dot in it already.
    let path = |what: &str| folder.join(format!("{family}-{stage}-{what}.svg"));
    let title = |what: &str| format!("{what}: {}, {}", group.family, group.stage);
    let each = |points: &dyn Fn(&Summary) -> Vec<(f64, f64)>| -> Vec<Line> {
        let line = |one: &Summary| Line { name: one.predictor.clone(), points: points(one) };
        group.predictors.iter().map(line).filter(|line| !line.points.is_empty()).collect()
    };
    let share = |name| (name, 0.0..1.0);
    let reliability = each(&reliability);
    lines(
        &path("reliability"),
        &title("Reliability"),
        share("mean probability of the bin"),
        share("share of ones in the best solution"),
        true,
        &reliability,
    )?;
    for (what, side) in [("zeros", (|one| &one.zeros) as fn(&Summary) -> &Curve), ("ones", |one| &one.ones)] {
        let all = each(&|one| precision(side(one)));
        let points = all.iter().flat_map(|line| &line.points);
        // Close to 1 is where the differences are.
        let least = points.fold(1.0f64, |least, point| least.min(point.1));
        let bottom = (least - 0.1 * (1.0 - least).max(0.01)).max(0.0);
        let y = ("share that is right in the best solution", bottom..1.0);
        lines(&path(what), &title(&format!("The surest {what}")), share("coverage"), y, false, &all)?;
    }
    Ok(())
}

/// For each bin that is not empty its mean probability and its share of ones.
fn reliability(one: &Summary) -> Vec<(f64, f64)> {
    let filled = one.bins.iter().filter(|bin| bin.binaries > 0);
    filled
        .map(|bin| (bin.probability, bin.ones as f64, bin.binaries as f64))
        .map(|(p, ones, n)| (p / n, ones / n))
        .collect()
}

fn precision(curve: &Curve) -> Vec<(f64, f64)> {
    let at = |place: usize| curve.best[place].map(|mean| ((place + 1) as f64 / COVERAGES as f64, mean.mean));
    (0..COVERAGES).filter_map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::super::report::groups;
    use super::super::report::tests::{examined, record};
    use super::*;

    #[test]
    fn every_plot_has_its_name_and_its_lines() {
        let folder = std::env::temp_dir().join(format!("apollo-quality-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let records = [record(Some("a/b"), vec![examined(0.0, 0.1, 0.8), examined(0.3, 0.2, 0.6)])];
        for group in groups(&records, &["m".into(), "pool".into()]) {
            draw(&folder, &group).unwrap();
        }
        for stage in ["whole", "alpha0.3"] {
            for what in ["reliability", "zeros", "ones"] {
                let svg = folder.join(format!("a_b-{stage}-{what}.svg"));
                let text = std::fs::read_to_string(&svg).unwrap();
                assert!(text.contains("m\n") && !text.contains("pool\n"), "{text}");
                assert!(svg.with_extension("png").is_file());
            }
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
