//! The JSON API: routes, views, errors, tokens and the OpenAPI document.
