//! Example households: three years of rows with series that go on, and noise that does not.

use std::collections::HashMap;

use time::{Date, Duration, Month as CalendarMonth};

/// What a series is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrueSeries {
    /// Its name among the series of the household.
    pub name: String,
    /// `income` or `expense`.
    pub kind: &'static str,
    /// `week`, `month` or `year`.
    pub unit: &'static str,
    /// The day on which it comes next.
    pub next_on: Date,
}

/// A row of a household.
#[derive(Debug, Clone)]
pub struct ExampleRow {
    /// Its day.
    pub date: Date,
    /// `income` or `expense`.
    pub kind: &'static str,
    /// Its text, as a bank writes it.
    pub description: String,
    /// Cents.
    pub cents: i64,
    /// The series that it is of.
    pub series: Option<usize>,
}

/// A household.
#[derive(Debug, Clone, Default)]
pub struct Example {
    /// The series that go on.
    pub series: Vec<TrueSeries>,
    /// All rows.
    pub rows: Vec<ExampleRow>,
}

/// Random numbers that are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`.
    fn roll(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low + 1).expect("low is not above high");
        low + i64::try_from(self.next() % span).expect("below the span")
    }
}

fn day_of(year: i32, month: i32, day: u8) -> Date {
    let count = year * 12 + month - 1;
    let month = CalendarMonth::try_from(u8::try_from(count.rem_euclid(12) + 1).expect("a month")).expect("a month");
    let year = count.div_euclid(12);
    Date::from_calendar_date(year, month, day.min(month.length(year))).expect("a date")
}

