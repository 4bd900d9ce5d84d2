//! `/api/members`: the members of a profile, and invitations to it.

use actix_web::http::header::LOCATION;
use actix_web::web::{Json, Path};
use actix_web::{HttpResponse, delete, get, post, put};
use finance_domain::credentials::Role;
use finance_domain::members::{Invitation, Member, RoleInput};
use finance_domain::use_cases::members;
use finance_domain::{FieldErrors, InvitationId, MemberId};
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::json::Field;
use crate::problem::Reply;
use crate::routes::auth::{AUDIT, RoleView};
use crate::secrets::SecretKind;
use crate::service::Shared;
use crate::views::{InstantView, no_content};

/// The new role of a member.
#[derive(Deserialize, ToSchema)]
pub(crate) struct MemberBody {
    #[schema(value_type = RoleView, example = "editor")]
    role: Field<Role>,
}

impl MemberBody {
    fn into_input(self) -> RoleInput {
        let mut errors = FieldErrors::default();
        RoleInput { role: self.role.take("role", &mut errors), errors }
    }
}

/// An invitation to make.
#[derive(Deserialize, ToSchema)]
pub(crate) struct InvitationBody {
    #[schema(value_type = InvitedRole, inline)]
    role: Field<Role>,
}

/// A role of an invitation. Only the OpenAPI document needs this type.
struct InvitedRole;

impl PartialSchema for InvitedRole {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .description(Some("What a new member may do. Nobody is invited as an owner."))
            .enum_values(Some(RoleInput::INVITED.map(Role::as_str)))
            .examples([Role::Editor.as_str()])
            .into()
    }
}
impl ToSchema for InvitedRole {}

/// A person who can log in to the profile.
#[derive(Serialize, ToSchema)]
#[schema(as = Member)]
pub(crate) struct MemberView {
    id: i64,
    #[schema(example = "bia")]
    name: String,
    role: RoleView,
    created_at: InstantView,
}

impl From<Member> for MemberView {
    fn from(Member { id, name, role, created_at, .. }: Member) -> Self {
        MemberView { id: id.0, name, role: role.into(), created_at: InstantView(created_at) }
    }
}

/// An invitation that is open, without its secret: to become a member, or a link with which a member sets its password.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenInvitation)]
pub(crate) struct OpenInvitationView {
    id: i64,
    /// What the new member will be allowed to do. Of a link, the role of its member.
    role: RoleView,
    /// The member whose password it sets; null if it makes a member.
    member_id: Option<i64>,
    /// The `member_id` of the member who made it; null for a link that an operator made.
    created_by: Option<i64>,
    created_at: InstantView,
    expires_at: InstantView,
}

impl From<Invitation> for OpenInvitationView {
    fn from(invitation: Invitation) -> Self {
        OpenInvitationView {
            id: invitation.id.0,
            role: invitation.role.into(),
            member_id: invitation.member_id.map(|id| id.0),
            created_by: invitation.created_by.map(|id| id.0),
            created_at: InstantView(invitation.created_at),
            expires_at: InstantView(invitation.expires_at),
        }
    }
}

/// An invitation.
#[derive(Serialize, ToSchema)]
#[schema(as = Invitation)]
pub(crate) struct InvitationView {
    /// The secret that `POST /api/auth/accept` takes once. It is shown only once.
    #[schema(example = "inv_q3dF0n0yM1mJ8Jb0JmXo3s1rVQw7eXk2x0kJk2m3a4Y")]
    invitation: String,
    expires_at: InstantView,
}

/// The members of the profile, in the order in which they joined.
#[utoipa::path(tag = "members", responses((status = 200, body = [MemberView])))]
#[get("/api/members")]
pub(crate) async fn list(service: Shared, user: Authenticated) -> Reply<Json<Vec<MemberView>>> {
    let listed = service.read(user.caller, members::list).await?;
    Ok(Json(listed.into_iter().map(MemberView::from).collect()))
}

