//! `apollo solve`: one solve, told to people or to programs.

use super::Done;
use apollo_scip::measure::{self, Outcome, Task};
use std::path::PathBuf;

/// Solve a problem with SCIP and Apollo, and say what was found when
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  apollo solve problem.mps.gz --time 60
  apollo solve problem.lp --time 300 --settings scip_settings/apollo-primal.set
  apollo solve problem.mps --set rounds=2 --set k0=0.5,0.2 --set presolving/maxrounds=0 --json
  apollo solve problem.mps --plain --time 60       the same without Apollo

Ctrl-C ends the solve; the summary tells what was found until then.")]
pub struct Arguments {
    /// The problem: .mps, .lp, .cip, … also compressed (.gz)
    file: PathBuf,
    /// ONNX model file, the name of a shipped one, or `auto`
    #[arg(long, value_name = "FILE")]
    model: Option<String>,
    /// Who predicts: relaxation or onnx (default: onnx if a model is given)
    #[arg(long, value_name = "NAME")]
    predictor: Option<String>,
    /// What to do with a prediction: apollo, ps, nd, multi-stage, direct, ws-ps, ws-apollo
    #[arg(long, value_name = "NAME")]
    strategy: Option<String>,
    /// Time limit in seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Seed for SCIP and Apollo
    #[arg(long, value_name = "N")]
    seed: Option<i32>,
    /// Settings file of SCIP; may be given several times
    #[arg(long, value_name = "FILE")]
    settings: Vec<PathBuf>,
    /// Set a parameter of Apollo (rounds=3) or of SCIP (limits/nodes=100)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = super::assignment)]
    parameters: Vec<(String, String)>,
    /// Plain SCIP, without Apollo
    #[arg(long)]
    plain: bool,
    /// Show SCIP's own log
    #[arg(long, conflicts_with = "json")]
    log: bool,
    /// Print the outcome as JSON and nothing else
    #[arg(long)]
    json: bool,
}

/// Solves and tells.
pub fn run(arguments: &Arguments) -> Done {
    let mut parameters = arguments.parameters.clone();
    let mut set = |name: &str, value: String| parameters.push((name.to_string(), value));
    if let Some(time) = arguments.time {
        set("limits/time", time.to_string());
    }
    if let Some(seed) = arguments.seed {
        set("randomization/randomseedshift", seed.to_string());
    }
    if !arguments.plain {
        for (name, value) in [
            ("model", &arguments.model),
            ("predictor", &arguments.predictor),
            ("strategy", &arguments.strategy),
        ] {
            if let Some(value) = value {
                check_word(name, value)?;
                set(name, value.clone());
            }
        }
        if let Some(seed) = arguments.seed {
            set("seed", seed.to_string());
        }
    }
    let task = Task {
        file: arguments.file.clone(),
        apollo: !arguments.plain,
        settings: arguments.settings.clone(),
        parameters,
        log: arguments.log,
        ..Task::default()
    };
    let quiet = arguments.json || arguments.log;
    let outcome = measure::solve(&task, move |seconds, objective| {
        if !quiet {
            println!("{seconds:9.2} s  objective {objective}");
        }
    })?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&outcome).expect("plain numbers and texts"));
    } else {
        tell(&outcome);
    }
    Ok(true)
}

/// A word that the table does not have is told now, not in the middle of the solve.
fn check_word(name: &str, value: &str) -> apollo_scip::Result<()> {
    use apollo_scip::settings::{Domain, find};
    match find(name).map(|parameter| parameter.domain) {
        Some(Domain::Word(words)) if !words.contains(&value) => Err(apollo_scip::Error::Setting {
            name: name.to_string(),
            why: format!("'{value}' is not one of {}", words.join(", ")),
        }),
        _ => Ok(()),
    }
}

fn tell(outcome: &Outcome) {
    let number = |value: Option<f64>| value.map_or("none".to_string(), |value| value.to_string());
    println!();
    println!("status     {}", outcome.status);
    println!("objective  {}", number(outcome.objective));
    println!("bound      {}", number(outcome.bound));
    println!("time       {:.2} s, {} nodes", outcome.time, outcome.nodes);
    println!("primal integral {:.4} (mean gap to this run's best; 0 is perfect)", outcome.primal_integral);
    if let Some(predictor) = &outcome.predictor {
        println!("\nApollo with predictor {predictor}:");
        println!(
            "  round      predicted   fixed  radius  ending      reference     predict    copy  search (s)"
        );
        for round in &outcome.rounds {
            println!(
                "  {:<5} {:<8}{:>6}  {:>6}  {:>6}  {:<10} {:>14} {:>8.2} {:>7.2} {:>7.2}",
                round.round,
                if round.step == apollo_scip::search::Step::Round {
                    String::new()
                } else {
                    format!("{:?}", round.step).to_lowercase()
                },
                round.zeros + round.ones,
                round.fixed,
                round.radius.map_or("-".to_string(), |radius| radius.to_string()),
                format!("{:?}", round.ending).to_lowercase(),
                round.reference.map_or("-".to_string(), |objective| format!(
                    "{objective:.6}{}",
                    if round.improved { "*" } else { " " }
                )),
                round.predict_seconds,
                round.setup_seconds,
                round.search_seconds,
            );
        }
    }
    let versions = &outcome.versions;
    println!("\napollo {} ({}), SCIP {}", versions.apollo, versions.commit, versions.scip);
}
