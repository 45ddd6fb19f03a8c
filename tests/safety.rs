//! Whatever goes wrong, and whatever problem comes, the user's solve goes on and ends as it would
//! have without Apollo.

mod limits; // time, nodes, memory, solutions, interrupts
mod predictors; // predictors that fail, and models that are none
mod problems; // problems of every shape
mod settings; // settings that mean nothing, emphases, every strategy
pub mod solve; // how all of these solve and compare
mod surroundings; // sub-SCIPs, threads, restarts, pricers, solving again, memory
