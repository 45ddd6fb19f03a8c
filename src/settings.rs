//! Every parameter once: name, default, range, and a sentence for people.
//!
//! The SCIP parameters `heuristics/apollo/…`, the page `docs/PARAMETERS.md` and the help of the
//! command line all come from [`PARAMETERS`]. [`Settings`] is what the values mean.

use crate::consistency::FixingRule;
use crate::error::{Error, Result};
use crate::schedule::{self, Budget, Recommended, Round};
use crate::search::{Plan, Use};

/// The value of a parameter, and with it its type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A number between bounds.
    Real(f64),
    /// A whole number between bounds.
    Int(i64),
    /// A text.
    Text(String),
}

/// What values a parameter takes, and the one it has when nobody sets it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// True or false.
    Bool(bool),
    /// (default, smallest, largest)
    Real(f64, f64, f64),
    /// (default, smallest, largest)
    Int(i64, i64, i64),
    /// Any text.
    Text(&'static str),
    /// One of these words; the first is the default.
    Word(&'static [&'static str]),
}

/// One parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, without the prefix `heuristics/apollo/`.
    pub name: &'static str,
    /// Its values.
    pub domain: Domain,
    /// What it does.
    pub help: &'static str,
}

/// The prefix of every parameter's name in SCIP.
pub const PREFIX: &str = "heuristics/apollo/";

const fn parameter(name: &'static str, domain: Domain, help: &'static str) -> Parameter {
    Parameter { name, domain, help }
}

