//! Random households: whatever files of their banks are imported, in whatever order, the service shows what the banks say.
//!
//! `FINANCE_RANDOM_HOUSEHOLDS=1000 cargo test -p finance-tests --test api household_random` tries as many others, and
//! `FINANCE_RANDOM_HOUSEHOLD=7` this one alone, and prints what its banks know.

mod files;
mod oracle;
mod world;

use std::collections::{BTreeMap, HashSet};

use finance_tests::{Client, TestApp, cents, money};
use serde_json::{Value, json};
use time::Date;

use files::{File, Format, files};
use oracle::{BillFigures, Figures, Known};
use world::{Kind, Numbers, Place, World};

/// The households of each test. Four tests run at a time.
const HOUSEHOLDS: u64 = 50;

/// An import that is in the log, with the rows that it brought, new or known.
struct Live {
    file: usize,
    id: i64,
    rows: HashSet<usize>,
}

/// A statement that is held.
struct Held {
    file: usize,
    id: i64,
    rows: HashSet<usize>,
}

struct Household<'a> {
    client: &'a Client,
    world: World,
    files: Vec<File>,
    banks: [i64; 2],
    cards: Vec<Option<i64>>,
    live: Vec<Live>,
    held: Vec<Held>,
    /// Rows that a statement told of, and whose import is in no log: it brought nothing new.
    unlogged: HashSet<usize>,
    by_hand: HashSet<usize>,
    steps: Vec<String>,
}

impl<'a> Household<'a> {
    fn open(client: &'a Client, world: World, numbers: &mut Numbers) -> Self {
        let files = files(&world, numbers);
        client.put("/api/settings", json!({ "savings_goal_pct": 40, "own_names": ["Ana Souza"] })).ok();
        let opened = (world.first_day - time::Duration::days(60)).to_string();
        let account = |name: &str, kind: &str, cents: i64| {
            let body = json!({ "name": name, "kind": kind, "opening_balance": money(i128::from(cents)), "opening_date": opened });
            client.create("/api/accounts", body)
        };
        let banks = [account("Conta", "current", world.opened[0]), account("Reserva", "savings", world.opened[1])];
        let cards = world.cards.iter().map(|card| (!card.is_late).then(|| Self::open_card(client, card))).collect();
        let (live, held, unlogged, by_hand, steps) = Default::default();
        Household { client, world, files, banks, cards, live, held, unlogged, by_hand, steps }
    }

    fn open_card(client: &Client, card: &world::Card) -> i64 {
        let mut body = json!({ "name": card.name, "kind": "credit", "closing_day": card.closing_day, "due_day": card.due_day,
                "credit_limit": money(i128::from(card.limit)) });
        if let Some((owed, date)) = card.stated {
            (body["opening_balance"], body["opening_date"]) =
                (json!(money(i128::from(-owed))), json!(date.to_string()));
        }
        client.create("/api/accounts", body)
    }

    /// Opens the cards that are kept here late.
    fn open_late_cards(&mut self) {
        for (at, card) in self.world.cards.iter().enumerate() {
            self.cards[at].get_or_insert_with(|| Self::open_card(self.client, card));
        }
    }

    fn known(&self) -> Known {
        let stored = self.live.iter().flat_map(|live| &live.rows).chain(&self.unlogged).copied().collect();
        let held = self.held.iter().flat_map(|held| &held.rows).copied().collect();
        Known { stored, held, by_hand: self.by_hand.clone() }
    }

    fn account(&self, place: Place) -> i64 {
        match place {
            Place::Bank(at) => self.banks[at],
            Place::Card(at) => self.cards[at].unwrap(),
        }
    }

