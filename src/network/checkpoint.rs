//! Training in the middle of its way as a file (`safetensors`): the network, the best one so far, Adam's
//! memory, and whatever else the caller has to remember, as a text.

use super::adam::Adam;
use super::gnn::{Config, Gradient, Network};
use super::weights::{Packed, pack, tables};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// The key of the one entry of metadata.
const CHECKPOINT: &str = "apollo.checkpoint";

/// What training needs to go on as if it had never stopped.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The network as it is.
    pub network: Network<f32>,
    /// The network as it was when it was best.
    pub best: Network<f32>,
    /// The optimiser.
    pub adam: Adam<f32>,
    /// What the caller remembers.
    pub notes: String,
}

/// What stands beside the tables.
#[derive(Serialize, Deserialize)]
struct Head {
    config: Config,
    rate: f64,
    longest: f64,
    steps: i32,
    notes: String,
}

impl Checkpoint {
    /// The bytes of the file.
    pub fn save(&self) -> Result<Vec<u8>> {
        let named = |prefix: &str, network| {
            let prefixed = tables(network).into_iter();
            prefixed.map(|(name, shape, data)| (format!("{prefix}{name}"), shape, data)).collect::<Vec<_>>()
        };
        let memory = [("mean/", &self.adam.mean), ("square/", &self.adam.square)];
        let memory = memory.into_iter().flat_map(|(prefix, memory)| {
            let tables = self.network.parameters.iter().zip(&memory.0);
            tables
                .map(move |(table, data)| (format!("{prefix}{}", table.name), table.shape.clone(), &data[..]))
        });
        let mut all = named("network/", &self.network);
        all.extend(named("best/", &self.best));
        all.extend(memory);
        let head = Head {
            config: self.network.config(),
            rate: self.adam.rate,
            longest: self.adam.longest,
            steps: self.adam.steps,
            notes: self.notes.clone(),
        };
        let head = serde_json::to_string(&head);
        let head =
            head.map_err(|error| Error::Network(format!("the checkpoint cannot be written: {error}")))?;
        pack(&all, CHECKPOINT, head)
    }

    /// The checkpoint in the bytes of a file.
    pub fn load(bytes: &[u8]) -> Result<Checkpoint> {
        let file = Packed::new(bytes, CHECKPOINT)?;
        let head: Head = serde_json::from_str(&file.text)
            .map_err(|error| Error::Network(format!("the checkpoint cannot be used: {error}")))?;
        let network = file.network(head.config, "network/")?;
        let best = file.network(head.config, "best/")?;
        let memory = |prefix: &str| {
            let tables = network.parameters.iter();
            let tables = tables.map(|table| file.numbers(&format!("{prefix}{}", table.name), &table.shape));
            tables.collect::<Result<_>>().map(Gradient)
        };
        let (mean, square) = (memory("mean/")?, memory("square/")?);
        let adam = Adam { rate: head.rate, longest: head.longest, steps: head.steps, mean, square };
        Ok(Checkpoint { network, best, adam, notes: head.notes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_comes_back_to_the_last_bit() {
        let config = Config { width: 8, convolutions: 2, selection: true, ..Config::default() };
        let (mut network, best) = (Network::new(config, 1).unwrap(), Network::new(config, 2).unwrap());
        let mut adam = Adam::new(&network, 1e-3);
        let mut gradient = Gradient::zero(&network);
        gradient.0[0][0] = 0.7;
        adam.step(&mut network, &gradient);
        let checkpoint = Checkpoint { network, best, adam, notes: "epoch \"3\"".into() };
        let bytes = checkpoint.save().unwrap();
        let back = Checkpoint::load(&bytes).unwrap();
        assert_eq!((&back.network, &back.best), (&checkpoint.network, &checkpoint.best));
        assert_eq!((&back.adam.mean, &back.adam.square), (&checkpoint.adam.mean, &checkpoint.adam.square));
        assert_eq!((back.adam.steps, back.notes.as_str()), (1, "epoch \"3\""));
        assert_eq!(back.save().unwrap(), bytes);
        assert!(Checkpoint::load(&bytes[..bytes.len() - 5]).is_err());
        assert!(Checkpoint::load(&super::super::weights::save(&back.best).unwrap()).is_err());
    }
}
