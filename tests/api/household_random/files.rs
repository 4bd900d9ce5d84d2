//! The files that the banks of a random household offer.

use finance_tests::money;
use time::{Date, Duration};

use super::world::{Bill, Files, Kind, Numbers, Place, World};

/// How a bank writes a file.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Format {
    Ofx,
    /// The export of Nubank: of an account with ids, of a card with purchases above zero.
    Nubank,
    /// Another bank's export, with commas.
    Commas,
}

/// The ids of a bank's rows.
#[derive(Clone, Copy, PartialEq)]
enum Ids {
    /// Each row has one, in every export.
    Own,
    /// They count the rows of an export.
    Counted,
    /// The instalments of a purchase have one.
    OfPurchase,
    /// None.
    Zero,
}

pub(super) struct File {
    pub(super) place: Place,
    pub(super) rows: Vec<usize>,
    pub(super) payment_date: Option<Date>,
    pub(super) format: Format,
    ids: Ids,
    has_balances: bool,
}

/// All files of a household: together they have every row that the bank tells.
pub(super) fn files(world: &World, numbers: &mut Numbers) -> Vec<File> {
    let mut files = Vec::new();
    for place in [Place::Bank(0), Place::Bank(1)].into_iter().chain((0..world.cards.len()).map(Place::Card)) {
        let ids = *numbers.one(&[Ids::Own, Ids::Counted, Ids::OfPurchase, Ids::Zero]);
        let formats = *numbers.one(&[[Format::Ofx; 2], [Format::Ofx, Format::Nubank], [Format::Commas, Format::Ofx]]);
        for (rows, payment_date) in parts(world, place, numbers) {
            let mut rows = rows;
            rows.sort_by_key(|at| (world.rows[*at].date, *at));
            if numbers.chance(40) {
                rows.reverse();
            }
            if !rows.is_empty() {
                let (format, has_balances) = (*numbers.one(&formats), numbers.chance(30));
                files.push(File { place, rows, payment_date, format, ids, has_balances });
            }
        }
    }
    files
}

/// The rows of each file of an account or a card.
fn parts(world: &World, place: Place, numbers: &mut Numbers) -> Vec<(Vec<usize>, Option<Date>)> {
    let of_place = || (0..world.rows.len()).filter(|at| world.rows[*at].place == place);
    if let Place::Card(at) = place
        && world.cards[at].files == Files::Dated
    {
        let card = &world.cards[at];
        let of_bill = |bill: usize| {
            (of_place().filter(|row| world.rows[*row].bill == bill).collect(), Some(card.bills[bill].due))
        };
        return (card.first..card.open()).map(of_bill).collect();
    }
    let mut days: Vec<(Date, Date)> = match place {
        Place::Card(at) if world.cards[at].files == Files::Bills => {
            let bills = world.cards[at].bills.iter();
            bills.map(|Bill { start, closing, .. }| (*start, *closing - Duration::DAY)).collect()
        }
        _ => months(world),
    };
    for (first, last) in &mut days {
        if numbers.chance(25) {
            *first -= Duration::days(numbers.between(1, 20));
        }
        if numbers.chance(25) {
            *last += Duration::days(numbers.between(1, 20));
        }
    }
    let of_days = |(first, last): (Date, Date)| {
        of_place().filter(|row| (first..=last).contains(&world.rows[*row].date)).collect()
    };
    days.into_iter().map(|days| (of_days(days), None)).collect()
}

fn months(world: &World) -> Vec<(Date, Date)> {
    let mut first = world.first_day.replace_day(1).unwrap() - Duration::days(1);
    first = first.replace_day(1).unwrap();
    let mut months = Vec::new();
    while first <= world.today {
        let last = first.replace_day(first.month().length(first.year())).unwrap();
        months.push((first, last));
        first = last + Duration::DAY;
    }
    months
}

impl File {
    /// The rows that are read: those that carry a debt are not.
    pub(super) fn read<'a>(&'a self, world: &'a World) -> impl Iterator<Item = usize> + 'a {
        self.rows.iter().copied().filter(|at| world.rows[*at].kind != Kind::Carried)
    }

    fn id(&self, world: &World, position: usize, at: usize) -> String {
        match (self.ids, self.place) {
            (Ids::Zero, _) => "0".into(),
            (Ids::Counted, _) => format!("{:05}", position + 1),
            (Ids::OfPurchase, Place::Card(_)) => format!("P{}", world.rows[at].purchase),
            (Ids::Own | Ids::OfPurchase, _) => format!("F{at}"),
        }
    }

    pub(super) fn bytes(&self, world: &World) -> Vec<u8> {
        let mut text = match (self.format, self.place) {
            (Format::Ofx, _) => String::from(
                "OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nENCODING:UTF-8\r\nCHARSET:NONE\r\n\r\n<OFX><STMTRS><CURDEF>BRL\
                 <BANKTRANLIST>\r\n",
            ),
            (Format::Nubank, Place::Bank(_)) => "Data,Valor,Identificador,Descrição\n".into(),
            (Format::Nubank, Place::Card(_)) => "date,title,amount\n".into(),
            (Format::Commas, _) => "Data;Descrição;Valor\n".into(),
        };
        for (position, at) in self.rows.iter().enumerate() {
            let row = &world.rows[*at];
            let (id, amount) = (self.id(world, position, *at), money(i128::from(row.cents)));
            let (year, month, day) = (row.date.year(), u8::from(row.date.month()), row.date.day());
            let quoted = format!("\"{}\"", row.text.replace('"', "\"\""));
            let line = match (self.format, self.place) {
                (Format::Ofx, _) => format!(
                    "<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{year}{month:02}{day:02}000000[-3:BRT]<TRNAMT>{amount}<FITID>{id}<MEMO>{}</STMTTRN>\r\n",
                    row.text
                ),
                (Format::Nubank, Place::Bank(_)) => format!("{day:02}/{month:02}/{year},{amount},{id},{quoted}\n"),
                (Format::Nubank, Place::Card(_)) => {
                    format!("{},{quoted},{}\n", row.date, money(i128::from(-row.cents)))
                }
                (Format::Commas, _) => {
                    format!("{day:02}/{month:02}/{year};{quoted};{}\n", amount.replace('.', ","))
                }
            };
            text.push_str(&line);
            if self.has_balances && self.format == Format::Ofx && position == self.rows.len() / 2 {
                text.push_str(&format!(
                    "<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{year}{month:02}{day:02}<TRNAMT>1.00<FITID>0<MEMO>SALDO DO DIA</STMTTRN>\r\n"
                ));
            }
        }
        if self.format == Format::Ofx {
            text.push_str("</BANKTRANLIST></STMTRS></OFX>\r\n");
        }
        text.into_bytes()
    }
}