    fn preview(&mut self, file: usize) -> Value {
        if matches!(self.files[file].place, Place::Card(_)) {
            self.open_late_cards();
        }
        let File { place, payment_date, .. } = &self.files[file];
        let (account, date) = (self.account(*place).to_string(), payment_date.map(|date| date.to_string()));
        let mut options = vec![("account_id", account.as_str())];
        if let Some(date) = &date {
            options.extend([("is_credit_card", "true"), ("payment_date", date.as_str())]);
        }
        // A file with nothing but a refund does not tell the sign of purchases.
        if matches!(self.files[file], File { place: Place::Card(_), format: Format::Commas, .. }) {
            options.push(("card_sign", "purchases_negative"));
        }
        let preview = self.client.preview_with(&self.files[file].bytes(&self.world), &options).ok();
        let read = self.files[file].read(&self.world).count();
        assert_eq!(preview["rows"].as_array().unwrap().len(), read, "{:?} {preview}", self.files[file].format);
        preview
    }

    /// Confirms an unedited preview, which does what the preview said.
    fn confirm_as_said(&mut self, file: usize) {
        let preview = self.preview(file);
        let Some(answer) = self.confirm(file, preview.clone(), false) else { return };
        let rows = || preview["rows"].as_array().unwrap().iter();
        let is_skipped = |row: &Value| row["duplicate"] == true || row["skipped_by_rule"] == true;
        let is_new = |row: &&Value| !is_skipped(row) && row["automatic_yield"] != true;
        let is_linked = |row: &&Value| row["transfer"]["confidence"] == "certain";
        let places = |list: &Value| -> Vec<Value> {
            list.as_array().unwrap().iter().map(|of| of["row"].clone()).filter(|row| !row.is_null()).collect()
        };
        let skipped: Vec<Value> = rows().filter(|row| !is_new(row)).map(|row| row["row"].clone()).collect();
        assert_eq!(places(&answer["skipped"]), skipped, "{:?} {preview:#}", self.steps);
        let linked: Vec<Value> = rows().filter(is_new).filter(is_linked).map(|row| row["row"].clone()).collect();
        assert_eq!(places(&answer["linked"]), linked, "{:?} {preview:#}", self.steps);
        let fields = |row: &Value| ["type", "amount", "description", "category_id"].map(|name| row[name].clone());
        let new: Vec<_> = rows().filter(is_new).map(fields).collect();
        let stored: Vec<_> = answer["transactions"].as_array().unwrap().iter().map(fields).collect();
        assert_eq!(stored, new, "{:?} {preview:#}", self.steps);
    }

    /// Confirms a preview. Returns the answer, unless the statement is held.
    fn confirm(&mut self, file: usize, mut preview: Value, is_unsaid: bool) -> Option<Value> {
        if is_unsaid {
            for row in preview["rows"].as_array_mut().unwrap() {
                row.as_object_mut().unwrap().remove("transfer_with");
            }
        }
        let File { place, payment_date, .. } = &self.files[file];
        let mut body = json!({ "account_id": self.account(*place), "file_name": format!("{file}"), "format": preview["format"], "rows": preview["rows"] });
        if let Some(date) = payment_date {
            (body["is_credit_card"], body["payment_date"]) = (json!(true), json!(date.to_string()));
        }
        let reply = self.client.post("/api/import/confirm", body);
        self.steps.push(format!("confirm {file} {}{}", reply.status, if is_unsaid { " unsaid" } else { "" }));
        let (status, answer) = (reply.status, reply.json());
        if status == 422 && answer["errors"][0]["code"] == "not_a_candidate" {
            // Of two equal payments, another file has told the one that this preview found.
            let preview = self.preview(file);
            return self.confirm(file, preview, is_unsaid);
        }
        let known = self.known();
        let new: Vec<usize> = self.files[file].read(&self.world).filter(|row| !known.stored.contains(row)).collect();
        // A statement that is held says nothing of its single rows.
        let skipped = (self.world.is_ambiguous() && status == 201).then(|| {
            let rows: Vec<usize> = self.files[file].read(&self.world).collect();
            let skipped = answer["skipped"].as_array().into_iter().flatten();
            skipped.map(|skipped| rows[skipped["row"].as_u64().unwrap() as usize]).collect::<HashSet<usize>>()
        });
        let is_leg = |row: &usize| match &skipped {
            Some(skipped) => skipped.contains(row) && !known.held.contains(row),
            None => self.is_made_here(&known, *row),
        };
        let (legs, new): (Vec<usize>, Vec<usize>) = new.into_iter().partition(is_leg);
        if status == 202 {
            // A payment that was made here counts on its day here until the statement is confirmed.
            let rows = legs.into_iter().chain(new).filter(|row| !known.held.contains(row)).collect();
            self.held.push(Held { file, id: finance_tests::id(&answer["pending_bill"]), rows });
            return None;
        }
        assert_eq!(status, 201, "{:?} file {file}: {answer} {:#?}", self.steps, preview["rows"]);
        self.note(file, legs, new, &answer);
        Some(answer)
    }

