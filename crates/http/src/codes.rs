//! Codes with their parameters in answers: beside the text of a field error, a rejected line or a skipped row.

use std::borrow::Cow;
use std::marker::PhantomData;

use finance_domain::Violation;
use finance_domain::imports::SkipReason;
use finance_domain::violations::Param;
use finance_statements::{OptionFault, Reason};
use serde::{Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// A list of codes as the OpenAPI document names and describes it.
pub(crate) trait CodeSchema {
    /// The name of the schema.
    const NAME: &'static str;
    /// The description of the schema.
    const DESCRIPTION: &'static str;
    /// The lists that the codes come from.
    const LISTS: &'static [&'static [&'static str]];
}

/// What can be wrong with a field.
#[derive(Debug)]
pub(crate) struct FieldErrorCode;

impl CodeSchema for FieldErrorCode {
    const NAME: &'static str = "FieldErrorCode";
    const DESCRIPTION: &'static str = "What is wrong with a field, for a program to switch on.";
    const LISTS: &'static [&'static [&'static str]] = &[Violation::CODES, OptionFault::CODES];
}

impl CodeSchema for Reason {
    const NAME: &'static str = "RejectedCode";
    const DESCRIPTION: &'static str = "Why a line contains no usable transaction, for a program to switch on.";
    const LISTS: &'static [&'static [&'static str]] = &[Reason::CODES];
}

impl CodeSchema for SkipReason {
    const NAME: &'static str = "SkippedCode";
    const DESCRIPTION: &'static str = "Why a row was not inserted, for a program to switch on.";
    const LISTS: &'static [&'static [&'static str]] = &[SkipReason::CODES];
}

/// The code of a field error.
pub(crate) type FieldErrorCodeView = CodeView<FieldErrorCode>;

/// The code of a rejected line.
pub(crate) type RejectedCodeView = CodeView<Reason>;

/// The code of a skipped row.
pub(crate) type SkippedCodeView = CodeView<SkipReason>;

/// A code of a list.
#[derive(Debug)]
pub(crate) struct CodeView<L> {
    code: &'static str,
    list: PhantomData<L>,
}

impl<L> From<&'static str> for CodeView<L> {
    fn from(code: &'static str) -> Self {
        CodeView { code, list: PhantomData }
    }
}

impl<L> Serialize for CodeView<L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code)
    }
}

impl<L: CodeSchema> PartialSchema for CodeView<L> {
    fn schema() -> RefOr<Schema> {
        // Two lists may share a code, which then means the same.
        let mut codes: Vec<&str> = Vec::new();
        for code in L::LISTS.iter().copied().flatten() {
            if !codes.contains(code) {
                codes.push(code);
            }
        }
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .description(Some(L::DESCRIPTION))
            .enum_values(Some(codes))
            .into()
    }
}

impl<L: CodeSchema> ToSchema for CodeView<L> {
    fn name() -> Cow<'static, str> {
        L::NAME.into()
    }
}

/// The parameters of a code.
#[derive(Debug)]
pub(crate) struct ParamsView(Vec<(&'static str, ParamView)>);

/// A parameter.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum ParamView {
    Number(i64),
    Text(String),
    Choices(Vec<String>),
}

impl From<Param> for ParamView {
    fn from(param: Param) -> Self {
        match param {
            Param::Number(number) => ParamView::Number(number),
            Param::Text(text) => ParamView::Text(text),
            Param::Choices(choices) => ParamView::Choices(choices),
        }
    }
}

impl From<finance_statements::Param> for ParamView {
    fn from(param: finance_statements::Param) -> Self {
        match param {
            finance_statements::Param::Number(number) => ParamView::Number(number as i64),
            finance_statements::Param::Text(text) => ParamView::Text(text),
        }
    }
}

impl<P: Into<ParamView>> From<Vec<(&'static str, P)>> for ParamsView {
    fn from(params: Vec<(&'static str, P)>) -> Self {
        ParamsView(params.into_iter().map(|(name, param)| (name, param.into())).collect())
    }
}

impl Serialize for ParamsView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, param)| (name, param)))
    }
}

impl PartialSchema for ParamsView {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::Object))
            .description(Some(
                "The values in the code's text, such as `max`: numbers, texts, lists of texts. Empty if it contains none.",
            ))
            .additional_properties(Some(AdditionalProperties::FreeForm(true)))
            .into()
    }
}

impl ToSchema for ParamsView {
    fn name() -> Cow<'static, str> {
        "Params".into()
    }
}
