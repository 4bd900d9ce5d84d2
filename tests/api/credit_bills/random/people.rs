//! The members of a random household, and what each of them may do.

use finance_tests::{Client, PASSWORD, Reply, TestApp};
use serde_json::{Value, json};

use super::Numbers;

/// The password after a change.
const OTHER_PASSWORD: &str = "battery staple";
/// The most members at a time, and the most open invitations. The service allows more.
const MEMBERS_MAX: usize = 6;
const INVITATIONS_MAX: usize = 6;
const ROLES: [&str; 3] = ["owner", "editor", "viewer"];

struct Person {
    client: Client,
    name: String,
    password: &'static str,
    member: i64,
    role: &'static str,
    /// Whether the person is still a member.
    is_member: bool,
}

impl Person {
    fn new(client: Client, name: &str, password: &'static str, role: &'static str) -> Self {
        let me = client.get("/api/auth/me").ok();
        assert_eq!((&me["name"], &me["role"]), (&json!(name), &json!(role)));
        let member = me["member_id"].as_i64().expect("an id");
        Person { client, name: name.to_string(), password, member, role, is_member: true }
    }

    fn is_owner(&self) -> bool {
        self.is_member && self.role == "owner"
    }

    /// The status of a request that only an owner may make.
    fn expected(&self, allowed: u16) -> u16 {
        match (self.is_member, self.role) {
            (false, _) => 401,
            (true, "owner") => allowed,
            (true, _) => 403,
        }
    }
}

struct Invitation {
    secret: String,
    role: &'static str,
    maker: usize,
    is_open: bool,
}

/// Everyone who was a member of a household, and its invitations.
pub(super) struct People<'a> {
    app: &'a TestApp,
    everyone: Vec<Person>,
    invitations: Vec<Invitation>,
}

impl<'a> People<'a> {
    /// A household of one owner.
    pub(super) fn new(app: &'a TestApp, name: &str) -> Self {
        let owner = Person::new(app.user(name), name, PASSWORD, "owner");
        People { app, everyone: vec![owner], invitations: Vec::new() }
    }

    /// A member who may write.
    pub(super) fn writer(&self, numbers: &mut Numbers) -> &Client {
        let writers: Vec<&Person> =
            self.everyone.iter().filter(|person| person.is_member && person.role != "viewer").collect();
        &writers[numbers.below(writers.len() as u64) as usize].client
    }

    /// One change of the members, or a try of somebody who may not.
    pub(super) fn step(&mut self, numbers: &mut Numbers) {
        let (actor, target) = (self.anyone(numbers), self.anyone(numbers));
        match numbers.below(8) {
            0..=2 => self.invite(actor, numbers),
            3 | 4 if !self.invitations.is_empty() => self.accept(numbers),
            5 => self.change_role(actor, target, ROLES[numbers.below(3) as usize]),
            6 => self.remove(actor, target),
            _ if numbers.below(2) == 0 => self.change_password(actor),
            _ => self.end_sessions(actor),
        }
    }

    /// Asserts that exactly the members read, and that nobody else writes on a card. A row that is stored is on a bill that
    /// [`super::Card::check`] adds up.
    pub(super) fn check(&self, card: i64, numbers: &mut Numbers) {
        for person in &self.everyone {
            assert_eq!(person.client.get("/api/accounts").status, if person.is_member { 200 } else { 401 });
        }
        let person = &self.everyone[self.anyone(numbers)];
        if !person.is_member || person.role == "viewer" {
            let row = json!({ "type": "expense", "date": "2026-03-12", "description": "Compra", "amount": "7.77",
                "account_id": card });
            let status = person.client.post("/api/transactions", row).status;
            assert_eq!(status, if person.is_member { 403 } else { 401 });
        }
    }

    fn anyone(&self, numbers: &mut Numbers) -> usize {
        numbers.below(self.everyone.len() as u64) as usize
    }

    fn members(&self) -> usize {
        self.everyone.iter().filter(|person| person.is_member).count()
    }

