//! numpy's `.npz`: a zip of `.npy` arrays, written so that equal contents are equal bytes, and read so
//! that no file, however damaged, can do more than be refused.

use crate::error::{Error, Result};
use ndarray::{ArrayView, IxDyn};
use ndarray_npy::npy::header::{Header, Layout};
use ndarray_npy::{ReadableElement, WritableElement, WriteNpyExt};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Cursor, Read, Seek, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipArchive, ZipWriter};

/// What went wrong inside a file; whoever knows its path makes an [`Error`] of it.
pub type Inside<T> = std::result::Result<T, String>;

/// A file in the making, in memory: only whole files reach the disk.
pub struct Pack(ZipWriter<Cursor<Vec<u8>>>);

impl Pack {
    /// Without members.
    pub fn new() -> Pack {
        Pack(ZipWriter::new(Cursor::new(vec![])))
    }

    /// Appends bytes as they are. Nothing about the clock or the machine goes in.
    pub fn raw(&mut self, name: &str, bytes: &[u8]) -> Inside<()> {
        self.start(name)?;
        self.0.write_all(bytes).map_err(|error| format!("member {name}: {error}"))
    }

    /// Appends an array in row-major order.
    pub fn array<T: WritableElement>(&mut self, name: &str, shape: &[usize], data: &[T]) -> Inside<()> {
        let failed = |error: &dyn std::fmt::Display| format!("member {name}: {error}");
        let array = ArrayView::from_shape(IxDyn(shape), data).map_err(|error| failed(&error))?;
        self.start(&format!("{name}.npy"))?;
        array.write_npy(&mut self.0).map_err(|error| failed(&error))
    }

    /// Appends a list.
    pub fn vector<T: WritableElement>(&mut self, name: &str, data: &[T]) -> Inside<()> {
        self.array(name, &[data.len()], data)
    }

    fn start(&mut self, name: &str) -> Inside<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::DEFAULT)
            .system(System::Unix)
            .unix_permissions(0o644);
        self.0.start_file(name, options).map_err(|error| format!("member {name}: {error}"))
    }

    /// The bytes of the file.
    pub fn finish(self) -> Inside<Vec<u8>> {
        self.0.finish().map(Cursor::into_inner).map_err(|error| error.to_string())
    }
}

/// Writes a file under another name, and gives it its own once it is safely on the disk: nobody ever
/// sees half of it.
pub fn save(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut temporary = OsString::from(path);
    temporary.push(format!(".tmp-{}", std::process::id()));
    let put = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    put().map_err(|error| {
        let _ = fs::remove_file(&temporary); // it may not even exist; the first error is the one to tell
        let why =
            format!("cannot be written ({error}): name a folder that exists, is yours to write and has room");
        Error::File { path: path.into(), why }
    })
}

/// The same, but nothing else is ever overwritten: what is already there must be the same file.
pub fn save_new(path: &Path, bytes: &[u8]) -> Result<()> {
    if !path.exists() {
        return save(path, bytes);
    }
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let why = "is another file that is already there: remove it, or name another folder".into();
    Err(Error::File { path: path.into(), why })
}

/// The longest array header that is read. numpy's are 128 bytes for arrays like ours.
const LONGEST_HEADER: usize = 512;

/// A file to read from.
pub struct Unpack<R>(ZipArchive<R>);

impl<R: Read + Seek> Unpack<R> {
    /// Finds the members.
    pub fn new(reader: R) -> Inside<Unpack<R>> {
        ZipArchive::new(reader).map(Unpack).map_err(|error| format!("it is no whole .npz file: {error}"))
    }

    /// The bytes of a member. They grow as they come, and the checksum at their end is checked, so a
    /// wrong size in a damaged file allocates nothing.
    pub fn raw(&mut self, name: &str) -> Inside<Vec<u8>> {
        let mut member = self.0.by_name(name).map_err(|error| match error {
            zip::result::ZipError::FileNotFound => format!("{name} is missing"),
            error => format!("{name}: {error}"),
        })?;
        let mut bytes = vec![];
        member.read_to_end(&mut bytes).map_err(|error| format!("{name}: {error}"))?;
        Ok(bytes)
    }

    /// An array with this many dimensions: its shape, and its numbers in row-major order.
    pub fn array<T: ReadableElement, const D: usize>(&mut self, name: &str) -> Inside<([usize; D], Vec<T>)> {
        let bytes = self.raw(&format!("{name}.npy"))?;
        let wrong = |why: String| format!("{name}: {why}");
        // The header's own length is checked first: what reads it believes it. It is a version 1 header
        // for every array whose header is shorter than 64 kB.
        match bytes[..] {
            [_, _, _, _, _, _, 1, 0, low, high, ..]
                if u16::from_le_bytes([low, high]) as usize <= LONGEST_HEADER => {}
            _ => return Err(wrong("no array of numpy's".into())),
        }
        let mut rest = &bytes[..];
        let header = Header::from_reader(&mut rest).map_err(|error| wrong(error.to_string()))?;
        let shape: [usize; D] = header
            .shape
            .try_into()
            .map_err(|shape: Vec<usize>| wrong(format!("{} dimensions instead of {D}", shape.len())))?;
        // Row-major and column-major are the same with one dimension.
        if D > 1 && header.layout == Layout::Fortran {
            return Err(wrong("column-major; numpy.ascontiguousarray makes it row-major".into()));
        }
        let length = shape.iter().try_fold(1usize, |product, &side| product.checked_mul(side));
        match length.and_then(|length| length.checked_mul(size_of::<T>())) {
            Some(needed) if needed == rest.len() => {}
            _ => return Err(wrong(format!("{} bytes for the shape {shape:?}", rest.len()))),
        }
        T::read_to_end_exact_vec(rest, &header.type_descriptor, length.unwrap_or(0))
            .map(|data| (shape, data))
            .map_err(|error| wrong(error.to_string()))
    }

    /// A list of known length.
    pub fn vector<T: ReadableElement>(&mut self, name: &str, length: usize) -> Inside<Vec<T>> {
        let ([found], data) = self.array::<T, 1>(name)?;
        if found == length { Ok(data) } else { Err(format!("{name}: {found} numbers instead of {length}")) }
    }

    /// A table of known shape.
    pub fn table<T: ReadableElement>(&mut self, name: &str, rows: usize, width: usize) -> Inside<Vec<T>> {
        let (shape, data) = self.array::<T, 2>(name)?;
        if shape == [rows, width] {
            Ok(data)
        } else {
            Err(format!("{name}: {} × {} numbers instead of {rows} × {width}", shape[0], shape[1]))
        }
    }
}
