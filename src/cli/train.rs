//! `apollo train`: training data becomes a model file.

use super::Done;
use super::workers::listen_for_stop;
use apollo_scip::bits;
use apollo_scip::data::pool::TEMPERATURE;
use apollo_scip::graph::Features;
use apollo_scip::network::Config;
use apollo_scip::train::{self, Epoch, Event, Loss, Options, Order, Outcome, report::Summary};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Train a network on training data, into a model file
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  apollo train data --out ca.onnx                         data/train and data/valid, or a split of data
  apollo train data --out ca.onnx --time 3600             an hour at most
  apollo train data --out ca-nd.onnx --loss nd --coverage 0.5
  apollo train data --out sc.onnx --samples 90            shorter epochs where instances are large

Stop it at any moment: the same command goes on from M.onnx.checkpoint. Beside M.onnx come the card
M.md and the learning curves M.svg and M.png. docs/TRAINING.md explains every option.")]
pub struct Arguments {
    /// Folders of .npz files that `apollo collect` made; one with the folders train and valid in it says
    /// itself what is for validation
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// The model file, M.onnx
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Folder with data for validation [default: a fifth of the instances]
    #[arg(long, value_name = "FOLDER")]
    valid: Option<PathBuf>,
    /// What is minimised: cross-entropy, contrast of good and bad solutions, or cross-entropy where a
    /// selection head is sure
    #[arg(long, default_value = "ps", value_parser = ["ps", "conps", "nd"])]
    loss: String,
    /// The most epochs
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Stop after so many epochs without a better validation loss; after a third of them the rate is
    /// halved
    #[arg(long, default_value_t = 15, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    patience: u32,
    /// Stop after so many seconds, and take the best so far
    #[arg(long, value_name = "SECONDS", value_parser = super::positive)]
    time: Option<f64>,
    /// First step size of Adam
    #[arg(long, default_value_t = 1e-3, value_parser = super::positive)]
    rate: f64,
    /// Examples for each step
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    batch: u16,
    /// Examples for each epoch [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    samples: Option<u32>,
    /// Leave augmented instances out
    #[arg(long)]
    no_augment: bool,
    /// What the network sees of a problem: 1 the paper's features, 2 also bounds, locks and the LP
    /// relaxation
    #[arg(long, default_value_t = 2, value_name = "VERSION", value_parser = clap::value_parser!(u32).range(1..=2))]
    features: u32,
    /// Numbers for each node between the layers: 8, 16, 32, 64 or 128
    #[arg(long, default_value_t = Config::default().width, value_name = "N")]
    width: usize,
    /// Half-convolutions, an even number
    #[arg(long, default_value_t = Config::default().convolutions, value_name = "N")]
    convolutions: usize,
    /// Bits to predict of each general integer, 0 for none: what has more values is left to the search
    /// [default: what the integers of the data need, at most 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=bits::MOST as i64))]
    bits: Option<u8>,
    /// Share of the binaries that the selection head is to choose, for --loss nd
    #[arg(long, default_value_t = 0.5, value_name = "SHARE", value_parser = super::share)]
    coverage: f64,
    /// How fast a solution counts less the worse it is, as a share of the best objective
    #[arg(long, default_value_t = TEMPERATURE, value_parser = super::positive)]
    temperature: f64,
    /// Seed
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Threads; the result does not depend on them [default: one for each core]
    #[arg(long, visible_alias = "jobs", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The family, where the data has several or none
    #[arg(long, value_name = "NAME")]
    family: Option<String>,
    /// Leave the checkpoint there at the end, to go on with more --epochs
    #[arg(long)]
    keep: bool,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn order(&self) -> Order {
        let loss = match self.loss.as_str() {
            "conps" => Loss::ConPs,
            "nd" => Loss::Nd,
            _ => Loss::Ps,
        };
        let selection = loss == Loss::Nd;
        let features = Features::try_from(self.features).unwrap_or_default(); // clap knows the versions
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let typed: Vec<String> = std::env::args().skip(1).collect();
        Order {
            options: Options {
                loss,
                config: Config {
                    width: self.width,
                    convolutions: self.convolutions,
                    selection,
                    features,
                    bits: 0,
                },
                rate: self.rate,
                patience: self.patience as usize,
                seed: self.seed,
                batch: self.batch.into(),
                augmented: !self.no_augment,
                samples: self.samples.unwrap_or(0) as usize,
                coverage: self.coverage,
                temperature: self.temperature,
            },
            data: self.data.clone(),
            valid: self.valid.clone(),
            out: self.out.clone(),
            family: self.family.clone(),
            bits: self.bits.map(usize::from),
            epochs: self.epochs as usize,
            seconds: self.time.unwrap_or(f64::INFINITY),
            threads: self.threads.map_or(cores, usize::from),
            keep: self.keep,
            command: format!("apollo {}", typed.join(" ")),
        }
    }
}

/// Trains.
pub fn run(arguments: &Arguments) -> Done {
    let stop = listen_for_stop()?;
    let order = arguments.order();
    let mut watch = Watch::new(order.epochs, order.seconds);
    let outcome = train::run(&order, stop, |event| watch.tell(event))?;
    drop(watch);
    match outcome {
        Outcome::Done(summary) if arguments.json => {
            println!("{}", serde_json::to_string_pretty(&summary).expect("plain numbers"));
        }
        Outcome::Done(summary) => print(&order, &summary),
        Outcome::Stopped => return stopped(),
    }
    Ok(true)
}