    fn invite(&mut self, actor: usize, numbers: &mut Numbers) {
        if self.invitations.iter().filter(|invitation| invitation.is_open).count() >= INVITATIONS_MAX {
            return;
        }
        let role = ROLES[1 + numbers.below(2) as usize];
        let reply = self.everyone[actor].client.post("/api/members/invitations", json!({ "role": role }));
        assert_eq!(reply.status, self.everyone[actor].expected(201));
        if reply.status == 201 {
            let secret = reply.json()["invitation"].as_str().expect("an invitation").to_string();
            self.invitations.push(Invitation { secret, role, maker: actor, is_open: true });
        }
    }

    fn accept(&mut self, numbers: &mut Numbers) {
        let at = numbers.below(self.invitations.len() as u64) as usize;
        if self.invitations[at].is_open && self.members() >= MEMBERS_MAX {
            return;
        }
        let name = format!("{}-{}", self.everyone[0].name, self.everyone.len());
        let body = json!({ "invitation": self.invitations[at].secret, "name": name, "password": OTHER_PASSWORD });
        let reply = self.app.anyone().post("/api/auth/accept", body);
        if !self.invitations[at].is_open {
            reply.problem(401, "ErrInvitationInvalid");
            return;
        }
        let client = self.client(&reply.created());
        self.invitations[at].is_open = false;
        self.everyone.push(Person::new(client, &name, OTHER_PASSWORD, self.invitations[at].role));
    }

    fn change_role(&mut self, actor: usize, target: usize, role: &'static str) {
        let path = format!("/api/members/{}", self.everyone[target].member);
        let reply = self.everyone[actor].client.put(&path, json!({ "role": role }));
        self.assert_changed(actor, target, role == "owner", &reply, 200);
        if reply.status == 200 {
            self.everyone[target].role = role;
            if role != "owner" {
                self.withdraw(target);
            }
        }
    }

    fn remove(&mut self, actor: usize, target: usize) {
        let reply = self.everyone[actor].client.delete(&format!("/api/members/{}", self.everyone[target].member));
        self.assert_changed(actor, target, false, &reply, 204);
        if reply.status == 204 {
            self.everyone[target].is_member = false;
            self.withdraw(target);
        }
    }

    /// Asserts the status of a change of a member that leaves it an owner or not.
    fn assert_changed(&self, actor: usize, target: usize, stays_owner: bool, reply: &Reply, done: u16) {
        let changed = &self.everyone[target];
        let owners = self.everyone.iter().filter(|person| person.is_owner()).count();
        let allowed = match changed.is_member {
            false => 404,
            true if changed.is_owner() && owners == 1 && !stays_owner => 409,
            true => done,
        };
        assert_eq!(reply.status, self.everyone[actor].expected(allowed), "{reply:?}");
    }

    fn change_password(&mut self, actor: usize) {
        let person = &self.everyone[actor];
        let new = if person.password == PASSWORD { OTHER_PASSWORD } else { PASSWORD };
        let change = json!({ "current_password": person.password, "new_password": new });
        let reply = person.client.post("/api/auth/change-password", change);
        if !person.is_member {
            reply.problem(401, "ErrUnauthenticated");
            return;
        }
        let client = self.client(&reply.ok());
        self.log_in_anew(actor, client, new);
    }

    fn end_sessions(&mut self, actor: usize) {
        let person = &self.everyone[actor];
        let reply = person.client.delete("/api/auth/sessions");
        if !person.is_member {
            reply.problem(401, "ErrUnauthenticated");
            return;
        }
        reply.gone();
        let login = json!({ "name": person.name, "password": person.password });
        let client = self.client(&self.app.anyone().post("/api/auth/login", login).ok());
        self.log_in_anew(actor, client, self.everyone[actor].password);
    }

    /// Uses a new login of a person, after the old one and the person's invitations ended.
    fn log_in_anew(&mut self, at: usize, client: Client, password: &'static str) {
        let old = std::mem::replace(&mut self.everyone[at].client, client);
        old.get("/api/accounts").problem(401, "ErrUnauthenticated");
        self.everyone[at].password = password;
        self.withdraw(at);
    }

    fn withdraw(&mut self, maker: usize) {
        self.invitations.iter_mut().filter(|one| one.maker == maker).for_each(|one| one.is_open = false);
    }

    fn client(&self, login: &Value) -> Client {
        self.app.anyone().with_token(login["token"].as_str().expect("a token"))
    }
}
