use super::*;
use crate::data::pool::POOL;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;

/// A maximised problem with integers, a continuous variable, an equality and two empty rows.
fn problem() -> Problem {
    let mut problem = Problem { maximise: true, offset: -0.1, ..Problem::default() };
    problem.add_column(-4.0, 0.0, 1.0, Kind::Binary);
    problem.add_column(2.5, -3.0, 9.0, Kind::Integer);
    problem.add_column(-0.0, 0.0, 1.0, Kind::Binary);
    problem.add_column(1.0 / 3.0, f64::NEG_INFINITY, f64::INFINITY, Kind::Continuous);
    problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
    problem.rows.push(0.0, [], f64::INFINITY);
    problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (3, -0.7), (1, 2.0)], 8.0);
    problem.rows.push(1.0, [(4, 1.0), (2, 1.0)], 1.0);
    problem.rows.push(-1.0, [], 1.0);
    problem
}

fn instance() -> Instance {
    let problem = problem();
    let mut pool = Pool::new(&problem, POOL);
    pool.insert(&[1.0, -3.0, 0.0, 0.5, 1.0], -10.3, 1.5, Teacher::Scip);
    pool.insert(&[0.0, 9.0, 1.0, 0.5, 0.0], 4.25, 0.25, Teacher::Neighbourhood);
    let fixings = Fixings::from([(0, 1.0), (3, 0.5)]);
    let mut reduced = Pool::new(&problem.reduce(&fixings).problem, POOL);
    reduced.insert(&[7.0, 1.0, 0.0], 3.0, 2.0, Teacher::Apollo);
    let empty = Pool::new(&problem.reduce(&Fixings::new()).problem, POOL);
    let mut meta = Meta::new("a/b c", &problem);
    meta.family = Some("ca".into());
    meta.teacher = "SCIP, 60 s".into();
    meta.seconds = 0.1 + 0.2;
    meta.seed = u64::MAX;
    meta.bound = Some(11.1);
    meta.audit = Some(Audit { seconds: 600.0, objective: 10.9 });
    let augmented = vec![Sample { fixings, pool: reduced }, Sample { fixings: Fixings::new(), pool: empty }];
    Instance { meta, problem: Some(problem), pool, augmented }
}

fn unpack(bytes: &[u8]) -> Inside<Instance> {
    Instance::unpack(Cursor::new(bytes))
}

/// The members of a file, for putting them together anew.
fn members(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut file = Unpack::new(Cursor::new(bytes)).unwrap();
    let names = archive.file_names().map(|name| name.unwrap());
    names.map(|name| (name.to_string(), file.raw(&name).unwrap())).collect()
}

