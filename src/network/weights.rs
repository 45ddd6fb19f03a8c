//! The parameters of a network in a file, for going on with training later: `safetensors`, which
//! Python reads too. A model for the plugin is an ONNX file instead: see [`super::export`].

use super::gnn::{Config, Network};
use super::input::Prenorm;
use crate::error::{Error, Result};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

/// The key of the configuration in the file's metadata.
const CONFIG: &str = "apollo.network";

/// The tables of a network, with names and shapes: the parameters, then the constants that what enters
/// is scaled by.
pub(super) fn tables(network: &Network<f32>) -> Vec<(String, Vec<usize>, &[f32])> {
    let Prenorm { variables, constraints, coefficients } = &network.prenorm;
    let scaling = [("variables", variables), ("constraints", constraints), ("coefficients", coefficients)];
    let parameters =
        network.parameters.iter().map(|table| (table.name.clone(), table.shape.clone(), &table.data[..]));
    let constants = scaling.into_iter().flat_map(|(name, scaling)| {
        [("shift", &scaling.shift), ("scale", &scaling.scale)]
            .map(|(kind, data)| (format!("prenorm.{name}.{kind}"), vec![data.len()], &data[..]))
    });
    parameters.chain(constants).collect()
}

/// The bytes of a file with everything that the network is.
pub fn save(network: &Network<f32>) -> Result<Vec<u8>> {
    let config = serde_json::to_string(&network.config()).map_err(|error| unsaved(&error))?;
    pack(&tables(network), CONFIG, config)
}

fn unsaved(error: &dyn std::fmt::Display) -> Error {
    Error::Network(format!("cannot be saved ({error})"))
}

/// The bytes of a file with some tables and one entry of metadata. One entry only: with several their
/// order, and so the bytes, would change from run to run.
pub(super) fn pack(tables: &[(String, Vec<usize>, &[f32])], key: &str, text: String) -> Result<Vec<u8>> {
    let bytes: Vec<Vec<u8>> =
        tables.iter().map(|(_, _, data)| data.iter().flat_map(|v| v.to_le_bytes()).collect()).collect();
    let mut views = vec![];
    for ((name, shape, _), bytes) in tables.iter().zip(&bytes) {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes).map_err(|error| unsaved(&error))?;
        views.push((name.as_str(), view));
    }
    let metadata = std::iter::once((key.to_string(), text)).collect();
    safetensors::serialize(views, Some(metadata)).map_err(|error| unsaved(&error))
}

fn wrong(why: String) -> Error {
    Error::Network(format!("the weights cannot be used: {why}"))
}

/// A file that [`pack`] made.
pub(super) struct Packed<'a> {
    /// Its one entry of metadata.
    pub text: String,
    file: SafeTensors<'a>,
}

impl<'a> Packed<'a> {
    /// Looks into the bytes of a file whose entry has this key.
    pub(super) fn new(bytes: &'a [u8], key: &str) -> Result<Packed<'a>> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| wrong(error.to_string()))?;
        let text = header.metadata().as_ref().and_then(|entries| entries.get(key)).cloned();
        let text = text.ok_or_else(|| wrong(format!("there is no entry '{key}' in the file")))?;
        let file = SafeTensors::deserialize(bytes).map_err(|error| wrong(error.to_string()))?;
        Ok(Packed { text, file })
    }

    /// A table of this shape, all of whose numbers are finite.
    pub(super) fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let table = self.file.tensor(name).map_err(|error| wrong(error.to_string()))?;
        if table.dtype() != Dtype::F32 || table.shape() != shape {
            return Err(wrong(format!("{name} has another type or shape than float32 {shape:?}")));
        }
        let numbers = table.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let numbers: Vec<f32> = numbers.collect();
        match numbers.iter().all(|number| number.is_finite()) {
            true => Ok(numbers),
            false => Err(wrong(format!("{name} has a number that is not finite"))),
        }
    }

    /// The network whose tables have this prefix.
    pub(super) fn network(&self, config: Config, prefix: &str) -> Result<Network<f32>> {
        let mut network = Network::<f32>::new(config, 0)?;
        for table in &mut network.parameters {
            table.data = self.numbers(&format!("{prefix}{}", table.name), &table.shape)?;
        }
        let Prenorm { variables, constraints, coefficients } = &mut network.prenorm;
        for (name, scaling) in
            [("variables", variables), ("constraints", constraints), ("coefficients", coefficients)]
        {
            let read = |kind: &str, length: usize| {
                self.numbers(&format!("{prefix}prenorm.{name}.{kind}"), &[length])
            };
            scaling.shift = read("shift", scaling.shift.len())?;
            scaling.scale = read("scale", scaling.scale.len())?;
        }
        Ok(network)
    }
}

/// The network in the bytes of a file that [`save`] made.
pub fn load(bytes: &[u8]) -> Result<Network<f32>> {
    let file = Packed::new(bytes, CONFIG)?;
    let config: Config = serde_json::from_str(&file.text).map_err(|error| wrong(error.to_string()))?;
    file.network(config, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_comes_back_and_equal_networks_are_equal_bytes() {
        let config = Config { width: 8, convolutions: 2, selection: true, ..Config::default() };
        let mut network = Network::new(config, 7).unwrap();
        network.prenorm.variables.shift[3] = 2.5;
        let bytes = save(&network).unwrap();
        assert_eq!(load(&bytes).unwrap(), network);
        assert_eq!(save(&load(&bytes).unwrap()).unwrap(), bytes);
    }

    #[test]
    fn damaged_weights_are_refused_with_a_sentence() {
        let network = Network::new(Config { width: 8, ..Config::default() }, 7).unwrap();
        let bytes = save(&network).unwrap();
        for length in [0, 7, 100, bytes.len() - 1] {
            let error = load(&bytes[..length]).unwrap_err().to_string();
            assert!(error.starts_with("network: the weights cannot be used: "), "{error}");
        }
        let text = String::from_utf8_lossy(&bytes).replace("head.0.bias", "head.0.bios");
        assert!(load(text.as_bytes()).is_err());
    }
}
