//! Epoch after epoch, until validation gets no better, the time is over or somebody stops it.
//!
//! After each epoch, and in long ones every two minutes, everything that the rest depends on goes into
//! a checkpoint beside the model file. A run that finds one goes on from there.

use super::parallel::side_by_side;
use super::report;
use super::set::{Place, Set};
use super::step::{self, Score};
use super::{Options, Order};
use crate::data::npz;
use crate::dice::Dice;
use crate::error::{Error, Result};
use crate::network::checkpoint::Checkpoint;
use crate::network::{Adam, Config, Network, Prenorm};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Seconds between two checkpoints inside an epoch.
const BETWEEN_CHECKPOINTS: f64 = 120.0;

/// What one epoch came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Its number, from 1.
    pub epoch: usize,
    /// Mean loss of the training examples, each as it was met.
    pub train: f64,
    /// Mean loss of the validation examples after it.
    pub valid: f64,
    /// Their mean cross-entropy with the targets: the same as `valid` for the loss `ps`.
    pub entropy: f64,
    /// Their mean area under the curve.
    pub auc: Option<f64>,
    /// Their mean cross-entropy with the bits of general integers, which is a part of `valid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<f64>,
    /// The step size in it.
    pub rate: f64,
    /// Seconds since the beginning.
    pub seconds: f64,
}

/// What happens on the way.
pub enum Event<'a> {
    /// The data is there.
    Read(&'a Set),
    /// The LP relaxations of so many instances are there, of so many.
    Relaxed(usize, usize),
    /// A checkpoint was there: so many epochs are done.
    Resumed(usize),
    /// A step was made: the epoch, examples seen in it, of so many; the mean loss in it so far.
    Step(usize, usize, usize, f64),
    /// An epoch is over; whether it is the best so far.
    Epoch(&'a Epoch, bool),
}

/// How it ended.
pub enum Outcome {
    /// The model file is there.
    Done(Box<report::Summary>),
    /// Somebody stopped it: the same command goes on.
    Stopped,
}

/// What a checkpoint remembers besides the network.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Notes {
    /// What the result depends on; other options or data cannot go on from here.
    options: Options,
    data: String,
    /// Steps made in the epoch that is under way, and the sum of their losses.
    steps: usize,
    sum: f64,
    /// The epochs so far.
    curve: Vec<Epoch>,
    /// The place of the best among them.
    best: Option<usize>,
    /// Epochs since the last improvement or the last halving of the rate.
    stale: usize,
    /// Seconds so far.
    seconds: f64,
}

/// Trains. `tell` hears what happens; `stop` is looked at between examples.
pub fn run(order: &Order, stop: &AtomicBool, mut tell: impl FnMut(Event<'_>)) -> Result<Outcome> {
    check(order)?;
    let Some(mut set) = Set::read(order, stop)? else { return Ok(Outcome::Stopped) };
    tell(Event::Read(&set));
    let all = set.about.instances.iter().sum();
    if !set.relax(order.threads, stop, |done| tell(Event::Relaxed(done, all)))? {
        return Ok(Outcome::Stopped);
    }
    let mut order = order.clone();
    order.options.config.bits = set.bits;
    let order = &order;
    let Some(mut training) = Training::begin(order, &set, stop)? else { return Ok(Outcome::Stopped) };
    if !training.notes.curve.is_empty() || training.notes.steps > 0 {
        tell(Event::Resumed(training.notes.curve.len()));
    }
    while !training.is_over() {
        if !training.epoch(&mut tell)? {
            training.save()?;
            return Ok(Outcome::Stopped);
        }
    }
    let summary = report::write(order, &set, &training.best, &training.notes.curve, training.notes.best)?;
    match order.keep {
        true => training.save()?,
        // It may never have been written; and a model without it gone is a model all the same.
        false => drop(std::fs::remove_file(&training.path)),
    }
    Ok(Outcome::Done(Box::new(summary)))
}

/// Refuses what would fail after hours.
fn check(order: &Order) -> Result<()> {
    let failed = |why: String| Err(Error::File { path: order.out.clone(), why });
    Config { bits: order.bits.unwrap_or(0), ..order.options.config }.check()?;
    if order.out.extension().is_none_or(|ending| ending != "onnx") {
        return failed("is no name for a model file: let it end in .onnx".into());
    }
    let probe = beside(&order.out, &format!(".tmp-{}", std::process::id()));
    match std::fs::write(&probe, b"") {
        Ok(()) => drop(std::fs::remove_file(&probe)),
        Err(error) => {
            return failed(format!(
                "cannot be written ({error}): name a folder that exists, is yours to write and has room"
            ));
        }
    }
    Ok(())
}

/// A file beside the model file.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

struct Training<'a> {
    order: &'a Order,
    set: &'a Set,
    stop: &'a AtomicBool,
    path: PathBuf,
    network: Network<f32>,
    best: Network<f32>,
    adam: Adam<f32>,
    notes: Notes,
    /// Seconds of the runs before, and when this one began.
    before: f64,
    began: Instant,
    saved: Instant,
}