/// A file of these members, with right checksums; not compressed, which is faster.
fn packed(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(vec![]));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in members {
        zip.start_file(name.as_str(), stored).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn what_was_written_is_read() {
    let instance = instance();
    let read = unpack(&instance.pack().unwrap()).unwrap();
    assert_eq!(read, instance);
    assert_eq!(read.pool.solutions[0].integers, [-3]);
    assert_eq!(read.augmented[0].pool.binaries, [1, 2], "columns 2 and 4 of the parent");
}

#[test]
fn a_stripped_file_is_small_and_has_the_pools() {
    let whole = instance();
    let stripped = Instance { problem: None, ..whole.clone() };
    let bytes = stripped.pack().unwrap();
    assert_eq!(unpack(&bytes).unwrap(), stripped);
    assert!(bytes.len() < whole.pack().unwrap().len());
}

#[test]
fn a_problem_without_anything_is_a_file_too() {
    let problem = Problem::default();
    let pool = Pool::new(&problem, POOL);
    let meta = Meta::new("nothing", &problem);
    let instance = Instance { meta, problem: Some(problem), pool, augmented: vec![] };
    assert_eq!(unpack(&instance.pack().unwrap()).unwrap(), instance);
}

#[test]
fn equal_contents_are_equal_bytes() {
    let bytes = instance().pack().unwrap();
    assert_eq!(instance().pack().unwrap(), bytes);
    assert_eq!(unpack(&bytes).unwrap().pack().unwrap(), bytes, "also after reading");
}

#[test]
fn objectives_in_the_file_are_the_users() {
    let bytes = instance().pack().unwrap();
    let ([_], objectives) = Unpack::new(Cursor::new(&bytes)).unwrap().array::<f64, 1>("objectives").unwrap();
    assert_eq!(objectives, [10.3, -4.25]);
}

#[test]
fn the_hash_knows_numbers_and_nothing_else() {
    let one = problem();
    let mut other = one.clone();
    other.objective[2] = 0.0;
    assert_eq!(hash(&one), hash(&other), "one zero is the other");
    other.rows.column.swap(0, 1);
    assert_ne!(hash(&one), hash(&other));
    other.rows.coefficient.swap(0, 1);
    assert_eq!(hash(&one), hash(&other), "the order of terms means nothing");
    let mut moved = one.clone();
    moved.rows.start[2] += 1;
    assert_ne!(hash(&one), hash(&moved), "which row a term is in does");
    for change in [
        |problem: &mut Problem| problem.maximise = false,
        |problem: &mut Problem| problem.offset += 1.0,
        |problem: &mut Problem| problem.upper[1] = 8.0,
        |problem: &mut Problem| problem.kind[1] = Kind::Continuous,
        |problem: &mut Problem| problem.rows.rhs[0] = 5.0,
    ] {
        let mut other = one.clone();
        change(&mut other);
        assert_ne!(hash(&one), hash(&other));
    }
    assert_eq!(hash(&one).len(), 64);
}

#[test]
fn the_name_of_a_file_has_the_hash_and_no_folder() {
    let name = instance().meta.file_name();
    assert!(name.starts_with("a_b_c-") && name.ends_with(".npz") && name.len() == 6 + 12 + 4, "{name}");
}

#[test]
fn another_format_is_named_with_what_to_do() {
    let mut members = members(&instance().pack().unwrap());
    let text = String::from_utf8(members[0].1.clone()).unwrap();
    members[0].1 =
        text.replace("\"format\": 1", "\"format\": 7").replace("\"columns\"", "\"sth\"").into_bytes();
    let why = unpack(&packed(&members)).unwrap_err();
    for part in ["format 7", "format 1", env!("CARGO_PKG_VERSION"), "collect it again"] {
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn features_of_another_version_are_made_anew() {
    let mut old = instance();
    old.meta.features = FEATURES.version() + 1;
    let read = unpack(&old.pack().unwrap()).unwrap();
    assert_eq!(read.meta.features, FEATURES.version());
}

#[test]
fn a_foreign_file_is_a_sentence() {
    let folder = std::env::temp_dir().join(format!("apollo-file-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("x.npz");
    for (bytes, part) in [(&b"no zip at all"[..], "no whole .npz"), (b"", "no whole .npz")] {
        std::fs::write(&path, bytes).unwrap();
        let error = Instance::read(&path).unwrap_err().to_string();
        assert!(error.contains("x.npz") && error.contains(part), "{error}");
    }
    let error = Instance::read(&folder.join("missing.npz")).unwrap_err().to_string();
    assert!(error.contains("missing.npz") && error.contains("cannot be read"), "{error}");
    let empty = unpack(&packed(&[])).unwrap_err();
    assert!(empty.contains("meta.json is missing"), "{empty}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nothing_is_left_of_a_file_that_cannot_be_written() {
    let error = instance().write(Path::new("/nonexistent/x.npz")).unwrap_err().to_string();
    assert!(error.contains("/nonexistent/x.npz") && error.contains("cannot be written"), "{error}");
    let folder = std::env::temp_dir().join(format!("apollo-unwritten-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("x.npz/in-the-way")).unwrap();
    assert!(instance().write(&folder.join("x.npz")).is_err(), "a folder has this name");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "the temporary file is gone");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn contents_that_do_not_fit_together_are_neither_written_nor_read() {
    type Change = fn(&mut Instance);
    let wrong: [(Change, &str); 12] = [
        (|one| one.pool.solutions[0].objective = f64::NAN, "objectives"),
        (|one| one.pool.solutions.swap(0, 1), "sorted"),
        (|one| one.pool.solutions[0].binaries[0] = 2, "0 or 1"),
        (|one| one.pool.solutions[1].integers.clear(), "length"),
        (|one| one.pool.solutions[1].seconds = f64::INFINITY, "times"),
        (|one| one.pool.binaries[0] = 1, "binaries"),
        (|one| one.pool.integers[0] = 99, "integers"),
        (|one| one.augmented[0].fixings = Fixings::from([(99, 1.0)]), "augmented/0"),
        (|one| one.augmented[0].fixings = Fixings::from([(2, 1.0)]), "augmented/0"),
        (|one| one.meta.seconds = f64::NAN, "not finite"),
        (|one| one.meta.columns += 1, "hash"),
        (|one| one.problem.as_mut().unwrap().lower[0] = f64::NAN, "lower"),
    ];
    for (change, part) in wrong {
        let mut instance = instance();
        change(&mut instance);
        let why = instance.pack().unwrap_err();
        assert!(why.contains(part), "{part}: {why}");
    }
}

#[test]
fn damage_behind_right_checksums_makes_no_panic() {
    let mut instance = instance();
    instance.augmented.truncate(1);
    let whole = members(&instance.pack().unwrap());
    let mut refused = 0;
    for k in 0..whole.len() {
        for at in 0..whole[k].1.len() {
            let mut members = whole.clone();
            members[k].1[at] ^= [1, 0x80, 0xff][at % 3];
            refused += unpack(&packed(&members)).is_err() as usize;
        }
        let mut members = whole.clone();
        members[k].1.pop();
        assert!(unpack(&packed(&members)).is_err(), "{} is cut off", whole[k].0);
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn a_shape_that_promises_too_much_allocates_nothing() {
    let mut members = members(&instance().pack().unwrap());
    let solutions = members.iter_mut().find(|(name, _)| name == "solutions.npy").unwrap();
    let header = String::from_utf8_lossy(&solutions.1).into_owned();
    let at = header.find("(2, 3)").unwrap();
    for shape in ["(9999999999,3)", "(0,9999999999999999999)", "(9999999999,9999999999)"] {
        let mut members = members.clone();
        let bytes = &mut members.iter_mut().find(|(name, _)| name == "solutions.npy").unwrap().1;
        // Behind the shape are a brace and padding: overwritten, so that the length stays.
        let end = at + shape.len();
        bytes.splice(at..end, shape.bytes());
        bytes[end] = b'}';
        let why = unpack(&packed(&members)).unwrap_err();
        assert!(why.contains("solutions"), "{why}");
    }
}

#[test]
fn no_damage_makes_a_panic() {
    let mut whole = instance();
    whole.augmented.truncate(1);
    let bytes = whole.pack().unwrap();
    for length in (0..bytes.len()).step_by(5).chain(bytes.len() - 40..bytes.len()) {
        assert!(unpack(&bytes[..length]).is_err(), "cut at {length}");
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= [1, 0x40, 0xff][at % 3];
        // The zip has bytes that mean nothing to us, such as the time: a file is refused or right.
        if let Ok(read) = unpack(&damaged) {
            assert_eq!(read, whole, "byte {at}");
        }
    }
}
