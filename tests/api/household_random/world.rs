//! What happens in a random household: what its banks know, row by row.

use time::{Date, Duration, Month};

/// Numbers that are the same in each run, by a multiplication of Lehmer.
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Self {
        let mut numbers = Numbers(1 + seed * 7_919 % 2_147_483_646);
        for _ in 0..5 {
            numbers.below(2);
        }
        numbers
    }

    /// A number below a limit.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        (self.0 >> 4) as usize % limit
    }

    /// A number of a range, with its end.
    pub(super) fn between(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first).max(0) as usize + 1) as i64
    }

    /// Whether something happens that does in this many cases of a hundred.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

/// A day of a month, or its last day.
pub(super) fn clamped(year: i32, month: Month, day: u8) -> Date {
    Date::from_calendar_date(year, month, day.min(month.length(year))).unwrap()
}

/// The first date after another one that is this day of its month.
fn day_after(date: Date, day: u8) -> Date {
    let here = clamped(date.year(), date.month(), day);
    if here > date {
        return here;
    }
    let next = date.month().next();
    clamped(date.year() + i32::from(next == Month::January), next, day)
}

/// A period of a card, with the day on which it closes and the one on which it is due.
#[derive(Clone, Copy)]
pub(super) struct Bill {
    pub(super) start: Date,
    pub(super) closing: Date,
    pub(super) due: Date,
}

/// How a card's statements come.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Files {
    /// By calendar months, with the dates of purchases.
    Months,
    /// By bills, with the dates of purchases.
    Bills,
    /// By bills that are closed, with the date on which each is due.
    Dated,
}

pub(super) struct Card {
    pub(super) name: &'static str,
    pub(super) closing_day: u8,
    pub(super) due_day: u8,
    pub(super) files: Files,
    /// All periods from before the first row to the open one.
    pub(super) bills: Vec<Bill>,
    /// The first one with rows.
    pub(super) first: usize,
    /// What a person says of its opening: what is owed, and when.
    pub(super) stated: Option<(i64, Date)>,
    pub(super) limit: i64,
    pub(super) plans: Vec<Plan>,
    /// Whether the card is kept here only after the accounts, so that their rows were spending.
    pub(super) is_late: bool,
}

impl Card {
    pub(super) fn open(&self) -> usize {
        self.bills.len() - 1
    }
}

/// A purchase by instalments: the rows that the bank sends, by number.
pub(super) struct Plan {
    pub(super) count: i64,
    /// The row, its number, and its bill.
    pub(super) rows: Vec<(usize, i64, usize)>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    Bank(usize),
    Card(usize),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// It is an income or an expense.
    Ordinary,
    /// It is a side of this payment of a card.
    Payment(usize),
    /// It moves money between own accounts, or is a Pix on credit, together with this row. Without it, it is an income or an expense.
    Moved(usize),
    /// It carries a debt from bill to bill, and is neither.
    Carried,
}

/// A row of a bank.
pub(super) struct Row {
    pub(super) place: Place,
    pub(super) date: Date,
    /// Money that comes is above zero.
    pub(super) cents: i64,
    pub(super) text: String,
    pub(super) kind: Kind,
    /// On a card: the bill on which it is.
    pub(super) bill: usize,
    /// The number of the purchase, which instalments share.
    pub(super) purchase: usize,
}

/// A payment of a card: the dates on the account and on the card. An account that is not kept here has none.
pub(super) struct Payment {
    pub(super) card: usize,
    pub(super) cents: i64,
    pub(super) sent: Option<Date>,
    pub(super) received: Date,
}

pub(super) struct World {
    pub(super) today: Date,
    pub(super) first_day: Date,
    pub(super) cards: Vec<Card>,
    pub(super) rows: Vec<Row>,
    pub(super) payments: Vec<Payment>,
    /// What each account held before the first day.
    pub(super) opened: [i64; 2],
    moved: Vec<i64>,
    /// The number of cards.
    cards_kept: usize,
}

