//! Images and sound: bytes in base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};

use crate::{Annotations, Extra, Meta};

/// Content of bytes, as base64 with a media type.
macro_rules! binary_content {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            /// The bytes in base64.
            pub data: String,
            /// The media type.
            pub mime_type: String,
            /// Hints.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub annotations: Option<Annotations>,
            /// Since 2025-06-18.
            #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
            pub meta: Option<Meta>,
            /// Members that this crate does not know.
            #[serde(flatten)]
            pub extra: Extra,
        }

        impl $name {
            /// Content from bytes that are already in base64.
            pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
                Self {
                    data: data.into(),
                    mime_type: mime_type.into(),
                    annotations: None,
                    meta: None,
                    extra: Extra::new(),
                }
            }

            /// Content from bytes.
            pub fn from_bytes(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
                Self::new(BASE64.encode(bytes), mime_type)
            }

            /// The bytes.
            ///
            /// # Errors
            /// If `data` is not base64 with padding.
            pub fn bytes(&self) -> Result<Vec<u8>, base64::DecodeError> {
                BASE64.decode(&self.data)
            }
        }

        setters!($name {
            with_annotations(annotations: Annotations),
            with_meta(meta: Meta),
        });
    };
}

binary_content! {
    /// An image.
    ///
    /// Specification: Prompts, Image Content (all revisions).
    ImageContent
}

binary_content! {
    /// Sound.
    ///
    /// Specification: Prompts, Audio Content. Since 2025-03-26.
    AudioContent
}