    /// Notes what an import brought: its new rows, the sides of payments that were made here, and the rows that are known.
    fn note(&mut self, file: usize, legs: Vec<usize>, new: Vec<usize>, answer: &Value) {
        let known = self.known();
        let new: Vec<usize> = new.into_iter().filter(|row| !known.held.contains(row)).collect();
        let texts: Vec<String> = new
            .iter()
            .map(|row| {
                format!("{} {} {}", self.world.rows[*row].date, self.world.rows[*row].cents, self.world.rows[*row].text)
            })
            .collect();
        assert_eq!(
            answer["inserted"],
            new.len(),
            "file {file}: {:?} {texts:#?} {:?} {:#?}",
            self.steps,
            answer["skipped"].as_array().into_iter().flatten().map(|skipped| &skipped["row"]).collect::<Vec<_>>(),
            answer["transactions"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|row| format!("{} {} {}", row["date"], row["amount"], row["description"]))
                .collect::<Vec<_>>()
        );
        match answer["import_id"].as_i64() {
            Some(id) => {
                // What a person made here does not go with an import.
                let (kept, own) = legs.into_iter().partition(|row| self.is_by_hand(*row));
                let (kept, own): (Vec<usize>, Vec<usize>) = (kept, own);
                self.unlogged.extend(kept);
                let rows =
                    self.files[file].read(&self.world).filter(|row| known.stored.contains(row)).chain(new).chain(own);
                let rows = rows.collect();
                self.live.push(Live { file, id, rows });
            }
            None => self.unlogged.extend(legs),
        }
    }

    fn is_by_hand(&self, row: usize) -> bool {
        matches!(self.world.rows[row].kind, Kind::Payment(payment) if self.by_hand.contains(&payment))
    }

    /// Whether the row is a side of a payment that the service made.
    fn is_made_here(&self, known: &Known, row: usize) -> bool {
        let Kind::Payment(payment) = self.world.rows[row].kind else { return false };
        let in_flight = || {
            let sent = self.world.side(payment, Place::Bank(0));
            matches!(self.world.rows[row].place, Place::Card(_))
                && sent.is_some_and(|sent| known.stored.contains(&sent))
        };
        self.by_hand.contains(&payment) || in_flight()
    }

    fn undo(&mut self, numbers: &mut Numbers) {
        if !self.held.is_empty() && numbers.chance(50) {
            let held = self.held.remove(numbers.below(self.held.len()));
            self.steps.push(format!("pending {}", held.file));
            if numbers.chance(50) {
                self.client.delete(&format!("/api/pending-bills/{}", held.id)).gone();
            } else {
                let answer = self.client.post_nothing(&format!("/api/pending-bills/{}/confirm", held.id)).created();
                let known = self.known();
                let new = held.rows.iter().copied().filter(|row| !known.stored.contains(row));
                let (legs, new): (Vec<usize>, Vec<usize>) = new.partition(|row| self.is_made_here(&known, *row));
                self.note(held.file, legs, new, &answer);
            }
        } else if !self.live.is_empty() {
            let undone = self.live.remove(numbers.below(self.live.len()));
            self.steps.push(format!("undo {}", undone.file));
            self.client.delete(&format!("/api/imports/{}", undone.id)).ok();
        }
    }