/// The table.
pub const PARAMETERS: &[Parameter] = &[
    parameter(
        "predictor",
        Domain::Word(&["auto", "relaxation", "onnx"]),
        "who predicts: 'relaxation' (values and reduced costs of the LP relaxation, no training), 'onnx' (the network in 'model'), or 'auto' (onnx if a model is set, else relaxation)",
    ),
    parameter(
        "model",
        Domain::Text(""),
        "the network: path of an ONNX model file, the name of one that is shipped with Apollo ('ca', 'sc', …), or 'auto' (the shipped model that was trained on problems like this one, and the relaxation predictor if there is none); empty for none",
    ),
    parameter(
        "strategy",
        Domain::Word(&["apollo", "ps", "nd", "multi-stage", "direct", "ws-ps", "ws-apollo"]),
        "what to do with a prediction: 'apollo' (alternate prediction and correction), 'ps' (one round of predict-and-search), 'nd' (fix the partial solution outright), 'multi-stage' (fix every predicted value), 'direct' (fix every reference value), 'ws-ps' and 'ws-apollo' (the partial solution only as a start)",
    ),
    parameter("rounds", Domain::Int(4, 1, 100), "rounds of prediction and correction"),
    parameter(
        "k0",
        Domain::Text("0.4,0.3,0.2,0.1"),
        "how many unfixed binaries to predict as 0, one entry a round: a count like 400, or a share of them like 0.25 or 25%; a short list goes on with its last entry",
    ),
    parameter(
        "k1",
        Domain::Text("0.05,0.04,0.03,0.02"),
        "how many unfixed binaries to predict as 1, one entry a round, written like k0",
    ),
    parameter(
        "radius",
        Domain::Text("0.2"),
        "how many predicted values the search may change, one entry a round: a count, or a share of the predicted values",
    ),
    parameter(
        "timeshares",
        Domain::Text("0.1,0.1,0.2,0.6"),
        "how the budget is divided among the rounds, relative to each other; unused time goes to later rounds",
    ),
    parameter(
        "budget/share",
        Domain::Real(0.1, 0.0, 1.0),
        "share of the remaining time limit that Apollo may use, and of the time gone so far in later turns, a quarter of it where they gain nothing; 0 switches it off",
    ),
    parameter(
        "budget/effort",
        Domain::Real(0.25, 0.0, 1e20),
        "seconds that Apollo may use at most in its first turn, as a multiple of the seconds that the solve took until then: problems that are easy for SCIP are not slowed down, and in long solves there are later turns of local search; 1e20 for no such limit and no later turns; not used where 'budget/nodes' is set",
    ),
    parameter(
        "budget/seconds",
        Domain::Real(1e20, 0.0, 1e20),
        "seconds that Apollo may use at most, whatever the time limit is; 0 switches it off",
    ),
    parameter(
        "budget/nolimit",
        Domain::Real(30.0, 0.0, 1e20),
        "seconds that Apollo may use where neither a time limit nor 'budget/nodes' is set",
    ),
    parameter(
        "budget/nodes",
        Domain::Int(-1, -1, i64::MAX),
        "branch-and-bound nodes for all searches together, -1 for no such limit; without a time limit it makes runs repeatable, because no clock is asked",
    ),
    parameter(
        "fixing",
        Domain::Word(&["strategy", "consistent", "predicted", "reference", "uebo"]),
        "which predicted values to fix after a round: 'consistent' (those that the reference solution agrees with), 'predicted' (all, at the predicted value), 'reference' (all, at the reference value), 'uebo' (those with the lowest error bound), or what belongs to the 'strategy'",
    ),
    parameter(
        "ueboshare",
        Domain::Real(0.5, 0.0, 1.0),
        "share of the predicted values that the fixing rule 'uebo' fixes",
    ),
    parameter(
        "integers",
        Domain::Real(0.3, 0.0, 1.0),
        "share of the free general integers whose leading bits are predicted in a round, if the model predicts bits: the surest of them; 0 leaves general integers to the search",
    ),
    parameter(
        "local",
        Domain::Real(0.6, 0.0, 1.0),
        "share of the budget for local search after the rounds (and, of that, a part before them): flips and exchanges where the problem allows them, and neighbourhoods of the incumbent that the prediction guides; 0 for the rounds alone, as in the paper. Only for strategies with several rounds",
    ),
    parameter(
        "neighbourhoods",
        Domain::Bool(true),
        "local search has neighbourhoods of the incumbent, too, and not only flips and exchanges",
    ),
    parameter(
        "strengthen",
        Domain::Bool(true),
        "give the searches rows that follow from the others and make their relaxation tighter, where a binary switches several variables on, and short rows in place of long ones that share a sum; the user's problem stays as it is",
    ),
    parameter(
        "objectivecut",
        Domain::Bool(false),
        "search only for solutions strictly better than the incumbent, instead of no worse",
    ),
    parameter(
        "timing",
        Domain::Word(&["auto", "before", "after"]),
        "when to run: 'before' the root LP (the incumbent is poor and cuts take long) or 'after' it (the LP is there to read); 'auto' is before for a network that does not look at the LP, and after otherwise",
    ),
    parameter(
        "minbinaries",
        Domain::Int(20, 1, i32::MAX as i64),
        "stay out of problems with fewer free binaries than this",
    ),
    parameter(
        "device",
        Domain::Word(&["auto", "cpu", "cuda", "tensorrt"]),
        "where the network runs; 'auto' takes a GPU where ONNX Runtime has one and the CPU otherwise",
    ),
    parameter("threads", Domain::Int(1, 1, 1024), "threads for the network on the CPU"),
    parameter(
        "subscip",
        Domain::Text(""),
        "settings file for the sub-SCIPs, read after the built-in settings; empty for none",
    ),
    parameter(
        "seed",
        Domain::Int(0, 0, i32::MAX as i64),
        "seed that shifts the random seeds of the sub-SCIPs",
    ),
];

/// Who predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictorChoice {
    /// The LP relaxation.
    Relaxation,
    /// The network in `model`.
    Onnx,
}

/// Where a network is asked to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// A GPU if there is one, else the CPU.
    Auto,
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU through CUDA.
    Cuda,
    /// An NVIDIA GPU through TensorRT.
    TensorRt,
}

