//! Links that hold a whole scenario: `#s=1.` and the deflated document in base64url.
//! Not for the address bar itself: the page puts links there.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::document::{Opened, Scenario};
use crate::json::MOST_BYTES;
use crate::problem::Problem;

/// The version of links that this release writes.
const VERSION: &str = "1";
/// The longest link that is read, bytes.
pub const MOST_LINK_BYTES: usize = 256 << 10;
/// How hard the document is packed: the best that deflate has.
const LEVEL: u8 = 10;

/// The scenario as the part of a link from `#` on: `#s=1.…`.
#[must_use]
pub fn encode(scenario: &Scenario) -> String {
    let packed = compress_to_vec(scenario.write().to_compact().as_bytes(), LEVEL);
    format!("#s={VERSION}.{}", URL_SAFE_NO_PAD.encode(packed))
}

/// Reads a link: a whole address, or its part from `#` or `s=` on.
///
/// # Errors
/// In plain words what is wrong with the link, or the problems of the document in it.
pub fn decode(link: &str) -> Result<Opened, Vec<Problem>> {
    let text = unpack(link.trim()).map_err(|message| vec![Problem::error("", message)])?;
    crate::open(&text)
}

fn unpack(link: &str) -> Result<String, String> {
    if link.len() > MOST_LINK_BYTES {
        let (size, most) = (link.len() >> 10, MOST_LINK_BYTES >> 10);
        return Err(format!("the link is too long: {size} KiB, at most {most} KiB are read"));
    }
    let fragment = link.rsplit_once('#').map_or(link, |(_, fragment)| fragment);
    let Some(content) = fragment.strip_prefix("s=") else {
        return Err("this link holds no scenario: `#s=` was expected in it".to_owned());
    };
    let Some((version, packed)) = content.split_once('.') else {
        return Err("the link is not complete: a version and a dot were expected after `s=`".to_owned());
    };
    match version.parse::<u32>() {
        Ok(1) => {}
        Ok(other) if other > 1 => {
            return Err(format!(
                "the link has version {other}, from a newer schedlab; this one reads version {VERSION}"
            ));
        }
        _ => return Err(format!("`{version}` is no version of a link; {VERSION} was expected")),
    }
    let bytes = URL_SAFE_NO_PAD
        .decode(packed.trim_end_matches('='))
        .map_err(|error| format!("the link is damaged or not complete: {error}"))?;
    let text = decompress_to_vec_with_limit(&bytes, MOST_BYTES).map_err(|error| {
        use miniz_oxide::inflate::TINFLStatus;
        match error.status {
            TINFLStatus::HasMoreOutput => format!("the document in the link is longer than {} MiB", MOST_BYTES >> 20),
            TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
                "the link is not complete: its end is missing".to_owned()
            }
            _ => "the link is damaged: its content cannot be unpacked".to_owned(),
        }
    })?;
    String::from_utf8(text).map_err(|_| "the link is damaged: its content is no text".to_owned())
}
