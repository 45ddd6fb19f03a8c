//! How much of the uncertainty in the labels of item placement is only the order of its ten bins:
//! several independent searches of one instance, put into one pool as they come, and canonical.
//!
//! `cargo run --release --example label_entropy -- 10 20` for ten searches of 20 seconds each.

use apollo_scip::data::pool::{Pool, Teacher, entropy, mean_entropy};
use apollo_scip::data::symmetry::Symmetry;
use apollo_scip::instances;
use apollo_scip::teach::improve::{Lesson, teach};

/// All solutions count alike: what is asked is how much they agree.
const ALIKE: f64 = 1e9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let searches: u64 = arguments.next().unwrap_or_default().parse().unwrap_or(10);
    let seconds: f64 = arguments.next().unwrap_or_default().parse().unwrap_or(20.0);
    let problem = instances::generate("ip", &[], 100, 0)?.problem;
    let symmetry = Symmetry::of(&problem);
    for group in &symmetry.groups {
        println!("{} blocks of {} columns may be exchanged", group.blocks.len(), group.blocks[0].len());
    }
    let (mut own, mut own_canonical) = (0.0, 0.0);
    let mut together = Pool::new(&problem, 50 * searches as usize);
    for seed in 1..=searches {
        let lesson = Lesson {
            seconds,
            teacher_share: 0.1,
            improve: true,
            teacher: Teacher::Scip,
            parameters: vec![],
            capacity: 50,
            seed,
        };
        let mut pool = teach(&problem, &[], &lesson)?.pool;
        println!("search {seed}: best {:.3}", pool.best().unwrap_or(f64::NAN));
        // The five best of each: all of one search are relatives.
        for solution in pool.solutions.iter().take(5) {
            together.insert_solution(solution.clone());
        }
        own += mean_entropy(&pool.targets(ALIKE)) / searches as f64;
        symmetry.canonical(&problem, &mut pool);
        own_canonical += mean_entropy(&pool.targets(ALIKE)) / searches as f64;
    }
    let before = mean_entropy(&together.targets(ALIKE));
    symmetry.canonical(&problem, &mut together);
    let after = mean_entropy(&together.targets(ALIKE));
    println!("mean entropy of a label, nats     as found   canonical");
    println!("  pools of one search each         {own:.4}     {own_canonical:.4}");
    println!("  one pool of {searches} searches           {before:.4}     {after:.4}");
    println!("  H(0.1)                           {:.4}", entropy(0.1));
    Ok(())
}
