//! A caller whose credential is proved before any of the body is read, an argument of handlers and of extractors of bodies.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest};

use super::authenticated::Authenticated;
use crate::problem::Problem;
use crate::service::{Proved, Service};

impl FromRequest for Proved {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let user = Authenticated::from_request(request, payload);
        let service = request.app_data::<Data<Service>>().cloned();
        Box::pin(async move {
            let caller = user.await?.caller;
            let Some(service) = service else { return Err(Problem::overloaded()) };
            Ok(service.prove(caller).await?)
        })
    }
}