impl<'a> Training<'a> {
    /// From a checkpoint if there is one; none if it was stopped.
    fn begin(order: &'a Order, set: &'a Set, stop: &'a AtomicBool) -> Result<Option<Training<'a>>> {
        let began = Instant::now();
        let path = beside(&order.out, ".checkpoint");
        let notes = Notes {
            options: order.options.clone(),
            data: set.about.hash.clone(),
            steps: 0,
            sum: 0.0,
            curve: vec![],
            best: None,
            stale: 0,
            seconds: 0.0,
        };
        let loaded = match std::fs::read(&path) {
            Ok(bytes) => Some(resume(&path, &bytes, &notes)?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Error::File { path, why: format!("cannot be read: {error}") }),
        };
        let (network, best, adam, notes) = match loaded {
            Some((Checkpoint { network, best, adam, .. }, notes)) => (network, best, adam, notes),
            None => {
                let Some(network) = fresh(order, set, stop)? else { return Ok(None) };
                let adam = Adam::new(&network, order.options.rate);
                (network.clone(), network, adam, notes)
            }
        };
        let before = notes.seconds;
        let saved = began;
        Ok(Some(Training { order, set, stop, path, network, best, adam, notes, before, began, saved }))
    }

    fn seconds(&self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }

    fn late(&self) -> bool {
        self.seconds() >= self.order.seconds
    }

    fn is_over(&self) -> bool {
        let Notes { curve, best, .. } = &self.notes;
        let waited = best.is_some_and(|best| curve.len() - 1 - best >= self.order.options.patience);
        waited || curve.len() >= self.order.epochs || (!curve.is_empty() && self.late())
    }

    /// One epoch, or what is left of it; false if it was stopped on the way.
    fn epoch(&mut self, tell: &mut impl FnMut(Event<'_>)) -> Result<bool> {
        let options = &self.order.options;
        let epoch = self.notes.curve.len();
        let order = order(self.set, options, epoch);
        let mut seen = (self.notes.steps * options.batch).min(order.len());
        for batch in order.chunks(options.batch).skip(self.notes.steps) {
            if self.stop.load(Ordering::SeqCst) {
                return Ok(false);
            }
            // At least one step in all, so that there is something to export.
            if self.late() && seen > 0 {
                break;
            }
            if !self.step(batch, epoch)? {
                return Ok(false);
            }
            seen += batch.len();
            tell(Event::Step(epoch + 1, seen, order.len(), self.notes.sum / seen as f64));
            if self.saved.elapsed().as_secs_f64() > BETWEEN_CHECKPOINTS {
                self.save()?;
            }
        }
        let Some(score) = self.validate()? else { return Ok(false) };
        let done = Epoch {
            epoch: epoch + 1,
            train: self.notes.sum / seen as f64,
            valid: score.loss,
            entropy: score.entropy,
            auc: score.auc,
            bits: score.bits,
            rate: self.adam.rate,
            seconds: self.seconds(),
        };
        let best = self.notes.best.is_none_or(|best| done.valid < self.notes.curve[best].valid);
        self.notes.stale += 1;
        if best {
            (self.notes.best, self.notes.stale) = (Some(epoch), 0);
            self.best = self.network.clone();
        } else if self.notes.stale >= (options.patience / 3).max(2) {
            // Steps that are too long are the likeliest reason.
            self.adam.rate *= 0.5;
            self.notes.stale = 0;
        }
        tell(Event::Epoch(&done, best));
        self.notes.curve.push(done);
        (self.notes.steps, self.notes.sum) = (0, 0.0);
        self.save()?;
        Ok(true)
    }

    /// One step of Adam on a batch; false if it was stopped before its end, and nothing has changed.
    fn step(&mut self, batch: &[Place], epoch: usize) -> Result<bool> {
        let (options, set, network) = (&self.order.options, self.set, &self.network);
        let inside = (self.order.threads / batch.len()).max(1);
        let sizes: Vec<usize> = batch.iter().map(|place| place.size).collect();
        let learn = |k: usize| step::learn(network, set, batch[k], options, epoch as u64, inside);
        let Some(answers) = side_by_side(self.order.threads, &sizes, self.stop, learn) else {
            return Ok(false);
        };
        let mut answers = answers.into_iter();
        let Some(first) = answers.next() else { return Ok(true) };
        let (mut sum, mut gradient) = first?;
        for answer in answers {
            let (loss, more) = answer?;
            sum += loss;
            gradient.add(&more);
        }
        gradient.scale(1.0 / batch.len() as f64);
        self.adam.step(&mut self.network, &gradient);
        self.notes.sum += sum;
        self.notes.steps += 1;
        Ok(true)
    }

    /// The mean scores of the validation examples.
    fn validate(&self) -> Result<Option<Score>> {
        let (places, set, network) = (&self.set.valid, self.set, &self.network);
        let inside = (self.order.threads / places.len()).max(1);
        let sizes: Vec<usize> = places.iter().map(|place| place.size).collect();
        let score = |k: usize| step::score(network, set, places[k], &self.order.options, inside);
        let Some(scores) = side_by_side(self.order.threads, &sizes, self.stop, score) else {
            return Ok(None);
        };
        let scores: Vec<Score> = scores.into_iter().collect::<Result<_>>()?;
        let mean = |of: &dyn Fn(&Score) -> Option<f64>| {
            let values: Vec<f64> = scores.iter().filter_map(of).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let all = |of: fn(&Score) -> f64| mean(&|score| Some(of(score))).unwrap_or(0.0);
        let (loss, entropy) = (all(|score| score.loss), all(|score| score.entropy));
        Ok(Some(Score { loss, entropy, auc: mean(&|score| score.auc), bits: mean(&|score| score.bits) }))
    }

    fn save(&mut self) -> Result<()> {
        self.notes.seconds = self.seconds();
        let notes = serde_json::to_string(&self.notes)
            .map_err(|error| Error::File { path: self.path.clone(), why: error.to_string() })?;
        let (network, best, adam) = (self.network.clone(), self.best.clone(), self.adam.clone());
        npz::save(&self.path, &Checkpoint { network, best, adam, notes }.save()?)?;
        self.saved = Instant::now();
        Ok(())
    }
}

/// The checkpoint in a file, if it is one of this training.
fn resume(path: &Path, bytes: &[u8], own: &Notes) -> Result<(Checkpoint, Notes)> {
    let refused = |why: &str| Error::File {
        path: path.into(),
        why: format!("{why}: remove it to begin anew, or name another --out"),
    };
    let damaged =
        |error: &dyn std::fmt::Display| refused(&format!("is no checkpoint that can be used ({error})"));
    let checkpoint = Checkpoint::load(bytes).map_err(|error| damaged(&error))?;
    let notes: Notes = serde_json::from_str(&checkpoint.notes).map_err(|error| damaged(&error))?;
    if notes.data != own.data {
        return Err(refused("is the checkpoint of an unfinished training with other data"));
    }
    if notes.options != own.options {
        return Err(refused("is the checkpoint of an unfinished training with other options"));
    }
    Ok((checkpoint, notes))
}

/// A network that knows nothing but the scales of the data and how rare ones are.
fn fresh(order: &Order, set: &Set, stop: &AtomicBool) -> Result<Option<Network<f32>>> {
    let mut network = Network::<f32>::new(order.options.config, order.options.seed)?;
    // An instance and one of its augmented ones are enough to know the scales.
    let places: Vec<Place> = set.train.iter().copied().filter(|place| place.number <= 1).collect();
    let mut failed = None;
    let inputs = places.chunks(2 * order.threads).flat_map(|some| {
        let sizes: Vec<usize> = some.iter().map(|place| place.size).collect();
        let inputs =
            side_by_side(order.threads, &sizes, stop, |k| step::input(set, some[k], &set.example(some[k])));
        let (fine, bad): (Vec<_>, Vec<_>) = inputs.into_iter().flatten().partition(|input| input.is_ok());
        failed = failed.take().or(bad.into_iter().find_map(|input| input.err()));
        fine.into_iter().flatten()
    });
    network.prenorm = Prenorm::fit(inputs);
    network.begin_at(set.about.ones);
    network.begin_bits_at(&set.bit_shares(order.options.temperature));
    match failed {
        Some(error) => Err(error),
        None => Ok((!stop.load(Ordering::SeqCst)).then_some(network)),
    }
}

/// The examples of an epoch, in order. One pass over the data is a shuffle of its own, whose seed is
/// the number of the pass; epochs with fewer samples go on where the one before ended, so that every
/// example is met equally often.
fn order(set: &Set, options: &Options, epoch: usize) -> Vec<Place> {
    let all = set.train.len();
    let length = if options.samples == 0 { all } else { options.samples };
    let (mut pass, mut shuffled) = (usize::MAX, vec![]);
    let mut chosen = Vec::with_capacity(length);
    for position in epoch * length..(epoch + 1) * length {
        if position / all != pass {
            pass = position / all;
            shuffled = (0..all).collect();
            Dice::new("apollo train: order", options.seed, pass as u64).shuffle_front(&mut shuffled, all);
        }
        chosen.push(set.train[shuffled[position % all]]);
    }
    chosen
}
