//! On which device a network runs.
//!
//! ONNX Runtime falls back to the CPU without a word when a GPU cannot be had. Here the GPU is asked
//! for in a way that fails loudly, then an explicit CPU session is made, and what really runs is read
//! from the session.

use super::assignment::assigned_providers;
use super::{operator, sentence};
use crate::settings::Device;
use ort::environment::Environment;
use ort::ep::{self, ExecutionProvider, ExecutionProviderDispatch};
use ort::logging::LogLevel;
use ort::session::{Session, builder::GraphOptimizationLevel};
use std::path::Path;

/// A session, and what is to be said about its device.
pub(super) struct Opened {
    pub session: Session,
    /// The device that really runs it.
    pub device: String,
    /// A device that was asked for and could not be had, in one sentence each.
    pub remarks: Vec<String>,
}

/// A GPU provider: its name, whether this ONNX Runtime has it, and how to ask for it.
type Gpu = (&'static str, bool, ExecutionProviderDispatch);

fn cuda() -> Gpu {
    let built_in = ep::CUDA::is_available().unwrap_or(false);
    ("cuda", built_in, ep::CUDA::default().build().error_on_failure())
}

fn tensorrt() -> Gpu {
    let built_in = ep::TensorRT::is_available().unwrap_or(false);
    ("tensorrt", built_in, ep::TensorRT::default().build().error_on_failure())
}

/// The devices that this ONNX Runtime was built for. That a GPU is there too is known only when a
/// model is loaded on it.
pub(super) fn built_in() -> Vec<String> {
    let gpus = [cuda(), tensorrt()].into_iter().filter(|gpu| gpu.1).map(|gpu| gpu.0.to_string());
    std::iter::once("cpu".to_string()).chain(gpus).collect()
}

/// Opens a model file on the device asked for, or on the CPU with a remark.
pub(super) fn open(
    environment: &Environment,
    path: &Path,
    asked: Device,
    threads: usize,
) -> ort::Result<Opened> {
    let mut remarks = vec![];
    let wanted: Vec<Gpu> = match asked {
        Device::Cpu => vec![],
        Device::Cuda => vec![cuda()],
        Device::TensorRt => vec![tensorrt()],
        // Only what this ONNX Runtime was built with: its absence is nothing to remark on.
        Device::Auto => [cuda()].into_iter().filter(|gpu| gpu.1).collect(),
    };
    for (name, built_in, provider) in wanted {
        if !built_in {
            remarks.push(format!(
                "device {name}: this ONNX Runtime has no {name} provider, the network runs on the CPU (use onnxruntime-gpu)"
            ));
            continue;
        }
        match session(environment, path, threads, Some(provider)) {
            Ok(session) => {
                let device = running_on(&session, name);
                if device != name {
                    remarks.push(format!("device {name}: ONNX Runtime put every node on the {device}"));
                }
                return Ok(Opened { session, device, remarks });
            }
            Err(error) => {
                remarks.push(format!("device {name}: {}, the network runs on the CPU", sentence(error)));
            }
        }
    }
    let session = session(environment, path, threads, None)?;
    let device = running_on(&session, "cpu");
    Ok(Opened { session, device, remarks })
}

fn session(
    environment: &Environment,
    path: &Path,
    threads: usize,
    gpu: Option<ExecutionProviderDispatch>,
) -> ort::Result<Session> {
    let mut builder = Session::builder(environment)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_threads(threads)?
        .with_inter_threads(1)?
        .with_log_level(LogLevel::Fatal)?
        .with_config_entry("session.record_ep_graph_assignment_info", "1")?;
    builder = match gpu {
        Some(gpu) => builder.with_execution_providers([gpu])?,
        None => builder.with_operators(operator::domain()?)?,
    };
    builder.commit_from_file(path)
}

/// The device with most of the nodes on it; `assumed` where ONNX Runtime does not tell.
fn running_on(session: &Session, assumed: &str) -> String {
    let Some(providers) = assigned_providers(session) else { return assumed.to_string() };
    let most = providers.into_iter().max_by_key(|provider| provider.1).map(|provider| provider.0);
    match most.as_deref() {
        Some("CUDAExecutionProvider") => "cuda".to_string(),
        Some("TensorrtExecutionProvider") => "tensorrt".to_string(),
        Some("CPUExecutionProvider") => "cpu".to_string(),
        Some(other) => other.to_string(),
        None => assumed.to_string(),
    }
}
