//! `apollo train`: it learns from fresh data, its model file is one, a run that was stopped ends with
//! the same bytes as one that was not, and what it cannot use is refused in a sentence.

use crate::support::{Folder, apollo, run};
use apollo_scip::data::file::{Instance, Meta};
use apollo_scip::data::pool::{Pool, TEMPERATURE, Teacher};
use apollo_scip::fingerprint::Fingerprint;
use apollo_scip::instances;
use apollo_scip::network::Config;
use apollo_scip::onnx::file::Model;
use apollo_scip::problem::{Fixings, Kind, Problem};
use apollo_scip::train::{self, Event, Loss, Options, Order, Outcome};
use prost::Message;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A set-covering problem, and solutions that are right: a column is taken if it is the cheapest of one
/// of its rows; in the worse ones some more columns are taken.
fn instance(seed: u64, augmented: bool) -> Instance {
    let options = [("rows", "30"), ("columns", "50"), ("density", "0.1")];
    let named = instances::generate("sc", &options, seed, 0).unwrap();
    let problem = named.problem;
    let mut values = vec![0.0; problem.columns()];
    for i in 0..problem.rows.len() {
        let cost = |j: &usize| problem.objective[*j];
        let cheapest = problem.rows.terms(i).map(|(j, _)| j).min_by(|a, b| cost(a).total_cmp(&cost(b)));
        values[cheapest.unwrap()] = 1.0;
    }
    let fill = |problem: &Problem, values: &[f64]| {
        let mut pool = Pool::new(problem, 9);
        for extra in 0..4 {
            let mut values = values.to_vec();
            let last = values.len() - 1;
            values[last - extra] = 1.0;
            let objective = values.iter().zip(&problem.objective).map(|(x, c)| x * c).sum::<f64>();
            pool.insert(&values, objective + problem.offset, 0.0, Teacher::Scip);
        }
        pool
    };
    let fixings: Fixings = (0..20).map(|j| (j, values[j])).collect();
    let reduced = problem.reduce(&fixings);
    let rest: Vec<f64> = reduced.origin.iter().map(|&j| values[j]).collect();
    let sample = apollo_scip::data::file::Sample { fixings, pool: fill(&reduced.problem, &rest) };
    let mut meta = Meta::new(&named.name, &problem);
    meta.family = Some("sc".into());
    let pool = fill(&problem, &values);
    Instance {
        meta,
        problem: Some(problem),
        pool,
        augmented: augmented.then_some(sample).into_iter().collect(),
    }
}

fn write(instance: &Instance, folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    instance.write(&folder.join(instance.meta.file_name())).unwrap();
}

/// A folder of such instances.
fn data(folder: &Folder, name: &str, seeds: std::ops::Range<u64>) -> PathBuf {
    let out = folder.path(name);
    seeds.for_each(|seed| write(&instance(seed, true), &out));
    out
}

/// A short training.
pub fn order(data: &Path, out: PathBuf) -> Order {
    Order {
        options: Options {
            loss: Loss::Ps,
            config: Config { width: 8, convolutions: 2, ..Config::default() },
            rate: 5e-3,
            patience: 100,
            seed: 3,
            batch: 2,
            augmented: true,
            samples: 0,
            coverage: 0.5,
            temperature: TEMPERATURE,
        },
        data: vec![data.into()],
        valid: None,
        out,
        family: None,
        bits: None,
        epochs: 5,
        seconds: f64::INFINITY,
        threads: 2,
        keep: false,
        command: "test".into(),
    }
}

fn trained(order: &Order) -> train::report::Summary {
    match train::run(order, &AtomicBool::new(false), |_| {}).unwrap() {
        Outcome::Done(summary) => *summary,
        Outcome::Stopped => panic!("nobody stopped it"),
    }
}

fn command(data: &Path, out: &Path, options: &[&str]) -> Command {
    let mut command = apollo();
    command.arg("train").arg(data).arg("--out").arg(out).args(["--width", "16"]).args(options);
    command
}

