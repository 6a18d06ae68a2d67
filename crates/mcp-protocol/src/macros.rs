//! Shorthands for what every page repeats: builders, open enumerations, lists, server results.

/// `with_*` methods that set an optional member.
macro_rules! setters {
    ($type:ty { $($name:ident($field:ident: $value:ty)),+ $(,)? }) => {
        impl $type {
            $(
                #[doc = concat!("The same with `", stringify!($field), "` set.")]
                #[must_use]
                pub fn $name(mut self, $field: impl Into<$value>) -> Self {
                    self.$field = Some($field.into());
                    self
                }
            )+
        }
    };
}

/// An enumeration of strings that keeps values it does not know.
macro_rules! open_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
            /// A value that this crate does not know, as it came.
            Other(String),
        }

        impl $name {
            /// The value as it stands in JSON.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)+
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::decode::text(deserializer)
            }
        }
    };
}

/// A result whose one list decodes element by element; what does not decode goes to `skipped`.
macro_rules! list_result {
    ($(#[$meta:meta])* $name:ident {
        $(#[$list_meta:meta])* $list:ident: $item:ty,
        $($(#[$field_meta:meta])* $field:ident: $type:ty,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
        #[non_exhaustive]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(#[$list_meta])*
            pub $list: Vec<$item>,
            $($(#[$field_meta])* pub $field: $type,)*
            /// What the peer sent in the list that does not decode: where, its name, why.
            /// Never written. At most 64 lines, the last of which counts the rest.
            #[serde(skip)]
            pub skipped: Vec<String>,
            /// Members that this crate does not know.
            #[serde(flatten)]
            pub extra: $crate::Extra,
        }

        impl $name {
            /// A result with these elements and nothing else.
            #[must_use]
            pub fn new($list: Vec<$item>) -> Self {
                Self { $list, ..Self::default() }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Wire {
                    $list: $crate::decode::Lenient<$item>,
                    $($(#[$field_meta])* $field: $type,)*
                    #[serde(flatten)]
                    extra: $crate::Extra,
                }
                let wire = Wire::deserialize(deserializer)?;
                Ok(Self {
                    $list: wire.$list.items,
                    $($field: wire.$field,)*
                    skipped: wire.$list.skipped,
                    extra: wire.extra,
                })
            }
        }
    };
}

/// Params of a request: they carry `_meta` as [`RequestMeta`](crate::RequestMeta).
macro_rules! has_meta {
    ($($type:ty),+ $(,)?) => {
        $(impl $crate::HasMeta for $type {
            fn meta(&self) -> Option<&$crate::RequestMeta> {
                self.meta.as_ref()
            }

            fn meta_mut(&mut self) -> &mut Option<$crate::RequestMeta> {
                &mut self.meta
            }
        })+
    };
}

/// The pairing of a method with its params and its result.
macro_rules! request {
    ($(#[$meta:meta])* $name:ident = $method:literal: $params:ty => $result:ty) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(clippy::exhaustive_structs, reason = "a name for a method, nothing to add")]
        pub struct $name;

        impl $crate::RpcRequest for $name {
            const METHOD: mcp_jsonrpc::MethodName = mcp_jsonrpc::MethodName::from_static($method);
            type Params = $params;
            type Result = $result;
        }
    };
}

/// The pairing of a notification with its params.
macro_rules! notification {
    ($(#[$meta:meta])* $name:ident = $method:literal: $params:ty) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(clippy::exhaustive_structs, reason = "a name for a method, nothing to add")]
        pub struct $name;

        impl $crate::RpcNotification for $name {
            const METHOD: mcp_jsonrpc::MethodName = mcp_jsonrpc::MethodName::from_static($method);
            type Params = $params;
        }
    };
}

/// A result that a server sends, with or without a cache hint.
macro_rules! server_result {
    ($type:ty $(, fit: $fit:ident)?) => {
        impl $crate::Stamp for $type {
            $(
                fn fit(&mut self, version: $crate::ProtocolVersion) {
                    self.$fit(version);
                }
            )?

            fn result_type_mut(&mut self) -> &mut Option<$crate::ResultType> {
                &mut self.result_type
            }

            fn meta_mut(&mut self) -> &mut Option<$crate::Meta> {
                &mut self.meta
            }
        }
    };
    ($type:ty, cacheable) => {
        impl $crate::Stamp for $type {
            fn result_type_mut(&mut self) -> &mut Option<$crate::ResultType> {
                &mut self.result_type
            }

            fn meta_mut(&mut self) -> &mut Option<$crate::Meta> {
                &mut self.meta
            }

            fn cache_mut(&mut self) -> Option<(&mut Option<u64>, &mut Option<$crate::CacheScope>)> {
                Some((&mut self.ttl_ms, &mut self.cache_scope))
            }
        }

        setters!($type {
            with_ttl_ms(ttl_ms: u64),
            with_cache_scope(cache_scope: $crate::CacheScope),
        });

        impl $type {
            /// How long and for whom the result may be kept.
            #[must_use]
            pub fn cache_hint(&self) -> $crate::CacheHint {
                $crate::CacheHint::from_members(self.ttl_ms, self.cache_scope.as_ref())
            }
        }
    };
}