    /// Imports all files, in the order given, with other steps between them.
    fn run(&mut self, order: &[usize], numbers: &mut Numbers) {
        let mut at = 0;
        while at < order.len() {
            let some = &order[at..(at + 1 + numbers.below(3)).min(order.len())];
            let mut previews: Vec<(usize, Value)> = some.iter().map(|file| (*file, self.preview(*file))).collect();
            numbers.shuffle(&mut previews);
            for (file, preview) in previews {
                self.confirm(file, preview, numbers.chance(20));
            }
            at += some.len();
            match numbers.below(12) {
                0 | 1 => self.undo(numbers),
                2 => {
                    let again = order[numbers.below(at)];
                    self.confirm_as_said(again);
                }
                3 => drop(self.client.post("/api/transfers/detect", json!({})).ok()),
                4 => self.pay_by_hand(),
                _ => {}
            }
            if numbers.chance(15) && !self.world.is_ambiguous() {
                self.check("on the way");
            }
        }
    }

    /// Pays a bill here, if a payment of the bank that is not known yet is what is due on it.
    fn pay_by_hand(&mut self) {
        if self.cards.iter().any(Option::is_none) {
            return;
        }
        let figures = self.world.figures(&self.known());
        for (at, payment) in self.world.payments.iter().enumerate() {
            let card = &self.world.cards[payment.card];
            let (Some(sent), last) = (payment.sent, &card.bills[card.open() - 1]) else { continue };
            let is_due = figures.cards[payment.card].bills[&last.start].due == payment.cents;
            let known = self.known();
            let sides = [Place::Bank(0), Place::Card(payment.card)].map(|place| self.world.side(at, place).unwrap());
            let is_known = sides.iter().any(|side| known.stored.contains(side) || known.held.contains(side));
            let others = self.world.payments.iter().filter(|other| other.cents == payment.cents).count();
            if !is_due || is_known || others > 1 || sent < last.closing || self.by_hand.contains(&at) {
                continue;
            }
            let bills = self.client.all(&format!("/api/credit-bills?account_id={}", self.cards[payment.card].unwrap()));
            let bill = bills.iter().find(|bill| bill["period_start"] == json!(last.start.to_string())).unwrap();
            let body = json!({ "account_id": self.banks[0], "date": sent.to_string() });
            self.client.post(&format!("/api/credit-bills/{}/pay", bill["id"]), body).ok();
            self.by_hand.insert(at);
            self.steps.push(format!("pay {at}"));
            return;
        }
    }

    fn check(&self, when: &str) {
        if self.cards.iter().any(Option::is_none) {
            return;
        }
        let expected = self.world.figures(&self.known());
        let seen = self.seen(&expected);
        let (unlike, world) = (seen.unlike(&expected), &self.world);
        assert!(seen == expected, "{when}, today {}: {:?} {unlike:#?}", world.today, self.steps);
    }

    /// The figures that the service shows.
    fn seen(&self, expected: &Figures) -> Figures {
        let of = |value: &Value| i64::try_from(cents(value)).unwrap();
        let accounts = self.client.get("/api/accounts").ok();
        let account = |id: i64| accounts.as_array().unwrap().iter().find(|account| account["id"] == id).unwrap();
        let dashboard = self.client.get("/api/dashboard").ok();
        let mut seen = Figures { net_worth: of(&dashboard["net_worth"]), ..Figures::default() };
        seen.banks = self.banks.map(|id| of(&account(id)["balance"]));
        for month in expected.months.keys() {
            let month_text = &month.to_string()[..7];
            let dashboard = self.client.get(&format!("/api/dashboard?month={month_text}")).ok();
            seen.months.insert(*month, (of(&dashboard["income"]), of(&dashboard["expenses"])));
        }
        for (at, id) in self.cards.iter().flatten().enumerate() {
            let shown = account(*id);
            let mut card = oracle::CardFigures {
                balance: of(&shown["balance"]),
                ahead: of(&shown["ahead"]),
                held: of(&shown["held"]),
                limit: of(&shown["available_limit"]),
                ..Default::default()
            };
            let mut bills: BTreeMap<Date, BillFigures> = BTreeMap::new();
            for bill in self.client.all(&format!("/api/credit-bills?account_id={id}")) {
                let figures = BillFigures {
                    total: of(&bill["total"]),
                    held: of(&bill["held"]),
                    statement: (!bill["statement"].is_null()).then(|| of(&bill["statement"])),
                    previous: of(&bill["previous"]),
                    paid: of(&bill["paid_amount"]),
                    carried: of(&bill["carried"]),
                    due: of(&bill["amount_due"]),
                    is_paid: bill["status"] == "paid",
                };
                let due = finance_domain::month::parse_date(bill["due_date"].as_str().unwrap()).unwrap();
                card.due.extend(Some((due, figures.due)).filter(|(_, due)| *due != 0));
                bills.insert(
                    finance_domain::month::parse_date(bill["period_start"].as_str().unwrap()).unwrap(),
                    figures,
                );
            }
            card.due.sort_unstable();
            // A bill on which nothing happened may be there or not.
            for (start, bill) in &expected.cards[at].bills {
                let is_empty =
                    *bill == BillFigures { statement: bill.statement, is_paid: bill.is_paid, ..BillFigures::default() };
                if is_empty && bill.statement.is_none_or(|printed| printed == 0) {
                    bills.entry(*start).or_insert_with(|| bill.clone());
                }
            }
            card.bills = bills;
            seen.cards.push(card);
        }
        seen
    }
}