/// The household of a seed: 36 months until `today`.
pub fn example(seed: u64, today: Date) -> Example {
    let mut dice = Dice(seed.wrapping_mul(7_919).wrapping_add(13));
    let mut example = Example::default();
    let (year, month) = (today.year(), i32::from(u8::from(today.month())));
    let first = day_of(year, month - 36, 1);

    let monthly = |example: &mut Example,
                   dice: &mut Dice,
                   name: &str,
                   kind: &'static str,
                   text: &str,
                   day: u8,
                   months: i32,
                   cents: &mut dyn FnMut(i32, &mut Dice) -> i64| {
        let at = example.series.len();
        let (mut last, mut next_on) = (None, None);
        for back in (0..months).rev() {
            let due = day_of(year, month - back, day);
            let came = due + Duration::days(dice.roll(0, 2));
            let cents = cents(back, dice);
            if came <= today {
                last = Some(came);
                example.rows.push(ExampleRow {
                    date: came,
                    kind,
                    description: text.to_string(),
                    cents,
                    series: Some(at),
                });
            } else {
                next_on = next_on.or(Some(due + Duration::days(1)));
            }
        }
        assert!(last.is_some(), "{name}");
        let next_on = next_on.unwrap_or(day_of(year, month + 1, day) + Duration::days(1));
        example.series.push(TrueSeries { name: name.to_string(), kind, unit: "month", next_on });
    };

    let rolls: Vec<i64> = (0..12).map(|_| dice.roll(1, 26)).collect();
    let day = |at: usize| u8::try_from(rolls[at]).expect("a day");
    let wage = dice.roll(300_000, 900_000);
    monthly(&mut example, &mut dice, "salary", "income", "Pagamento de salário ACME LTDA", 5, 36, &mut |_, _| wage);
    let rent = dice.roll(120_000, 300_000);
    monthly(
        &mut example,
        &mut dice,
        "rent",
        "expense",
        "Pix enviado - Imobiliária Sol",
        day(0),
        36,
        &mut |back, _| if back < 12 { rent + rent / 20 } else { rent },
    );
    let base = dice.roll(12_000, 22_000);
    monthly(&mut example, &mut dice, "energy", "expense", "ENEL Distribuição SP", day(1), 36, &mut |back, dice| {
        let season = [160, 150, 130, 110, 90, 80, 75, 80, 95, 110, 130, 150];
        let of = usize::try_from((month - 1 - back).rem_euclid(12)).expect("a month");
        base * (season[of] + dice.roll(-8, 8)) / 100
    });
    let water = dice.roll(7_000, 11_000);
    monthly(&mut example, &mut dice, "water", "expense", "SABESP", day(2), 36, &mut |_, dice| {
        water + dice.roll(-1_200, 1_200)
    });
    let price = dice.roll(2_990, 4_990);
    let step = i32::try_from(dice.roll(2, 14)).expect("months");
    monthly(&mut example, &mut dice, "streaming", "expense", "NETFLIX.COM", day(3), 30, &mut |back, _| {
        if back < step { price + 500 } else { price }
    });
    monthly(
        &mut example,
        &mut dice,
        "internet",
        "expense",
        "Débito automático VIVO FIBRA",
        day(4),
        36,
        &mut |_, _| 11_990,
    );
    monthly(&mut example, &mut dice, "gym", "expense", "Smart Fit", day(5), 14, &mut |_, _| 11_990);
    let condo = dice.roll(40_000, 90_000);
    monthly(
        &mut example,
        &mut dice,
        "condominium",
        "expense",
        "Condomínio Edifício Aurora",
        day(6),
        36,
        &mut |_, dice| condo + dice.roll(0, 6_000),
    );
    // Three policies of one insurer.
    for (at, (name, cents)) in [("life", 4_530), ("home", 7_215), ("car", 21_890)].into_iter().enumerate() {
        monthly(&mut example, &mut dice, name, "expense", "Porto Seguro", day(7 + at), 20, &mut |_, _| cents);
    }
    // A shop that bills a subscription.
    monthly(&mut example, &mut dice, "prime", "expense", "AMAZON BR", day(10), 24, &mut |_, _| 1_990);
    if seed.is_multiple_of(2) {
        monthly(&mut example, &mut dice, "school", "expense", "Colégio Santa Maria", day(11), 26, &mut |_, _| 145_000);
    }
    if seed.is_multiple_of(3) {
        monthly(
            &mut example,
            &mut dice,
            "rent received",
            "income",
            "Pix recebido - Carlos Lima",
            day(9),
            22,
            &mut |_, _| 98_000,
        );
    }

    // A cleaner of each week, who misses one in eight.
    let at = example.series.len();
    let mut visit = first + Duration::days(dice.roll(0, 6));
    while visit <= today {
        if dice.roll(1, 8) > 1 {
            example.rows.push(ExampleRow {
                date: visit,
                kind: "expense",
                description: "Pix enviado - Dona Lúcia".into(),
                cents: 15_000,
                series: Some(at),
            });
        }
        visit += Duration::days(7);
    }
    example.series.push(TrueSeries { name: "cleaner".into(), kind: "expense", unit: "week", next_on: visit });
    // Taxes and policies of each year.
    for (name, text, base) in [("ipva", "IPVA SEFAZ", 240_000), ("domain", "REGISTRO.BR", 4_000)] {
        let at = example.series.len();
        let due = today + Duration::days(dice.roll(40, 300));
        for back in 1..=3 {
            let came = day_of(due.year() - back, i32::from(u8::from(due.month())), due.day())
                + Duration::days(dice.roll(0, 2));
            let cents = base + i64::from(3 - back) * base / 20;
            if came >= first {
                example.rows.push(ExampleRow {
                    date: came,
                    kind: "expense",
                    description: text.into(),
                    cents,
                    series: Some(at),
                });
            }
        }
        example.series.push(TrueSeries {
            name: name.into(),
            kind: "expense",
            unit: "year",
            next_on: due + Duration::days(1),
        });
    }

    // What does not repeat: a market, a barber, a marketplace, instalments, cafés, and something that ended.
    let mut noise = |date: Date, text: &str, cents: i64| {
        if (first..=today).contains(&date) {
            example.rows.push(ExampleRow { date, kind: "expense", description: text.into(), cents, series: None });
        }
    };
    for (text, low, high, least, most) in [
        ("Supermercado Extra", 3_000, 42_000, 2, 9),
        ("Padaria Real", 600, 4_500, 1, 6),
        ("Barbearia do Zé", 6_000, 6_000, 22, 45),
        ("AMAZON BR", 2_500, 60_000, 4, 30),
        ("Posto Ipiranga", 12_000, 32_000, 6, 18),
        ("iFood", 2_500, 12_000, 2, 12),
        ("Drogasil", 1_500, 18_000, 9, 40),
    ] {
        let mut date = first + Duration::days(dice.roll(0, most));
        while date <= today {
            noise(date, text, dice.roll(low, high));
            date += Duration::days(dice.roll(least, most));
        }
    }
    let begun = i32::try_from(dice.roll(8, 30)).expect("months");
    for number in 1..=10 {
        noise(day_of(year, month - begun + number, 15), &format!("Magazine Luiza {number}/10"), 18_990);
    }
    for back in 14..30 {
        noise(day_of(year, month - back, 12), "Clube do Vinho", 9_900);
    }
    example
}

/// How what was found compares with what is true: how many are right, how many there are, and how many were found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// The found ones that are right.
    pub right: usize,
    /// All that were found.
    pub found: usize,
    /// All that are true.
    pub series: usize,
}

/// A found series: type, unit, next day, and the true series of each of its rows.
pub type FoundSeries = (String, String, Option<Date>, Vec<Option<usize>>);

/// Judges what was found: right is one with a true series' type and rhythm, most of its rows from it, and the next day within three;
/// one for each.
pub fn score(example: &Example, found: &[FoundSeries]) -> Score {
    let mut taken: HashMap<usize, usize> = HashMap::new();
    for (at, (kind, unit, next_on, rows)) in found.iter().enumerate() {
        let right = example.series.iter().enumerate().find(|(series, of)| {
            let own = rows.iter().filter(|row| **row == Some(*series)).count();
            let is_near = next_on.is_some_and(|next| (next - of.next_on).whole_days().abs() <= 3);
            *kind == of.kind && *unit == of.unit && own * 100 >= rows.len() * 80 && is_near
        });
        match right {
            Some((series, _)) => drop(taken.entry(series).or_insert(at)),
            None => println!("not right: {kind} {unit} {next_on:?} {} rows", rows.len()),
        }
    }
    for (series, of) in example.series.iter().enumerate().filter(|(series, _)| !taken.contains_key(series)) {
        println!("not found: {series} {of:?}");
    }
    Score { right: taken.len(), found: found.len(), series: example.series.len() }
}