/// The words of a refund.
const REFUNDS: [&str; 3] = ["Estorno de", "ESTORNO", "Crédito ref."];
const SHOPS: [&str; 8] =
    ["MERCADO AZUL", "POSTO SOL", "PADARIA", "FARMACIA", "LOJA GRANDE", "IFOOD *REST", "UBER", "CINEMA"];
const PLAN_SHOPS: [&str; 5] = ["AMZN MKTPLACE", "MAGALU", "TVSHOP", "VIAGENS SERRA", "OTICA"];
const SENT: [&str; 6] = [
    "PAGAMENTO FATURA CARTAO",
    "Pagamento de fatura",
    "PGTO FATURA",
    "DEBITO AUTOMATICO FATURA",
    "PAG FATURA",
    "PAGTO CARTAO CREDITO",
];
const RECEIVED: [&str; 6] = [
    "Pagamento recebido",
    "PAGAMENTO EFETUADO",
    "PGTO RECEBIDO",
    "Pagamento da fatura",
    "PAGTO. POR DEB EM C/C",
    "INCLUSAO DE PAGAMENTO",
];

impl World {
    pub(super) fn new(numbers: &mut Numbers) -> Self {
        let first_day = clamped(2025, Month::October, numbers.between(1, 28) as u8);
        let today = first_day + Duration::days(numbers.between(100, 230));
        let opened = [numbers.between(0, 900_000), numbers.between(0, 50_000)];
        let cards_kept = if numbers.chance(30) { 2 } else { 1 };
        let (cards, rows, payments, moved) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut world = World { today, first_day, cards, rows, payments, opened, moved, cards_kept };
        for at in 0..cards_kept {
            world.open_card(at, numbers);
        }
        world.live(numbers);
        world
    }

    /// Prints what happened, to find a fault.
    pub(super) fn print(&self) {
        eprintln!("today {}, first day {}", self.today, self.first_day);
        for (at, card) in self.cards.iter().enumerate() {
            let files = match card.files {
                Files::Months => "months",
                Files::Bills => "bills",
                Files::Dated => "dated",
            };
            eprintln!(
                "card {at}: {}, closing {}, due {}, {files}, said {:?}, late {}, first {}",
                card.name,
                card.closing_day,
                card.due_day,
                card.stated.map(|(owed, day)| format!("{owed} on {day}")),
                card.is_late,
                card.bills[card.first].start
            );
            for plan in &card.plans {
                eprintln!("  plan of {}: {:?}", plan.count, plan.rows);
            }
        }
        for (at, row) in self.rows.iter().enumerate() {
            let place = match row.place {
                Place::Bank(at) => format!("bank {at}"),
                Place::Card(at) => format!("card {at}, bill {}", self.cards[at].bills[row.bill].start),
            };
            let kind = match row.kind {
                Kind::Ordinary => String::new(),
                Kind::Payment(payment) => format!("payment {payment}"),
                Kind::Moved(other) => format!("moved {other}"),
                Kind::Carried => "carried".into(),
            };
            eprintln!("row {at}: {} {place} {} {:?} {kind}", row.date, row.cents, row.text);
        }
    }

    fn open_card(&mut self, at: usize, numbers: &mut Numbers) {
        let closing_day = numbers.between(1, 31) as u8;
        let days = if numbers.chance(80) { numbers.between(5, 14) } else { numbers.between(1, 30) };
        let mut due_day = (closing_day + days as u8 - 1) % 31 + 1;
        // With a due day that is not in each month, two bills may be due on one date.
        if closing_day >= 28 && due_day > closing_day {
            due_day = 28;
        }
        let mut bills = Vec::new();
        let mut start = clamped(2025, Month::July, closing_day);
        while start <= self.today {
            let closing = day_after(start, closing_day);
            bills.push(Bill { start, closing, due: day_after(closing, due_day) });
            start = closing;
        }
        let first = bills.iter().position(|bill| bill.start >= self.first_day).unwrap();
        let stated = match numbers.below(3) {
            0 => None,
            1 => Some((0, bills[first].start - Duration::DAY)),
            _ => Some((numbers.between(1_000, 200_000), bills[first].start - Duration::days(numbers.between(1, 12)))),
        };
        let name = [["Nubank", "Visa Platinum"], ["Cartão Azul", "Cartão Verde"]][numbers.below(2)][at];
        let files = *numbers.one(&[Files::Months, Files::Bills, Files::Dated]);
        let limit = 100_000 * numbers.between(5, 50);
        let (plans, is_late) = (Vec::new(), files != Files::Dated && self.cards_kept == 1 && numbers.chance(20));
        self.cards.push(Card { name, closing_day, due_day, files, bills, first, stated, limit, plans, is_late });
        self.buy(at, numbers);
        self.pay(at, numbers);
    }