/// Before or after the LP relaxation of the root node is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Whatever suits the predictor.
    Auto,
    /// Before it.
    Before,
    /// After it.
    After,
}

/// The parameters' values, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Who predicts.
    pub predictor: PredictorChoice,
    /// The model file, the name of a shipped one, or `auto`; empty for none.
    pub model: String,
    /// Rounds, strategy and fixing rule. Its budget is filled in when the run starts.
    pub plan: Plan,
    /// The schedule as it was written: a model may recommend another where nobody wrote one.
    schedule: Schedule,
    /// Share of the remaining time limit.
    pub budget_share: f64,
    /// Seconds at most in the first turn, as a multiple of those that the solve took before.
    pub budget_effort: f64,
    /// Seconds at most.
    pub budget_seconds: f64,
    /// Seconds where nothing else limits.
    pub budget_nolimit: f64,
    /// When to run.
    pub timing: Timing,
    /// Fewest free binaries.
    pub min_binaries: usize,
    /// Where the network runs.
    pub device: Device,
    /// Its threads on the CPU.
    pub threads: usize,
    /// Rows that tighten relaxations are added to searches and to the LP that predicts.
    pub strengthen: bool,
    /// Settings file for sub-SCIPs; empty for none.
    pub sub_scip: String,
    /// Seed.
    pub seed: i32,
}

/// The parameters of the schedule, as texts.
#[derive(Clone, Debug, PartialEq)]
struct Schedule {
    /// The strategy has more than one round.
    alternating: bool,
    rounds: i64,
    /// `k0`, `k1`, `radius`, `timeshares`.
    lists: [String; 4],
}

const LISTS: [&str; 4] = ["k0", "k1", "radius", "timeshares"];

impl Schedule {
    fn rounds(&self) -> Result<Vec<Round>> {
        let [k0, k1, radius, timeshares] = &self.lists;
        let rounds = if self.alternating { self.rounds as usize } else { 1 };
        schedule::schedule(rounds, k0, k1, radius, timeshares)
    }

    /// Nobody set any of them.
    fn is_default(&self) -> bool {
        let default = |name: &str| find(name).map(Parameter::default);
        let text = |(name, list): (&&str, &String)| default(name) == Some(Value::Text(list.clone()));
        default("rounds") == Some(Value::Int(self.rounds)) && LISTS.iter().zip(&self.lists).all(text)
    }
}

/// The parameter called `name`.
pub fn find(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|parameter| parameter.name == name)
}

impl Parameter {
    /// Its value when nobody sets it.
    pub fn default(&self) -> Value {
        match self.domain {
            Domain::Bool(default) => Value::Bool(default),
            Domain::Real(default, ..) => Value::Real(default),
            Domain::Int(default, ..) => Value::Int(default),
            Domain::Text(default) => Value::Text(default.to_string()),
            Domain::Word(words) => Value::Text(words[0].to_string()),
        }
    }
}

/// Looks the values up, one a parameter.
struct Reader<F>(F);

impl<F: Fn(&'static Parameter) -> Value> Reader<F> {
    fn value(&self, name: &str) -> Value {
        (self.0)(find(name).expect("every name in this file is in the table"))
    }

    fn text(&self, name: &str) -> String {
        match self.value(name) {
            Value::Text(text) => text,
            other => unreachable!("{name} is a text, not {other:?}"),
        }
    }

    fn int(&self, name: &str) -> i64 {
        match self.value(name) {
            Value::Int(number) => number,
            other => unreachable!("{name} is a whole number, not {other:?}"),
        }
    }

    fn real(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Real(number) => number,
            other => unreachable!("{name} is a number, not {other:?}"),
        }
    }

    /// Translates a word of the parameter's list.
    fn word<T>(&self, name: &str, meaning: impl Fn(&str) -> Option<T>) -> Result<T> {
        let word = self.text(name);
        meaning(&word).ok_or_else(|| {
            let Some(Parameter { domain: Domain::Word(words), .. }) = find(name) else {
                unreachable!("{name} takes words")
            };
            let why = format!("'{word}' is not one of {}", words.join(", "));
            Error::Setting { name: name.to_string(), why }
        })
    }
}

