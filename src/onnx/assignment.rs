//! Which execution provider ONNX Runtime gave each node of a network to.
//!
//! The only `unsafe` outside the SCIP folder: the safe interface of `ort` does not tell, and a device
//! that is only believed to run is no honest report.

use ort::AsPointer;
use ort::session::Session;
use std::ffi::CStr;
use std::ptr;

/// (provider, number of nodes); none if this ONNX Runtime does not tell.
pub(super) fn assigned_providers(session: &Session) -> Option<Vec<(String, usize)>> {
    let api = ort::api();
    let (mut subgraphs, mut count) = (ptr::null(), 0usize);
    // SAFETY: a live session and valid places for the answer, which the session owns.
    let status = unsafe { (api.Session_GetEpGraphAssignmentInfo)(session.ptr(), &mut subgraphs, &mut count) };
    if !status.0.is_null() {
        // SAFETY: a status that is not null is ours to release, once.
        unsafe { (api.ReleaseStatus)(status.0) };
        return None;
    }
    let mut providers: Vec<(String, usize)> = vec![];
    for i in 0..count {
        // SAFETY: the array has `count` entries.
        let subgraph = unsafe { *subgraphs.add(i) };
        let (mut name, mut nodes, mut size) = (ptr::null(), ptr::null(), 0usize);
        // SAFETY: an entry of the session's answer and a valid place; the name is a C string that the
        // session owns. A failure leaves it null.
        let _ = unsafe { (api.EpAssignedSubgraph_GetEpName)(subgraph, &mut name) };
        // SAFETY: as above.
        let _ = unsafe { (api.EpAssignedSubgraph_GetNodes)(subgraph, &mut nodes, &mut size) };
        if name.is_null() {
            continue;
        }
        // SAFETY: not null, so a C string (above).
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        match providers.iter_mut().find(|provider| provider.0 == name) {
            Some(provider) => provider.1 += size,
            None => providers.push((name, size)),
        }
    }
    Some(providers)
}
