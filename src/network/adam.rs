//! Adam (Kingma and Ba, 2015), with gradients that are too long cut to a length.

use super::gnn::{Gradient, Network};
use super::kernel::Real;

/// The optimiser and its memory.
#[derive(Clone, Debug)]
pub struct Adam<T> {
    /// The step size; may be changed between steps.
    pub rate: f64,
    /// A longer gradient is shortened to this; infinite for never.
    pub longest: f64,
    pub(super) steps: i32,
    pub(super) mean: Gradient<T>,
    pub(super) square: Gradient<T>,
}

// How much of the mean, and of the mean square, stays at each step; and what keeps from dividing by 0.
// The paper's.
const MEAN_STAYS: f64 = 0.9;
const SQUARE_STAYS: f64 = 0.999;
const SMALL: f64 = 1e-8;

impl<T: Real> Adam<T> {
    /// With an empty memory, for this network.
    pub fn new(network: &Network<T>, rate: f64) -> Adam<T> {
        let (mean, square) = (Gradient::zero(network), Gradient::zero(network));
        Adam { rate, longest: 1.0, steps: 0, mean, square }
    }

    /// Changes the parameters by one step and returns the length of the gradient before it was cut. One
    /// that is not finite changes nothing.
    pub fn step(&mut self, network: &mut Network<T>, gradient: &Gradient<T>) -> f64 {
        let norm = gradient.norm();
        if !norm.is_finite() {
            return norm;
        }
        self.steps += 1;
        let shorten = T::real(if norm > self.longest { self.longest / norm } else { 1.0 });
        // What the empty memory at the beginning makes too small.
        let correct = |stays: f64| 1.0 - stays.powi(self.steps);
        let rate = T::real(self.rate / correct(MEAN_STAYS));
        let unbias = T::real(1.0 / correct(SQUARE_STAYS));
        let small = T::real(SMALL);
        let [mean_stays, square_stays] = [MEAN_STAYS, SQUARE_STAYS].map(T::real);
        let [mean_comes, square_comes] = [1.0 - MEAN_STAYS, 1.0 - SQUARE_STAYS].map(T::real);
        let memory = self.mean.0.iter_mut().zip(&mut self.square.0);
        for ((parameter, gradient), (mean, square)) in
            network.parameters.iter_mut().zip(&gradient.0).zip(memory)
        {
            let numbers = parameter.data.iter_mut().zip(gradient);
            for ((value, &slope), (mean, square)) in numbers.zip(mean.iter_mut().zip(square)) {
                let slope = slope * shorten;
                *mean = mean_stays * *mean + mean_comes * slope;
                *square = square_stays * *square + square_comes * slope * slope;
                *value -= rate * *mean / ((*square * unbias).sqrt() + small);
            }
        }
        norm
    }
}