fn stopped() -> Done {
    eprintln!("apollo: stopped; the same command goes on from the checkpoint");
    std::process::exit(130);
}

fn print(order: &Order, summary: &Summary) {
    let best = &summary.best;
    let others = [("md", "card"), ("svg", "learning curves")];
    println!("model                   {}", order.out.display());
    for (ending, what) in others {
        println!("{what:<22}  {}", order.out.with_extension(ending).display());
    }
    println!("best epoch              {} of {}", best.epoch, summary.epochs.len());
    println!("loss                    {:.5} in training, {:.5} in validation", best.train, best.valid);
    println!(
        "cross-entropy           {:.5}; best constant {:.5}, least possible {:.5}",
        best.entropy, summary.constant, summary.floor
    );
    if let Some(bits) = &summary.bits {
        println!(
            "bits of integers        {:.5}; best constants {:.5}, least possible {:.5}",
            bits.entropy, bits.constant, bits.floor
        );
    }
    println!("AUC                     {}", area(best));
    println!("seconds                 {:.0}", summary.seconds);
    // Narrow networks sometimes lose all their ReLUs in the first steps.
    if best.auc == Some(0.5) {
        eprintln!(
            "apollo: the network says the same of every binary: try another --seed, a smaller --rate or a larger --width"
        );
    }
}

fn area(epoch: &Epoch) -> String {
    epoch.auc.map_or("-".into(), |auc| format!("{auc:.4}"))
}

/// Lines this far apart where there is no bar.
const QUIET: Duration = Duration::from_secs(60);

/// Shows how far training is: a bar for each epoch on a terminal, lines elsewhere.
struct Watch {
    bar: Option<ProgressBar>,
    epochs: usize,
    /// Seconds there may be in all.
    limit: f64,
    began: Instant,
    /// Epochs that were done before this run.
    before: usize,
    spoke: Instant,
    last: String,
}

impl Watch {
    fn new(epochs: usize, limit: f64) -> Watch {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {elapsed} gone, {msg}");
            let bar = ProgressBar::new(0).with_message("reading the data");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        let now = Instant::now();
        Watch { bar, epochs, limit, began: now, before: 0, spoke: now, last: String::new() }
    }

    fn say(&mut self, line: &str) {
        self.spoke = Instant::now();
        match &self.bar {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }

    /// At most so long: training may well end before.
    fn left(&self, done: f64) -> String {
        let gone = self.began.elapsed().as_secs_f64();
        let left = gone / (done - self.before as f64).max(1e-3) * (self.epochs as f64 - done);
        match left.min(self.limit - gone).max(0.0) {
            left if left < 90.0 => format!("at most {left:.0} s left"),
            left if left < 5400.0 => format!("at most {:.0} min left", left / 60.0),
            left => format!("at most {:.1} h left", left / 3600.0),
        }
    }

    fn tell(&mut self, event: Event<'_>) {
        match event {
            Event::Read(set) => {
                let (about, seconds) = (&set.about, self.began.elapsed().as_secs_f64());
                self.say(&format!(
                    "{} examples of {} instances to learn from, {} of {} to validate with; read in {seconds:.1} s",
                    set.train.len(), about.instances[0], set.valid.len(), about.instances[1]
                ));
                self.began = Instant::now();
            }
            Event::Relaxed(done, of) => {
                let line = format!("LP relaxations of {done} of {of} instances");
                match &self.bar {
                    Some(bar) => {
                        bar.set_length(of as u64);
                        bar.set_position(done as u64);
                        bar.set_message("LP relaxations");
                    }
                    None if self.spoke.elapsed() > QUIET => self.say(&line),
                    None => {}
                }
                self.began = Instant::now();
            }
            Event::Resumed(epochs) => {
                self.before = epochs;
                self.say(&format!("going on from the checkpoint, after {epochs} epochs"));
            }
            Event::Step(epoch, seen, of, loss) => {
                let left = self.left((epoch - 1) as f64 + seen as f64 / of as f64);
                let line = format!("epoch {epoch}/{}: loss {loss:.5}{}, {left}", self.epochs, self.last);
                match &self.bar {
                    Some(bar) => {
                        bar.set_length(of as u64);
                        bar.set_position(seen as u64);
                        bar.set_message(line);
                    }
                    None if self.spoke.elapsed() > QUIET => self.say(&format!("{line} ({seen}/{of})")),
                    None => {}
                }
            }
            Event::Epoch(epoch, best) => {
                let left = self.left(epoch.epoch as f64);
                self.last = format!(" (validation {:.5}, AUC {})", epoch.valid, area(epoch));
                self.say(&format!(
                    "epoch {}: loss {:.5}, validation {:.5}, AUC {}{}, {:.1} s gone, {left}",
                    epoch.epoch,
                    epoch.train,
                    epoch.valid,
                    area(epoch),
                    if best { " (best)" } else { "" },
                    epoch.seconds
                ));
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
