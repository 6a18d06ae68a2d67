//! The macro that writes a typed state.

/// Writes a [`State`](crate::state::State) from a list of fields, with the type of its updates.
///
/// The type of a field says how updates go into it; each field begins with its type's default.
/// The update has the same fields, each optional, and a method for each.
///
/// ```
/// use mcp_agent::state;
/// use mcp_agent::state::{Last, Messages, State, Sum, Write};
///
/// state! {
///     /// What the run knows.
///     pub struct Trip => TripUpdate {
///         /// The conversation.
///         messages: Messages,
///         /// The place that was chosen.
///         place: Last<Option<String>>,
///         /// What it costs.
///         cost: Sum<f64>,
///     }
/// }
///
/// let mut trip = Trip::default();
/// let update = TripUpdate::default().place("Oslo".to_owned()).cost(120.0).messages("go");
/// trip.apply(update, &Write::new("plan", 1, 0)).unwrap();
/// assert_eq!(trip.place.as_deref(), Some("Oslo"));
/// assert_eq!(trip.messages.len(), 1);
/// ```
#[macro_export]
macro_rules! state {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident => $update:ident {
            $($(#[$field_meta:meta])* $field:ident: $type:ty),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        $vis struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        #[doc = concat!("An update of [`", stringify!($name), "`]: a new value for some of its fields.")]
        #[derive(Default)]
        $vis struct $update {
            $(
                $(#[$field_meta])*
                pub $field: Option<<$type as $crate::state::Field>::Update>,
            )*
        }

        impl $update {
            $(
                #[doc = concat!("Writes `", stringify!($field), "`.")]
                #[must_use]
                $vis fn $field(
                    mut self,
                    value: impl Into<<$type as $crate::state::Field>::Update>,
                ) -> Self {
                    self.$field = Some(value.into());
                    self
                }
            )*
        }

        impl $crate::state::State for $name {
            type Update = $update;

            fn apply(
                &mut self,
                update: $update,
                write: &$crate::state::Write<'_>,
            ) -> Result<(), $crate::state::StateError> {
                $(
                    if let Some(value) = update.$field {
                        $crate::state::Field::apply(&mut self.$field, value, write)
                            .map_err(|error| error.in_field(stringify!($field)))?;
                    }
                )*
                Ok(())
            }

            fn read(
                map: $crate::__private::JsonMap,
            ) -> Result<$update, $crate::state::StateError> {
                let mut update = $update::default();
                for (name, value) in map {
                    match name.as_str() {
                        $(
                            stringify!($field) => {
                                let value = $crate::__private::read_field(value)
                                    .map_err(|error| error.in_field(stringify!($field)))?;
                                update.$field = Some(value);
                            }
                        )*
                        other => {
                            return Err($crate::__private::unknown_field(
                                other,
                                [$(stringify!($field)),*],
                            ));
                        }
                    }
                }
                Ok(update)
            }

            fn said(&self, update: &$update) -> ::std::vec::Vec<$crate::__private::Said> {
                let said = ::std::vec::Vec::new();
                $(
                    let said = match &update.$field {
                        Some(value) => {
                            let more = $crate::state::Field::said(&self.$field, value);
                            said.into_iter().chain(more).collect()
                        }
                        None => said,
                    };
                )*
                said
            }

            fn next_step(&mut self) {
                $($crate::state::Field::next_step(&mut self.$field);)*
            }

            fn log(
                &mut self,
                log: $crate::state::Log<'_>,
            ) -> Result<(), $crate::state::StateError> {
                match log {
                    $crate::state::Log::Take(changes) => {
                        $(
                            let change = $crate::state::Field::take_change(&mut self.$field)
                                .map_err(|error| error.in_field(stringify!($field)))?;
                            changes.put(stringify!($field), change);
                        )*
                    }
                    $crate::state::Log::Replay(changes) => {
                        $(
                            if let Some(change) = changes.get(stringify!($field)) {
                                $crate::state::Field::replay(&mut self.$field, change)
                                    .map_err(|error| error.in_field(stringify!($field)))?;
                            }
                        )*
                    }
                }
                Ok(())
            }

            fn to_json(
                &self,
            ) -> Result<$crate::__private::JsonMap, $crate::state::StateError> {
                let mut map = $crate::__private::JsonMap::new();
                $(
                    let value = $crate::state::Field::to_json(&self.$field)
                        .map_err(|error| error.in_field(stringify!($field)))?;
                    map.insert(stringify!($field).to_owned(), value);
                )*
                Ok(map)
            }
        }

        impl $crate::__private::serde::Serialize for $update {
            fn serialize<S: $crate::__private::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                use $crate::__private::serde::ser::SerializeMap as _;
                let mut map = serializer.serialize_map(None)?;
                $(
                    if let Some(value) = &self.$field {
                        map.serialize_entry(stringify!($field), value)?;
                    }
                )*
                map.end()
            }
        }

        impl<'de> $crate::__private::serde::Deserialize<'de> for $update {
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                let map = <$crate::__private::JsonMap as $crate::__private::serde::Deserialize>
                    ::deserialize(deserializer)?;
                <$name as $crate::state::State>::read(map)
                    .map_err(<D::Error as $crate::__private::serde::de::Error>::custom)
            }
        }

        impl ::core::fmt::Debug for $update {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut fields = f.debug_struct(stringify!($update));
                $(
                    if self.$field.is_some() {
                        fields.field(stringify!($field), &"..");
                    }
                )*
                fields.finish()
            }
        }
    };
}