#[test]
fn from_fresh_instances_to_a_model_that_predicts() {
    let folder = Folder::new("train-fresh");
    let (problems, data, out) = (folder.path("instances"), folder.path("data"), folder.path("sc.onnx"));
    let sizes = ["--set", "rows=40", "--set", "columns=60", "--set", "density=0.1"];
    let (made, said) = run(apollo()
        .args(["generate", "sc", "--count", "6", "--seed", "5", "--out"])
        .arg(&problems)
        .args(sizes));
    assert!(made, "{said}");
    let collect = ["--time", "0.3", "--augment", "1", "--augment-time", "0.1"];
    let (made, said) = run(apollo().arg("collect").arg(&problems).arg("--out").arg(&data).args(collect));
    assert!(made, "{said}");
    let (made, said) =
        run(&mut command(&data, &out, &["--epochs", "30", "--patience", "30", "--rate", "0.003", "--json"]));
    assert!(made, "{said}");
    let summary: serde_json::Value =
        serde_json::from_str(&said[said.find('{').unwrap()..=said.rfind('}').unwrap()]).unwrap();
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let epochs = summary["epochs"].as_array().unwrap();
    // With five instances the validation loss may say nothing; what is learned by heart does.
    let [first, last] = [0, epochs.len() - 1].map(|k| number(&epochs[k]["train"]));
    assert!(last < 0.9 * first, "{last} after {first}");
    let least = epochs.iter().map(|epoch| number(&epoch["valid"])).fold(f64::INFINITY, f64::min);
    assert_eq!(number(&summary["best"]["valid"]), least);
    assert_eq!(summary["instances"], serde_json::json!([5, 1]));
    for ending in ["md", "svg", "png"] {
        assert!(out.with_extension(ending).is_file(), "{ending}");
    }
    assert!(!folder.path("sc.onnx.checkpoint").exists());
    let card = fs::read_to_string(out.with_extension("md")).unwrap();
    assert!(card.contains("| family | sc |") && card.contains("k0 = "), "{card}");

    // The file says what it was trained on, and it is used.
    let model = Model::decode(&fs::read(&out).unwrap()[..]).unwrap();
    let entry =
        |key: &str| model.metadata.iter().find(|entry| entry.key == key).map(|entry| entry.value.as_str());
    assert_eq!((entry("family"), entry("loss")), (Some("sc"), Some("ps")));
    assert_eq!(entry("data_hash"), summary["data_hash"].as_str());
    let fingerprint: Fingerprint = serde_json::from_str(entry("fingerprint").unwrap()).unwrap();
    let options = [("rows", "40"), ("columns", "60"), ("density", "0.1")];
    let another = instances::generate("sc", &options, 99, 0).unwrap().problem;
    assert_eq!(fingerprint.problems, 5);
    assert!(
        fingerprint.fits(&Fingerprint::of(&another)),
        "{:?}",
        fingerprint.misfit(&Fingerprint::of(&another))
    );
    // 1,000 surest zeros of the paper's schedule are more than there are: shares it is.
    assert!(entry("schedule").unwrap().contains(r#""k0":"0."#), "{:?}", entry("schedule"));
    let problem = fs::read_dir(&problems).unwrap().next().unwrap().unwrap().path();
    let (succeeded, said) = run(apollo().arg("predict").arg(problem).arg("--model").arg(&out));
    assert!(succeeded && said.contains("60 binaries"), "{said}");
}

#[test]
fn bits_are_for_data_with_general_integers() {
    let folder = Folder::new("train-bits");
    let mut order = order(&data(&folder, "data", 0..3), folder.path("m.onnx"));
    let failed = |order: &Order| match train::run(order, &AtomicBool::new(false), |_| {}) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it is refused"),
    };
    order.bits = Some(4);
    assert!(failed(&order).contains("no general integer"), "{}", failed(&order));
    order.bits = Some(17);
    assert!(failed(&order).contains("17 is more than 16"), "{}", failed(&order));
}

#[test]
fn neither_a_stop_nor_the_threads_change_a_bit() {
    let folder = Folder::new("train-resume");
    let data = data(&folder, "data", 0..6);
    for loss in [Loss::Ps, Loss::ConPs, Loss::Nd] {
        let name = |what: &str| folder.path(&format!("{what}-{}.onnx", loss.name()));
        let mut whole = order(&data, name("whole"));
        whole.options.loss = loss;
        whole.options.config.selection = loss == Loss::Nd;
        let summary = trained(&whole);
        let (first, last) = (&summary.epochs[0], &summary.epochs[4]);
        assert!(last.train < first.train, "{loss:?}: {} after {}", last.train, first.train);
        let expected = fs::read(&whole.out).unwrap();

        let alone = Order { out: name("alone"), threads: 1, ..whole.clone() };
        trained(&alone);
        assert!(fs::read(&alone.out).unwrap() == expected, "{loss:?}: one thread");

        // Stopped in the middle of the second epoch, and again while the fourth is under way.
        let stopped = Order { out: name("stopped"), ..whole.clone() };
        for (epoch, at_least) in [(2, 3), (4, 1)] {
            let stop = AtomicBool::new(false);
            let outcome = train::run(&stopped, &stop, |event| {
                if matches!(event, Event::Step(now, seen, ..) if now == epoch && seen >= at_least) {
                    stop.store(true, Ordering::SeqCst);
                }
            });
            assert!(matches!(outcome.unwrap(), Outcome::Stopped));
            assert!(!stopped.out.exists());
        }
        let resumed = trained(&stopped);
        let losses = |summary: &train::report::Summary| {
            summary.epochs.iter().map(|epoch| (epoch.train, epoch.valid)).collect::<Vec<_>>()
        };
        assert_eq!(losses(&resumed), losses(&summary));
        assert!(fs::read(&stopped.out).unwrap() == expected, "{loss:?}: stopped twice");
        assert!(!name("stopped").with_extension("onnx.checkpoint").exists());
    }
}

#[test]
fn an_interrupt_leaves_a_checkpoint_and_the_same_command_goes_on() {
    let folder = Folder::new("train-interrupt");
    let (data, out) = (data(&folder, "data", 0..4), folder.path("m.onnx"));
    let checkpoint = folder.path("m.onnx.checkpoint");
    let endless = ["--epochs", "4000000", "--patience", "4000000"];
    let mut child = command(&data, &out, &endless).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while !checkpoint.exists() {
        assert!(began.elapsed() < Duration::from_secs(120) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(checkpoint.exists() && !out.exists());
    // How many epochs is no part of what a checkpoint is for: one is already done.
    let (succeeded, said) =
        run(&mut command(&data, &out, &["--epochs", "1", "--patience", "4000000", "--keep"]));
    assert!(succeeded && said.contains("going on from the checkpoint"), "{said}");
    assert!(out.exists() && checkpoint.exists());

    for (options, why) in [
        (vec!["--patience", "4000000", "--seed", "1"], "with other options"),
        (vec!["--patience", "7"], "with other options"),
    ] {
        let (succeeded, said) = run(&mut command(&data, &out, &options));
        assert!(!succeeded && said.contains(why) && said.contains("remove it"), "{said}");
    }
    write(&instance(77, false), &data);
    let (succeeded, said) = run(&mut command(&data, &out, &["--patience", "4000000"]));
    assert!(!succeeded && said.contains("with other data"), "{said}");
    fs::write(&checkpoint, &fs::read(&checkpoint).unwrap()[..1000]).unwrap();
    let (succeeded, said) = run(&mut command(&data, &out, &["--patience", "4000000"]));
    assert!(!succeeded && said.contains("no checkpoint that can be used"), "{said}");
}

#[test]
fn time_ends_it_with_a_model_and_validation_may_be_named() {
    let folder = Folder::new("train-time");
    let (train, valid) = (data(&folder, "both/train", 0..3), data(&folder, "both/valid", 3..5));
    let out = folder.path("m.onnx");
    let (succeeded, said) = run(&mut command(&folder.path("both"), &out, &["--time", "1e-9"]));
    assert!(succeeded && said.contains("best epoch              1 of 1"), "{said}");
    assert!(said.contains("6 examples of 3 instances to learn from, 4 of 2 to validate with"), "{said}");
    let named = ["--no-augment", "--epochs", "1", "--valid", valid.to_str().unwrap()];
    let (succeeded, said) = run(&mut command(&train, &out, &named));
    assert!(succeeded, "{said}");
    assert!(said.contains("3 examples of 3 instances to learn from, 2 of 2 to validate with"), "{said}");
}

#[test]
fn what_cannot_be_used_is_refused_in_a_sentence() {
    let folder = Folder::new("train-refused");
    let good = data(&folder, "good", 0..3);
    let out = folder.path("m.onnx");
    let refused = |data: &Path, out: &Path, options: &[&str], why: &str| {
        let (succeeded, said) = run(&mut command(data, out, options));
        assert!(!succeeded && !said.contains("panicked"), "{said}");
        let told: Vec<&str> = said.lines().filter(|line| line.starts_with("apollo: ")).collect();
        assert!(told.len() == 1 && told[0].contains(why), "{why} is missing: {said}");
        assert!(!out.exists());
    };
    let folder_of = |name: &str, instances: &[Instance]| {
        let out = folder.path(name);
        instances.iter().for_each(|instance| write(instance, &out));
        out
    };
    fs::create_dir(folder.path("empty")).unwrap();
    refused(&folder.path("empty"), &out, &[], "has no .npz file");
    refused(&folder.path("nowhere"), &out, &[], "cannot be read");
    refused(&folder_of("alone", &[instance(1, true)]), &out, &[], "is the only instance");
    refused(&good, &out, &["--valid", good.to_str().unwrap()], "is the same instance as");
    refused(&good, &folder.path("nowhere/m.onnx"), &[], "cannot be written");
    refused(&good, &folder.path("m.txt"), &[], "let it end in .onnx");
    refused(&good, &out, &["--convolutions", "3"], "convolutions: 3 is not");
}

#[test]
fn data_that_cannot_be_used_is_refused_in_a_sentence() {
    let folder = Folder::new("train-bad-data");
    let out = folder.path("m.onnx");
    let refused = |name: &str, instances: &[Instance], why: &str| {
        let data = folder.path(name);
        instances.iter().for_each(|instance| write(instance, &data));
        let (succeeded, said) = run(&mut command(&data, &out, &[]));
        assert!(!succeeded && !said.contains("panicked") && said.contains(why), "{why} is missing: {said}");
        assert_eq!(said.lines().filter(|line| line.starts_with("apollo: ")).count(), 1, "{said}");
        assert!(!out.exists());
    };
    let mut other = instance(1, false);
    other.meta.family = Some("ca".into());
    refused("mixed", &[instance(0, false), other.clone()], "train each family by itself");
    let (succeeded, said) = run(&mut command(
        &folder.path("mixed"),
        &folder.path("named.onnx"),
        &["--epochs", "1", "--family", "both"],
    ));
    assert!(succeeded, "{said}");
    other.problem = None;
    refused("stripped", &[instance(0, false), other], "stripped of its problem");
    let mut nothing = instance(0, false);
    nothing.pool.solutions.clear();
    let mut as_empty = instance(1, false);
    as_empty.pool.solutions.clear();
    refused("unsolved", &[nothing, as_empty], "at least one solution");

    let integers = |bound: f64| {
        let mut problem = Problem::default();
        problem.add_column(1.0, 0.0, bound, Kind::Integer);
        let mut pool = Pool::new(&problem, 9);
        pool.insert(&[1.0], 1.0, 0.0, Teacher::Scip);
        Instance { meta: Meta::new("integers", &problem), problem: Some(problem), pool, augmented: vec![] }
    };
    refused("integers", &[integers(5.0), integers(6.0)], "no binary variables");
    let huge = |coefficient: f64| {
        let mut problem = Problem::default();
        problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
        problem.rows.push(0.0, [(0, coefficient)], f64::INFINITY);
        let mut pool = Pool::new(&problem, 9);
        pool.insert(&[1.0], 1.0, 0.0, Teacher::Scip);
        Instance { meta: Meta::new("huge", &problem), problem: Some(problem), pool, augmented: vec![] }
    };
    refused("huge", &[huge(1e300), huge(2e300)], "too large for a network");

    let whole = folder.path("damaged");
    write(&instance(0, false), &whole);
    let file = whole.join(instance(1, false).meta.file_name());
    fs::write(&file, &fs::read(whole.join(instance(0, false).meta.file_name())).unwrap()[..2000]).unwrap();
    refused("damaged", &[], file.file_name().unwrap().to_str().unwrap());
}

#[test]
fn the_pytorch_example_reads_what_is_exported_and_compiles() {
    let Some(mut python) = crate::support::python() else { return };
    let folder = Folder::new("train-pytorch");
    let (data, export) = (data(&folder, "data", 0..2), folder.path("export"));
    let (succeeded, said) = run(apollo().args(["data", "export"]).arg(&data).arg("--out").arg(&export));
    assert!(succeeded, "{said}");
    let example = crate::support::root().join("examples/pytorch");
    let (succeeded, said) = run(python.arg(example.join("data.py")).arg(&export));
    assert!(succeeded && said.contains("4 examples"), "{said}");
    let Some(mut python) = crate::support::python() else { return };
    let compile = "import sys; compile(open(sys.argv[1]).read(), sys.argv[1], 'exec')";
    let (succeeded, said) = run(python.args(["-c", compile]).arg(example.join("train.py")));
    assert!(succeeded, "{said}");
}
