//! SCIP's parameters from text: for programs that take settings from people.

use super::call::scip;
use super::main_scip::{MainScip, text};
use crate::error::{Error, Result};
use scip_sys as ffi;
use std::path::Path;

/// Sets any parameter of SCIP from its value as text.
pub fn set_parameter<T>(model: &russcip::Model<T>, name: &str, value: &str) -> Result<()> {
    // SAFETY: the model owns a live SCIP, and is used by the thread that holds the reference.
    set(unsafe { MainScip::new(model.scip_ptr()) }, name, value)
}

/// The same for a SCIP by its pointer.
pub(super) fn set(scip: MainScip<'_>, name: &str, value: &str) -> Result<()> {
    let refuse = |why: &str| Error::Parameter {
        name: name.to_string(),
        value: value.to_string(),
        why: why.to_string(),
    };
    let key = text(name);
    // SAFETY: live SCIP; the name is a C string.
    let parameter = unsafe { ffi::SCIPgetParam(scip.raw(), key.as_ptr()) };
    if parameter.is_null() {
        return Err(refuse("SCIP has no parameter of this name"));
    }
    let whole = || value.parse::<i64>().map_err(|_| refuse("a whole number is wanted"));
    let (raw, key) = (scip.raw(), key.as_ptr());
    // SAFETY: a parameter of a live SCIP.
    let set = match unsafe { ffi::SCIPparamGetType(parameter) } {
        ffi::SCIP_ParamType_SCIP_PARAMTYPE_BOOL => {
            let value = match value.to_ascii_lowercase().as_str() {
                "true" | "1" => 1,
                "false" | "0" => 0,
                _ => return Err(refuse("TRUE or FALSE is wanted")),
            };
            // SAFETY: live SCIP and a parameter of this type, here and below.
            unsafe { scip!(SCIPsetBoolParam(raw, key, value)) }
        }
        ffi::SCIP_ParamType_SCIP_PARAMTYPE_INT => {
            let value = i32::try_from(whole()?).map_err(|_| refuse("the number is too large"))?;
            // SAFETY: see above.
            unsafe { scip!(SCIPsetIntParam(raw, key, value)) }
        }
        ffi::SCIP_ParamType_SCIP_PARAMTYPE_LONGINT => {
            let value = whole()?;
            // SAFETY: see above.
            unsafe { scip!(SCIPsetLongintParam(raw, key, value)) }
        }
        ffi::SCIP_ParamType_SCIP_PARAMTYPE_REAL => {
            let value = value
                .parse::<f64>()
                .ok()
                .filter(|v| !v.is_nan())
                .ok_or_else(|| refuse("a number is wanted"))?;
            // SAFETY: see above.
            unsafe { scip!(SCIPsetRealParam(raw, key, value)) }
        }
        ffi::SCIP_ParamType_SCIP_PARAMTYPE_CHAR => {
            let &[letter] = value.as_bytes() else { return Err(refuse("a single letter is wanted")) };
            // SAFETY: see above.
            unsafe { scip!(SCIPsetCharParam(raw, key, letter as _)) }
        }
        // SAFETY: see above.
        _ => unsafe { scip!(SCIPsetStringParam(raw, key, text(value).as_ptr())) },
    };
    set.map_err(|_| refuse("SCIP does not accept this value"))
}

/// Reads a settings file.
pub fn read_settings<T>(model: &russcip::Model<T>, path: &Path) -> Result<()> {
    let refuse = |why: &str| Error::File { path: path.to_path_buf(), why: why.to_string() };
    if !path.is_file() {
        return Err(refuse("there is no such settings file"));
    }
    // SAFETY: the model owns a live SCIP; the path is a C string.
    unsafe { scip!(SCIPreadParams(model.scip_ptr(), text(&path.to_string_lossy()).as_ptr())) }
        .map_err(|_| refuse("SCIP does not accept this settings file"))
}
