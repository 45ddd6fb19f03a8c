//! Which SCIP is in this process.
//!
//! The plugin names no libscip among its own libraries: SCIP is the host's, whatever its file is
//! called, and a second copy in one process would be a disaster. But some hosts load their libscip
//! privately (Python imports with RTLD_LOCAL), where our lazily bound symbols would not find it. So
//! before the first call the library is looked up among those already loaded and made global.

use crate::error::{Error, Result};
use scip_sys::{SCIP, SCIP_RETCODE};
use std::ffi::{CStr, CString, c_void};
use std::path::PathBuf;

/// The only major version whose interface this plugin knows.
const MAJOR: i32 = 10;

/// The SCIP of this process.
#[derive(Clone, Debug)]
pub struct Host {
    /// Its file; none where SCIP is part of the program itself.
    pub library: Option<PathBuf>,
    /// Its version: major, minor, technical.
    pub version: (i32, i32, i32),
}

/// Finds the SCIP of this process, makes its symbols visible to us, and refuses a version that we do
/// not know.
pub fn find_host() -> Result<Host> {
    let library = loaded_scip();
    if let Some(path) = &library {
        open_loaded(path);
    }
    if symbol(libc::RTLD_DEFAULT, c"SCIPmajorVersion").is_null() {
        return Err(Error::NoScip);
    }
    // SAFETY: the symbol exists (checked above); these functions take nothing and read constants.
    let version =
        unsafe { (scip_sys::SCIPmajorVersion(), scip_sys::SCIPminorVersion(), scip_sys::SCIPtechVersion()) };
    if version.0 != MAJOR {
        return Err(Error::ScipVersion { major: version.0, minor: version.1 });
    }
    let library = library.map(|path| PathBuf::from(path.to_string_lossy().into_owned()));
    Ok(Host { library, version })
}

/// The host's own `SCIPincludeDefaultPlugins`, which the preload hook stands in front of.
pub fn next_include_default_plugins() -> Option<unsafe extern "C" fn(*mut SCIP) -> SCIP_RETCODE> {
    const NAME: &CStr = c"SCIPincludeDefaultPlugins";
    let found = match loaded_scip().map(|path| open_loaded(&path)) {
        Some(library) if !library.is_null() => symbol(library, NAME),
        _ => symbol(libc::RTLD_NEXT, NAME),
    };
    // SAFETY: the function of this name in every SCIP takes a SCIP* and returns a SCIP_RETCODE, and a
    // null pointer is exactly None.
    unsafe {
        std::mem::transmute::<*mut c_void, Option<unsafe extern "C" fn(*mut SCIP) -> SCIP_RETCODE>>(found)
    }
}

/// The address of a symbol, or null.
fn symbol(library: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: dlsym reads the name and searches loaded libraries only.
    unsafe { libc::dlsym(library, name.as_ptr()) }
}

/// Opens a library that is loaded already and makes its symbols global; null if it is not loaded.
/// The handle is never closed: the host owns the library for as long as the process lives.
fn open_loaded(path: &CStr) -> *mut c_void {
    // SAFETY: RTLD_NOLOAD runs no code of the library: it is in the process already.
    unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_GLOBAL) }
}

/// The path of the libscip that is loaded.
#[cfg(target_os = "linux")]
fn loaded_scip() -> Option<CString> {
    // The walk holds a lock of the loader's: nothing is opened in it, or two threads could wait for each other.
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> i32 {
        // SAFETY: the loader passes a valid record whose name is null or a C string.
        let name = unsafe { (*info).dlpi_name };
        if name.is_null() {
            return 0;
        }
        // SAFETY: not null (above), so a C string that lives during this call.
        let path = unsafe { CStr::from_ptr(name) };
        let file = path.to_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        // libscip.so.10.0, libscip-d031042e.so.10.0, … but not libscipy_openblas.so.
        let rest = file.strip_prefix(b"libscip");
        if rest.and_then(|rest| rest.first()).is_some_and(|byte| !byte.is_ascii_alphabetic()) {
            // SAFETY: `found` is the Vec below, which outlives the walk.
            unsafe { (*found.cast::<Vec<CString>>()).push(path.to_owned()) };
        }
        0
    }
    let mut found: Vec<CString> = vec![];
    // SAFETY: `look` has the signature that dl_iterate_phdr calls, and does not panic.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut found).cast()) };
    found.into_iter().find(|path| {
        let library = open_loaded(path);
        !library.is_null() && !symbol(library, c"SCIPincludeHeurBasic").is_null()
    })
}

/// Elsewhere the symbols of a loaded libscip are found without its path.
#[cfg(not(target_os = "linux"))]
fn loaded_scip() -> Option<CString> {
    None
}

/// The file that this code is in: the plugin, or the program that it is part of.
pub fn own_file() -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let here: fn() -> Option<PathBuf> = own_file;
    // SAFETY: dladdr looks the address of this very function up and fills the record, or returns 0.
    if unsafe { libc::dladdr(here as *const c_void, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: filled, as the call just said; zeroed before, so initialised in any case.
    let name = unsafe { info.assume_init() }.dli_fname;
    if name.is_null() {
        return None;
    }
    // SAFETY: a C string of the loader's that lives as long as this library.
    let path = unsafe { CStr::from_ptr(name) };
    std::fs::canonicalize(PathBuf::from(path.to_string_lossy().into_owned())).ok()
}