/// The open invitations, in the order in which they were made.
#[utoipa::path(tag = "members", responses((status = 200, body = [OpenInvitationView])))]
#[get("/api/members/invitations")]
pub(crate) async fn invitations(service: Shared, user: Authenticated) -> Reply<Json<Vec<OpenInvitationView>>> {
    let now = service.clock.now();
    let listed = service.read(user.caller, move |repo| members::invitations(repo, now)).await?;
    Ok(Json(listed.into_iter().map(OpenInvitationView::from).collect()))
}

/// Withdraws an invitation. It is refused from then on.
#[utoipa::path(tag = "members", responses((status = 204)))]
#[delete("/api/members/invitations/{id}")]
pub(crate) async fn withdraw(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let id = InvitationId(*id);
    service.write(user.caller, move |repo| members::withdraw(repo, id)).await?;
    log::info!(target: AUDIT, "an invitation to profile {} was withdrawn", user.caller.profile_id);
    Ok(no_content())
}

/// Invites someone to the profile. The invitation is valid for 48 hours, for one person, and while the member who made it may
/// invite: it ends when that member is removed, disabled or no longer an owner, changes the password, or ends the sessions.
#[utoipa::path(tag = "members", request_body = InvitationBody,
    responses((status = 201, body = InvitationView), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/members/invitations")]
pub(crate) async fn invite(service: Shared, user: Authenticated, body: Body<InvitationBody>) -> Reply {
    let mut errors = FieldErrors::default();
    let input = RoleInput { role: body.value.role.take("role", &mut errors), errors };
    let now = service.clock.now();
    let (invitation, hash) = SecretKind::Invitation.draw()?;
    let (id, made) = service.write(user.caller, move |repo| members::invite(repo, now, input, hash)).await?;
    log::info!(target: AUDIT, "someone was invited to profile {}", user.caller.profile_id);
    let location = format!("/api/members/invitations/{id}");
    let view = InvitationView { invitation, expires_at: InstantView(made.expires_at) };
    Ok(HttpResponse::Created().insert_header((LOCATION, location)).json(view))
}

/// Makes a link with which another member sets a new password. Until it is accepted, nothing changes for that member; it can be accepted
/// once within 48 hours, as an invitation. A newer link of the member replaces it. For the own login it is `ErrNotAllowed`: that takes the
/// current password.
#[utoipa::path(tag = "members",
    responses((status = 201, body = InvitationView), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/members/{id}/password-link")]
pub(crate) async fn link(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let (id, now) = (MemberId(*id), service.clock.now());
    let (invitation, hash) = SecretKind::Invitation.draw()?;
    let made = service.write(user.caller, move |repo| members::link(repo, now, id, hash)).await?;
    let profile_id = user.caller.profile_id;
    log::info!(target: AUDIT, "a link for the password of member {id} of profile {profile_id} was made");
    Ok(HttpResponse::Created().json(InvitationView { invitation, expires_at: InstantView(made.expires_at) }))
}

/// Gives a member another role. It applies at once. Invitations that the member made end if the member is no longer an owner.
#[utoipa::path(tag = "members", request_body = MemberBody,
    responses((status = 200, body = MemberView), (status = 409, description = "`ErrLastOwner`")))]
#[put("/api/members/{id}")]
pub(crate) async fn update(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    body: Body<MemberBody>,
) -> Reply<Json<MemberView>> {
    let (id, input) = (MemberId(*id), body.value.into_input());
    let member = service.write(user.caller, move |repo| members::update(repo, id, input)).await?;
    log::info!(target: AUDIT, "member {id} of profile {} has a new role", user.caller.profile_id);
    Ok(Json(member.into()))
}

/// Removes a member. The member's logins and tokens are refused at once, and the invitations and webhooks that the member made are
/// removed. The data that the member entered stays.
#[utoipa::path(tag = "members",
    responses((status = 204), (status = 409, description = "`ErrLastOwner`")))]
#[delete("/api/members/{id}")]
pub(crate) async fn delete(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let id = MemberId(*id);
    service.write(user.caller, move |repo| members::delete(repo, id)).await?;
    log::info!(target: AUDIT, "member {id} of profile {} was removed", user.caller.profile_id);
    Ok(no_content())
}