impl Settings {
    /// Understands the parameters' values, as `value` tells them.
    pub fn read(value: impl Fn(&'static Parameter) -> Value) -> Result<Settings> {
        let reader = Reader(value);
        let model = reader.text("model");
        let predictor = reader.word("predictor", |word| match word {
            "auto" if model.is_empty() => Some(PredictorChoice::Relaxation),
            "relaxation" => Some(PredictorChoice::Relaxation),
            "auto" | "onnx" => Some(PredictorChoice::Onnx),
            _ => None,
        })?;
        let (usage, own_rule, alternating) = reader.word("strategy", |word| match word {
            "apollo" => Some((Use::Region, FixingRule::Consistent, true)),
            "ps" => Some((Use::Region, FixingRule::Consistent, false)),
            "nd" => Some((Use::Fix, FixingRule::Consistent, false)),
            "multi-stage" => Some((Use::Region, FixingRule::Predicted, true)),
            "direct" => Some((Use::Region, FixingRule::Reference, true)),
            "ws-ps" => Some((Use::Start, FixingRule::Consistent, false)),
            "ws-apollo" => Some((Use::Start, FixingRule::Consistent, true)),
            _ => None,
        })?;
        let rule = reader.word("fixing", |word| match word {
            "strategy" => Some(own_rule),
            "consistent" => Some(FixingRule::Consistent),
            "predicted" => Some(FixingRule::Predicted),
            "reference" => Some(FixingRule::Reference),
            "uebo" => Some(FixingRule::Uebo),
            _ => None,
        })?;
        let timing = reader.word("timing", |word| match word {
            "auto" => Some(Timing::Auto),
            "before" => Some(Timing::Before),
            "after" => Some(Timing::After),
            _ => None,
        })?;
        let device = reader.word("device", |word| match word {
            "auto" => Some(Device::Auto),
            "cpu" => Some(Device::Cpu),
            "cuda" => Some(Device::Cuda),
            "tensorrt" => Some(Device::TensorRt),
            _ => None,
        })?;
        let schedule = Schedule {
            alternating,
            rounds: reader.int("rounds"),
            lists: LISTS.map(|name| reader.text(name)),
        };
        let nodes = u64::try_from(reader.int("budget/nodes")).ok();
        let plan = Plan {
            rounds: schedule.rounds()?,
            usage,
            rule,
            uebo_share: reader.real("ueboshare"),
            integers: reader.real("integers"),
            objective_cut: reader.value("objectivecut") == Value::Bool(true),
            local: if alternating { reader.real("local") } else { 0.0 },
            opening: true,
            neighbourhoods: reader.value("neighbourhoods") == Value::Bool(true),
            seed: reader.int("seed") as u64,
            budget: Budget { seconds: f64::INFINITY, nodes },
        };
        Ok(Settings {
            predictor,
            model,
            plan,
            schedule,
            budget_share: reader.real("budget/share"),
            budget_effort: reader.real("budget/effort"),
            budget_seconds: reader.real("budget/seconds"),
            budget_nolimit: reader.real("budget/nolimit"),
            timing,
            min_binaries: reader.int("minbinaries") as usize,
            device,
            threads: reader.int("threads") as usize,
            strengthen: reader.value("strengthen") == Value::Bool(true),
            sub_scip: reader.text("subscip"),
            seed: reader.int("seed") as i32,
        })
    }

    /// Whether local search goes on when the solve lasts: not where the first turn has had all it may have,
    /// nor where only nodes count.
    pub fn has_later_turns(&self) -> bool {
        let is_limited = self.budget_effort < 1e20 && self.budget_seconds >= 1e20;
        is_limited && self.plan.budget.nodes.is_none() && self.plan.local > 0.0 && self.budget_share > 0.0
    }

    /// The rounds that a model recommends; none if the user has set a schedule.
    pub fn recommended(&self, by_model: &Recommended) -> Option<Vec<Round>> {
        if !self.schedule.is_default() {
            return None;
        }
        let Recommended { rounds, k0, k1, radius, timeshares } = by_model;
        let mut schedule = self.schedule.clone();
        schedule.rounds = rounds.map_or(schedule.rounds, |rounds| rounds as i64);
        for (list, other) in schedule.lists.iter_mut().zip([k0, k1, radius, timeshares]) {
            if let Some(other) = other {
                list.clone_from(other);
            }
        }
        schedule.rounds().ok()
    }

    /// The budget of a run that starts `used` seconds into a solve with `left` seconds of its time
    /// limit left (infinite if there is none).
    pub fn budget(&self, used: f64, left: f64) -> Budget {
        let nodes = self.plan.budget.nodes;
        let unlimited = |seconds: f64| if seconds >= 1e20 { f64::INFINITY } else { seconds };
        let share = match (left.is_finite(), nodes) {
            (true, _) => self.budget_share * left,
            // A share of 0 means "off" with or without a time limit.
            (false, _) if self.budget_share == 0.0 => 0.0,
            (false, Some(_)) => f64::INFINITY,
            (false, None) => self.budget_nolimit,
        };
        // Who counts nodes has said how much it may be. Where nothing but nodes counts no clock is asked: that
        // is what makes a run repeatable.
        let effort = if nodes.is_none() { used * unlimited(self.budget_effort) } else { f64::INFINITY };
        // 0 · ∞ above is "no limit" too.
        let effort = if effort.is_nan() { f64::INFINITY } else { effort };
        Budget { seconds: share.min(effort).min(unlimited(self.budget_seconds)), nodes }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::read(Parameter::default).expect("the defaults in the table are valid")
    }
}

/// The page `docs/PARAMETERS.md`.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Parameters\n\nAll begin with `heuristics/apollo/`. Set them in a settings file (`heuristics/apollo/rounds = 3`), \
         in SCIP's shell (`set heuristics apollo rounds 3`), with `model.setParam(\"heuristics/apollo/rounds\", 3)` in PySCIPOpt, \
         or with `apollo solve FILE --set rounds=3`. SCIP's own parameters of every heuristic (`priority`, `freq`, …) are there too.\n\n\
         This page is made from the table in `src/settings.rs`.\n\n| name | default | values | meaning |\n|---|---|---|---|\n",
    );
    for Parameter { name, domain, help } in PARAMETERS {
        let number = |value: f64| if value >= 1e20 { "∞".to_string() } else { value.to_string() };
        let whole = |value: i64| if value >= i32::MAX as i64 { "∞".to_string() } else { value.to_string() };
        let (default, values) = match domain {
            Domain::Bool(default) => (default.to_string().to_uppercase(), "TRUE, FALSE".to_string()),
            Domain::Real(default, least, most) => (number(*default), format!("{least} … {}", number(*most))),
            Domain::Int(default, least, most) => (whole(*default), format!("{least} … {}", whole(*most))),
            Domain::Text(default) => (format!("\"{default}\""), "text".to_string()),
            Domain::Word(words) => (format!("\"{}\"", words[0]), words.join(", ")),
        };
        page += &format!("| `{name}` | `{default}` | {values} | {help} |\n");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Amount;

    /// The defaults with some texts changed.
    fn read(changes: &[(&str, &str)]) -> Result<Settings> {
        Settings::read(|parameter| match changes.iter().find(|change| change.0 == parameter.name) {
            Some((_, text)) => Value::Text(text.to_string()),
            None => parameter.default(),
        })
    }

    #[test]
    fn strategies_mean_what_the_method_says() {
        let plan = |strategy| read(&[("strategy", strategy)]).unwrap().plan;
        assert_eq!((plan("apollo").rounds.len(), plan("apollo").rule), (4, FixingRule::Consistent));
        assert_eq!((plan("ps").rounds.len(), plan("ps").usage), (1, Use::Region));
        assert_eq!((plan("nd").rounds.len(), plan("nd").usage), (1, Use::Fix));
        assert_eq!(plan("multi-stage").rule, FixingRule::Predicted);
        assert_eq!(plan("direct").rule, FixingRule::Reference);
        assert_eq!((plan("ws-ps").rounds.len(), plan("ws-ps").usage), (1, Use::Start));
        assert_eq!((plan("ws-apollo").rounds.len(), plan("ws-apollo").usage), (4, Use::Start));
        assert_eq!(read(&[("fixing", "uebo")]).unwrap().plan.rule, FixingRule::Uebo);
    }

    #[test]
    fn a_model_alone_chooses_the_network() {
        assert_eq!(read(&[]).unwrap().predictor, PredictorChoice::Relaxation);
        assert_eq!(read(&[("model", "m.onnx")]).unwrap().predictor, PredictorChoice::Onnx);
        assert_eq!(read(&[("model", "auto")]).unwrap().predictor, PredictorChoice::Onnx);
    }

    #[test]
    fn a_model_recommends_a_schedule_where_the_user_has_set_none() {
        let by_model = Recommended::parse(r#"{"k0":"7","rounds":2,"timeshares":"1,9"}"#).unwrap();
        let rounds = read(&[]).unwrap().recommended(&by_model).unwrap();
        assert_eq!(rounds.len(), 2);
        assert_eq!((rounds[1].k0, rounds[1].time), (Amount::Count(7), 9.0));
        assert_eq!(rounds[0].radius, Amount::Share(0.2), "what it leaves out stays");
        let once = read(&[("strategy", "ps")]).unwrap().recommended(&by_model).unwrap();
        assert_eq!(once.len(), 1, "the strategy has one round whatever the model says");
        for set in LISTS {
            assert_eq!(read(&[(set, "0.15")]).unwrap().recommended(&by_model), None, "{set}");
        }
    }

    #[test]
    fn a_wrong_word_is_named_with_the_right_ones() {
        let error = read(&[("strategy", "appollo")]).unwrap_err().to_string();
        assert!(error.contains("strategy") && error.contains("'appollo'") && error.contains("multi-stage"));
    }

    #[test]
    fn budgets() {
        let mut settings = Settings { budget_share: 0.5, budget_nolimit: 30.0, ..Settings::default() };
        settings.budget_effort = 1e20;
        assert_eq!(settings.budget(0.0, 10.0).seconds, 5.0);
        assert_eq!(settings.budget(3.0, f64::INFINITY).seconds, 30.0);
        settings.budget_effort = 2.0;
        assert_eq!(settings.budget(0.25, 10.0).seconds, 0.5, "an easy problem so far");
        assert_eq!(settings.budget(4.0, 10.0).seconds, 5.0);
        settings.budget_seconds = 0.5;
        assert_eq!(settings.budget(4.0, 10.0).seconds, 0.5);
        settings.budget_seconds = 1e20;
        settings.plan.budget.nodes = Some(7);
        let repeatable = Budget { seconds: f64::INFINITY, nodes: Some(7) };
        assert_eq!(settings.budget(4.0, f64::INFINITY), repeatable);
        assert_eq!(settings.budget(0.0, 10.0).seconds, 5.0, "who counts nodes is not held back");
        settings.budget_share = 0.0;
        assert!(settings.budget(4.0, f64::INFINITY).is_spent());
    }

    #[test]
    fn the_page_in_docs_is_this_table() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/PARAMETERS.md"));
        assert!(
            page.is_ok_and(|page| page == markdown()),
            "write it anew: apollo parameters > docs/PARAMETERS.md"
        );
    }
}