    fn row(&mut self, place: Place, date: Date, cents: i64, text: &str, kind: Kind) -> usize {
        let bill = match place {
            Place::Card(at) => self.cards[at].bills.iter().rposition(|bill| bill.start <= date).unwrap_or(0),
            Place::Bank(_) => 0,
        };
        let purchase = self.rows.len();
        self.rows.push(Row { place, date, cents, text: text.to_string(), kind, bill, purchase });
        self.rows.len() - 1
    }

    /// A day of a bill that has come.
    fn day_of(&self, card: usize, bill: usize, numbers: &mut Numbers) -> Date {
        let Bill { start, closing, .. } = self.cards[card].bills[bill];
        let last = (closing - Duration::DAY).min(self.today);
        start + Duration::days(numbers.between(0, (last - start).whole_days()))
    }

    /// Purchases, refunds and instalments.
    fn buy(&mut self, card: usize, numbers: &mut Numbers) {
        let place = Place::Card(card);
        let (first, open) = (self.cards[card].first, self.cards[card].open());
        for bill in first..=open {
            if bill > first && numbers.chance(10) {
                continue;
            }
            for _ in 0..numbers.between(1, 5) {
                let (date, cents) = (self.day_of(card, bill, numbers), numbers.between(500, 60_000));
                let shop = *numbers.one(&SHOPS);
                self.row(place, date, -cents, shop, Kind::Ordinary);
                if numbers.chance(8) {
                    self.row(place, date, -cents, shop, Kind::Ordinary);
                }
                if numbers.chance(10) {
                    let later = self.day_of(card, (bill + numbers.below(2)).min(open), numbers).max(date);
                    let part = if numbers.chance(60) { cents } else { cents / 2 };
                    self.row(place, later, part, &format!("{} \"{shop}\"", numbers.one(&REFUNDS)), Kind::Ordinary);
                }
            }
            if numbers.chance(10) {
                let (date, cents) = (self.day_of(card, bill, numbers), numbers.between(60_000, 150_000));
                self.row(place, date, cents, "Estorno LOJA GRANDE", Kind::Ordinary);
            }
        }
        for at in 0..numbers.below(3) {
            let bought = first + numbers.below(open - first + 1);
            let number = if bought == first && numbers.chance(50) { numbers.between(2, 3) } else { 1 };
            let cents = numbers.between(2_000, 40_000) + at as i64 * 50_000;
            let day = self.day_of(card, bought, numbers);
            let count = numbers.between(number.max(2), 10);
            let shop = PLAN_SHOPS[at + numbers.below(3)];
            self.instalments(card, bought, (number, count), cents, shop, day, numbers);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn instalments(
        &mut self,
        card: usize,
        bought: usize,
        (first, count): (i64, i64),
        cents: i64,
        shop: &str,
        day: Date,
        numbers: &mut Numbers,
    ) {
        let (open, is_dated) = (self.cards[card].open(), self.cards[card].files == Files::Dated);
        let keeps_date = is_dated && numbers.chance(40);
        let style = numbers.below(4);
        let drifts = if numbers.chance(30) { numbers.between(2, count) } else { count + 1 };
        let offset = day - self.cards[card].bills[bought].start;
        let purchase = self.rows.len();
        let mut rows = Vec::new();
        for number in first..=count {
            let bill = bought + (number - first) as usize;
            if bill > open {
                break;
            }
            let start = self.cards[card].bills[bill].start;
            let last = (self.cards[card].bills[bill].closing - Duration::DAY).min(self.today);
            let date = if keeps_date { day } else { (start + offset).min(last) };
            if start + offset > self.today && bill == open {
                break;
            }
            let shop = if number >= drifts { format!("{shop}S") } else { shop.to_string() };
            let text = match style {
                0 => format!("{shop} - Parcela {number}/{count}"),
                1 => format!("{shop} PARC {number:02}/{count:02}"),
                2 => format!("{shop} {number:02}/{count:02}"),
                _ => format!("{shop} (Parcela {number} de {count})"),
            };
            // Cents that are left over are on the first.
            let cents = if number == 1 { cents + numbers.between(0, count - 1) } else { cents };
            let row = self.row(Place::Card(card), date, -cents, &text, Kind::Ordinary);
            (self.rows[row].bill, self.rows[row].purchase) = (bill, purchase);
            rows.push((row, number, bill));
        }
        self.cards[card].plans.push(Plan { count, rows });
    }

    /// Whether it is known only at the end which rows are sides of a payment that is made here: payments from before the card may be
    /// asked with a later file only, and of equal payments each may be the other.
    pub(super) fn is_ambiguous(&self) -> bool {
        let mut paid: Vec<(usize, i64)> = self.payments.iter().map(|paid| (paid.card, paid.cents)).collect();
        paid.sort_unstable();
        self.cards.iter().any(|card| card.is_late) || paid.windows(2).any(|two| two[0] == two[1])
    }

    /// What the bank prints on a bill: what is owed when it closes.
    pub(super) fn printed(&self, card: usize, bill: usize) -> i64 {
        let Card { bills, stated, .. } = &self.cards[card];
        let bought = self
            .rows
            .iter()
            .filter(|row| row.place == Place::Card(card) && row.kind == Kind::Ordinary && row.bill <= bill);
        let paid = self.payments.iter().filter(|paid| paid.card == card && paid.received < bills[bill].closing);
        stated.map_or(0, |(owed, _)| owed)
            - bought.map(|row| row.cents).sum::<i64>()
            - paid.map(|paid| paid.cents).sum::<i64>()
    }

    /// Pays bills: in full, in part, late, early, twice, or not at all.
    fn pay(&mut self, card: usize, numbers: &mut Numbers) {
        let (first, open) = (self.cards[card].first, self.cards[card].open());
        if self.cards[card].stated.is_none() {
            self.pay_before(card, numbers);
        } else if self.cards[card].stated.is_some_and(|(owed, _)| owed > 0) && numbers.chance(70) {
            let owed = self.cards[card].stated.unwrap().0;
            let due = self.cards[card].bills[first - 1].due;
            self.payment(card, owed, due - Duration::days(numbers.between(0, 2)), numbers);
        }
        for bill in first..open {
            let Bill { closing, due, .. } = self.cards[card].bills[bill];
            let printed = self.printed(card, bill);
            let on_time = due - Duration::days(numbers.between(0, 3).min((due - closing).whole_days()));
            let late = due + Duration::days(numbers.between(1, 9));
            if printed > 0 {
                match numbers.below(12) {
                    0..=3 => self.payment(card, printed, on_time, numbers),
                    4 => self.payment(card, printed, late, numbers),
                    5 => self.payment(card, printed * numbers.between(15, 90) / 100, on_time, numbers),
                    6 => {
                        let part = printed * numbers.between(20, 60) / 100;
                        self.payment(card, part, on_time, numbers);
                        self.payment(card, printed - part, late, numbers);
                    }
                    7 => {
                        // Twice on one day, or a second time some days later.
                        let again = if numbers.chance(50) { on_time } else { late };
                        let lag = if again == on_time { numbers.between(-2, 8) } else { 0 };
                        for received in [on_time, again] {
                            let sent = (received - Duration::days(lag)).min(self.today);
                            self.payment_of(card, printed, Some(sent), received, numbers);
                        }
                    }
                    8 => self.payment(card, printed + numbers.between(1_000, 30_000), on_time, numbers),
                    9 => self.split(card, bill, printed, numbers),
                    10 => {
                        let part = printed / 2;
                        self.payment(card, part, on_time, numbers);
                        self.payment(card, part - 1, late, numbers);
                    }
                    _ => {}
                }
            }
            self.carry(card, bill, numbers);
            // The next bill is paid in part while it is open.
            if numbers.chance(10) {
                let early = self.day_of(card, bill + 1, numbers);
                self.payment(card, numbers.between(1_000, 20_000), early, numbers);
            }
        }
    }

    /// The payment of the bill before the first one that is here.
    fn pay_before(&mut self, card: usize, numbers: &mut Numbers) {
        if numbers.chance(30) {
            return;
        }
        let Card { bills, first, .. } = &self.cards[card];
        let (start, last) = (bills[*first].start, bills[*first].closing - Duration::DAY);
        let until = (bills[*first - 1].due + Duration::days(10)).min(last);
        let (start, days) = (start, (until - start).whole_days());
        for _ in 0..numbers.between(1, 2) {
            let received = start + Duration::days(numbers.between(0, days));
            let cents = numbers.between(5_000, 300_000);
            let sent = received - Duration::days(numbers.between(0, 4));
            self.payment_of(card, cents, Some(sent).filter(|_| numbers.chance(70)), received, numbers);
        }
    }

    /// A bill that is paid by a debt in instalments.
    fn split(&mut self, card: usize, bill: usize, printed: i64, numbers: &mut Numbers) {
        let received = self.cards[card].bills[bill].due;
        if received > self.today {
            return;
        }
        let cents = (printed * numbers.between(40, 90) / 100).max(1);
        let payment = self.payments.len();
        self.payments.push(Payment { card, cents, sent: None, received });
        self.row(Place::Card(card), received, cents, "Crédito de parcelamento de fatura", Kind::Payment(payment));
        let at = self.cards[card].bills.iter().rposition(|bill| bill.start <= received).unwrap();
        let part = cents * 11 / 60;
        if part > 10 {
            self.instalments(card, at, (1, 6), part, "Parcelamento de fatura", received, numbers);
        }
    }

    /// The rows of a late bill on the next one: the debt and its twin, and what the bank takes for it.
    fn carry(&mut self, card: usize, bill: usize, numbers: &mut Numbers) {
        let Bill { due, .. } = self.cards[card].bills[bill];
        let closing = self.cards[card].bills[bill + 1].closing;
        let paid = self.payments.iter().filter(|paid| paid.card == card && paid.received <= due);
        let before = self
            .payments
            .iter()
            .filter(|paid| paid.card == card && paid.received < self.cards[card].bills[bill].closing);
        let left = self.printed(card, bill) - paid.map(|paid| paid.cents).sum::<i64>()
            + before.map(|paid| paid.cents).sum::<i64>();
        let date = due + Duration::DAY;
        if left <= 0 || date > self.today || date >= closing || numbers.chance(40) {
            return;
        }
        let place = Place::Card(card);
        let (debt, twin) = *numbers.one(&[
            ("Saldo em atraso", "Crédito de atraso"),
            ("Saldo em rotativo", "Crédito de rotativo"),
            ("Encerramento de dívida", "Juros de dívida encerrada"),
        ]);
        self.row(place, date, -left, debt, Kind::Carried);
        self.row(place, date, left, twin, Kind::Carried);
        self.row(place, date, -(left / 50 + 1), "Multa de atraso", Kind::Ordinary);
        self.row(place, date, -(left / 90 + 1), "Juros de dívida encerrada", Kind::Ordinary);
    }

    fn payment(&mut self, card: usize, cents: i64, received: Date, numbers: &mut Numbers) {
        let lag = if numbers.chance(30) { numbers.between(-4, 10) } else { numbers.between(0, 2) };
        let sent = (received - Duration::days(lag)).min(self.today);
        self.payment_of(card, cents, Some(sent).filter(|_| !numbers.chance(15)), received, numbers);
    }

    fn payment_of(&mut self, card: usize, cents: i64, sent: Option<Date>, received: Date, numbers: &mut Numbers) {
        if received > self.today || cents <= 0 {
            return;
        }
        let kind = Kind::Payment(self.payments.len());
        self.payments.push(Payment { card, cents, sent, received });
        self.row(Place::Card(card), received, cents, RECEIVED[numbers.below(RECEIVED.len())], kind);
        // A refund of the same amount is none.
        let bill = self.rows[self.rows.len() - 1].bill;
        if bill >= self.cards[card].first && numbers.chance(5) {
            let date = self.day_of(card, bill, numbers).max(received);
            self.row(Place::Card(card), date, cents, "Estorno LOJA CARA", Kind::Ordinary);
        }
        if let Some(sent) = sent {
            let names_card = self.cards_kept > 1 || numbers.chance(30);
            let text = match numbers.one(&SENT) {
                text if names_card => format!("{text} {}", self.cards[card].name),
                text => (*text).to_string(),
            };
            self.row(Place::Bank(0), sent, -cents, &text, kind);
        }
    }

    /// What happens on the accounts.
    fn live(&mut self, numbers: &mut Numbers) {
        let mut day = self.first_day;
        while day <= self.today {
            if day.day() == 5 {
                self.row(Place::Bank(0), day, 650_000, "SALARIO EMPRESA", Kind::Ordinary);
            }
            if numbers.chance(12) {
                let cents = numbers.between(1_000, 40_000);
                let text = *numbers.one(&[
                    "COMPRA CARTAO DEBITO MERCADO",
                    "PIX ENVIADO CARLOS PEREIRA",
                    "PIX ENVIADO ANA SOARES",
                    "TARIFA",
                    "DOCERIA",
                ]);
                self.row(Place::Bank(0), day, -cents, text, Kind::Ordinary);
            }
            if numbers.chance(3) {
                let cents = numbers.between(1_000, 40_000);
                let to = Place::Bank(numbers.below(2));
                self.row(to, day, cents, "PIX RECEBIDO MARIA OLIVEIRA", Kind::Ordinary);
            }
            if numbers.chance(4) {
                self.move_money(day, numbers);
            }
            if numbers.chance(1) {
                let cents = self.other_amount(numbers);
                let lent = "Valor adicionado na conta por cartão de crédito - Valor adicionado para Pix no Crédito";
                let at = self.rows.len();
                self.row(Place::Bank(0), day, cents, lent, Kind::Moved(at + 1));
                self.row(Place::Bank(0), day, -cents, "PIX ENVIADO ELETRICISTA", Kind::Moved(at));
                let first = self.cards[0].first;
                if day >= self.cards[0].bills[first].start {
                    self.row(Place::Card(0), day, -(cents * 106 / 100), "Eletricista Exemplo", Kind::Ordinary);
                }
            }
            day += Duration::DAY;
        }
    }

    fn move_money(&mut self, day: Date, numbers: &mut Numbers) {
        let cents = self.other_amount(numbers);
        let there = (day + Duration::days(numbers.between(0, 3))).min(self.today);
        let (from, to) = if numbers.chance(60) { (0, 1) } else { (1, 0) };
        let (sent, received) = *numbers.one(&[
            ("PIX ENVIADO ANA SOUZA", "PIX RECEBIDO ANA SOUZA"),
            ("TED ANA SOUZA LIMA", "TED RECEBIDA"),
            ("TRANSF PIX", "PIX RECEBIDO DE ANA SOUZA"),
        ]);
        let at = self.rows.len();
        self.row(Place::Bank(from), day, -cents, sent, Kind::Moved(at + 1));
        self.row(Place::Bank(to), there, cents, received, Kind::Moved(at));
    }

    /// An amount that no other row of an account has.
    fn other_amount(&mut self, numbers: &mut Numbers) -> i64 {
        loop {
            let cents = numbers.between(5_000, 90_000);
            let is_known = self.rows.iter().any(|row| matches!(row.place, Place::Bank(_)) && row.cents.abs() == cents);
            if !is_known && !self.moved.contains(&cents) {
                self.moved.push(cents);
                return cents;
            }
        }
    }
}