/// Tries households one after another, and names all that fail.
fn try_households(seeds: impl Iterator<Item = u64>) {
    let app = TestApp::start();
    let fails =
        |seed: &u64| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| try_household(&app, *seed))).is_err();
    let failed: Vec<u64> = seeds.filter(fails).collect();
    assert!(failed.is_empty(), "households {failed:?}");
}

fn try_household(app: &TestApp, seed: u64) {
    eprintln!("household {seed}");
    let client = app.user(&format!("user-{seed}"));
    let mut numbers = Numbers::new(seed);
    let world = World::new(&mut numbers);
    app.clock.set_today(world.today);
    let mut household = Household::open(&client, world, &mut numbers);
    let mut order: Vec<usize> = (0..household.files.len()).collect();
    if numbers.chance(80) {
        numbers.shuffle(&mut order);
    }
    if std::env::var("FINANCE_RANDOM_HOUSEHOLD").is_ok() {
        household.world.print();
        for (at, file) in household.files.iter().enumerate() {
            let place = match file.place {
                Place::Bank(at) => format!("bank {at}"),
                Place::Card(at) => format!("card {at}"),
            };
            eprintln!(
                "file {at}: {place} {:?} {:?} rows {:?}",
                file.format,
                file.payment_date.map(|d| d.to_string()),
                file.rows
            );
        }
    }
    household.run(&order, &mut numbers);
    // What was undone comes again, so that everything is told at the end.
    for file in order {
        let known = household.known();
        let mut rows = household.files[file].read(&household.world);
        if rows.any(|row| !known.stored.contains(&row) && !known.held.contains(&row)) {
            drop(rows);
            household.confirm_as_said(file);
        }
    }
    household.open_late_cards();
    household.client.post("/api/transfers/detect", json!({})).ok();
    household.check("at the end");
}

/// The seeds of one of the tests.
fn seeds(part: u64) -> std::ops::Range<u64> {
    if let Ok(one) = std::env::var("FINANCE_RANDOM_HOUSEHOLD") {
        let one = one.parse().expect("the number of a household");
        return if part == 0 { one..one + 1 } else { 0..0 };
    }
    let households = match std::env::var("FINANCE_RANDOM_HOUSEHOLDS") {
        Ok(count) => count.parse::<u64>().expect("a number of households").div_ceil(4),
        Err(_) => HOUSEHOLDS,
    };
    part * households..(part + 1) * households
}

#[test]
fn households_show_what_their_banks_say() {
    try_households(seeds(0));
}

#[test]
fn more_households_show_what_their_banks_say() {
    try_households(seeds(1));
}

#[test]
fn a_third_lot_of_households_shows_what_their_banks_say() {
    try_households(seeds(2));
}

#[test]
fn a_fourth_lot_of_households_shows_what_their_banks_say() {
    try_households(seeds(3));
}
