//! The fused kernel as an operator of ONNX Runtime.
//!
//! A model file of ours has its message passing in a function `apollo.EdgeConv` with a body of standard
//! operators. Where an operator of that name is registered, ONNX Runtime takes it instead: several times
//! faster, and without tables of the size edges × width. It works in main memory, so it is registered
//! for sessions on the CPU only.
//!
//! ONNX Runtime calls it from C, where a panic would end the process: what comes in is checked first,
//! and a panic that happens nevertheless becomes an error.

use crate::network::kernel::{Edges, Task, WIDTHS, Weights, forward_with};
use crate::network::rows::Rows;
use ort::operator::{
    ComputeContext, Kernel, KernelContext, Operator, OperatorDomain, OperatorInput, OperatorOutput,
};
use ort::value::TensorElementType::{Float32, Int64};
use ort::value::ValueRef;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The set of operators that ours is in.
pub(crate) const DOMAIN: &str = "apollo";

/// Its name.
pub(crate) const EDGE_CONV: &str = "EdgeConv";

/// Our operators, for one session.
pub(super) fn domain() -> ort::Result<OperatorDomain> {
    OperatorDomain::new(DOMAIN)?.add(EdgeConv)
}

struct EdgeConv;

impl Operator for EdgeConv {
    type Kernel<'attr> = Compute;

    fn name(&self) -> &str {
        EDGE_CONV
    }

    fn versions(&self) -> RangeInclusive<u32> {
        1..=1
    }

    fn inputs(&self) -> impl IntoIterator<Item = OperatorInput> {
        [Float32, Float32, Float32, Float32, Float32, Int64, Int64, Float32].map(OperatorInput::required)
    }

    fn outputs(&self) -> impl IntoIterator<Item = OperatorOutput> {
        [OperatorOutput::required(Float32)]
    }

    fn create_kernel<'attr>(&self, _: &KernelContext<'attr>) -> ort::Result<Compute> {
        Ok(Compute)
    }
}

struct Compute;

impl Kernel for Compute {
    fn compute(&mut self, context: &ComputeContext) -> ort::Result<()> {
        catch_unwind(AssertUnwindSafe(|| compute(context)))
            .unwrap_or_else(|_| Err(ort::Error::new("EdgeConv: internal error")))
    }
}

fn compute(context: &ComputeContext) -> ort::Result<()> {
    let wrong = |why: &str| ort::Error::new(format!("{EDGE_CONV}: {why}"));
    let input = |k: usize| context.input(k)?.ok_or_else(|| wrong("an input is missing"));
    let values: Vec<ValueRef<'_>> = (0..8).map(input).collect::<ort::Result<_>>()?;
    let floats = |k: usize| values[k].try_extract_tensor::<f32>();
    let (shape, target) = floats(0)?;
    let (source_shape, source) = floats(1)?;
    let (edge, gain, bias, coefficient) = (floats(2)?.1, floats(3)?.1, floats(4)?.1, floats(7)?.1);
    let (to, from) = (values[5].try_extract_tensor::<i64>()?.1, values[6].try_extract_tensor::<i64>()?.1);

    let width = gain.len();
    if !WIDTHS.contains(&width) {
        return Err(wrong(&format!("the width {width} is not one of {WIDTHS:?}")));
    }
    let tables = [&shape[..], &source_shape[..]];
    let whole = tables.iter().all(|shape| shape.len() == 2 && shape[1] == width as i64);
    if !whole || edge.len() != width || bias.len() != width || coefficient.len() != to.len() {
        return Err(wrong("the inputs have shapes that do not fit together"));
    }
    let rows = Rows::new(target.len() / width, source.len() / width, to, from)
        .ok_or_else(|| wrong("an edge has an end that does not exist"))?;

    let mut output =
        context.output(0, shape.to_vec())?.ok_or_else(|| wrong("there is no place for the output"))?;
    let (_, sums) = output.try_extract_tensor_mut::<f32>()?;
    let coefficient = rows.arrange(coefficient);
    let edges = Edges { rows: &rows, coefficient: &coefficient, target, source };
    let mut result = Ok(());
    forward_with(edges, Weights { edge, gain, bias }, sums, |tasks, run| {
        result = on_session_threads(context, tasks, run);
    });
    result
}

/// Runs the tasks on the session's own threads.
fn on_session_threads(
    context: &ComputeContext,
    tasks: Vec<Task<'_, f32>>,
    run: &(dyn Fn(Task<'_, f32>) + Sync),
) -> ort::Result<()> {
    let tasks: Vec<Mutex<Option<Task<'_, f32>>>> =
        tasks.into_iter().map(|task| Mutex::new(Some(task))).collect();
    let failed = AtomicBool::new(false);
    context.par_for(tasks.len(), 0, |k| {
        let task = tasks[k].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task
            && catch_unwind(AssertUnwindSafe(|| run(task))).is_err()
        {
            failed.store(true, Ordering::Relaxed);
        }
    })?;
    match failed.into_inner() {
        true => Err(ort::Error::new(format!("{EDGE_CONV}: internal error"))),
        false => Ok(()),
    }
}
