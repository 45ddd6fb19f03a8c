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
    let failed = |error: &dyn std::fmt::Display| Error::Network(format!("cannot be saved ({error})"));
    let config = serde_json::to_string(&network.config()).map_err(|error| failed(&error))?;
    let tables: Vec<(String, Vec<usize>, Vec<u8>)> = tables(network)
        .into_iter()
        .map(|(name, shape, data)| (name, shape, data.iter().flat_map(|v| v.to_le_bytes()).collect()))
        .collect();
    let mut views = vec![];
    for (name, shape, bytes) in &tables {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes).map_err(|error| failed(&error))?;
        views.push((name.as_str(), view));
    }
    // One entry only: with several their order, and so the bytes, would change from run to run.
    let metadata = std::iter::once((CONFIG.to_string(), config)).collect();
    safetensors::serialize(views, Some(metadata)).map_err(|error| failed(&error))
}

/// The network in the bytes of a file that [`save`] made.
pub fn load(bytes: &[u8]) -> Result<Network<f32>> {
    let wrong = |why: String| Error::Network(format!("the weights cannot be used: {why}"));
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| wrong(error.to_string()))?;
    let config = header.metadata().as_ref().and_then(|entries| entries.get(CONFIG));
    let config = config.ok_or_else(|| wrong(format!("there is no entry '{CONFIG}' in the file")))?;
    let config: Config = serde_json::from_str(config).map_err(|error| wrong(error.to_string()))?;
    let file = SafeTensors::deserialize(bytes).map_err(|error| wrong(error.to_string()))?;

    let mut network = Network::<f32>::new(config, 0)?;
    let read = |name: &str, shape: &[usize]| {
        let table = file.tensor(name).map_err(|error| wrong(error.to_string()))?;
        if table.dtype() != Dtype::F32 || table.shape() != shape {
            return Err(wrong(format!("{name} has another type or shape than float32 {shape:?}")));
        }
        let numbers = table.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let numbers: Vec<f32> = numbers.collect();
        match numbers.iter().all(|number| number.is_finite()) {
            true => Ok(numbers),
            false => Err(wrong(format!("{name} has a number that is not finite"))),
        }
    };
    for table in &mut network.parameters {
        table.data = read(&table.name, &table.shape)?;
    }
    let Prenorm { variables, constraints, coefficients } = &mut network.prenorm;
    for (name, scaling) in
        [("variables", variables), ("constraints", constraints), ("coefficients", coefficients)]
    {
        scaling.shift = read(&format!("prenorm.{name}.shift"), &[scaling.shift.len()])?;
        scaling.scale = read(&format!("prenorm.{name}.scale"), &[scaling.scale.len()])?;
    }
    Ok(network)
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
