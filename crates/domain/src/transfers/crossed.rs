//! Payments of equal amounts that were paired in the order in which files came.
//!
//! A payment is paired with the card's row that is known when it comes. If the nearer one comes later, a third row may find its
//! partner taken, so that the service makes a leg for a payment whose row is there. Then all payments of that amount are paired
//! anew: first those of each card, then, over all cards, those whose text says that a bill is paid and names no card. What
//! a person linked to a bill, though its text says nothing, stays on its card.

use std::collections::{BTreeMap, BTreeSet};

use time::Date;

use crate::ids::{AccountId, TransactionId, TransferId};
use crate::money::Money;
use crate::pairing::pair_dates;
use crate::transfers::kept_cards::KeptCards;
use crate::transfers::rows::{PAYMENT_DAYS, PaidCard, RejectedPairs};

/// The card's side of a payment, with the account's side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardPayment {
    /// The income on the card.
    pub id: TransactionId,
    /// The card.
    pub account_id: AccountId,
    /// The amount, above zero.
    pub amount: Money,
    /// The date in the statement.
    pub date: Date,
    /// Whether this service made it, and no statement has contained it yet.
    pub is_leg: bool,
    /// The transfer and the account's side. None if that is not known.
    pub payer: Option<(TransferId, Payer)>,
}

/// The account's side of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payer {
    /// The expense on the account.
    pub id: TransactionId,
    /// The date in the statement.
    pub date: Date,
    /// The description in the statement, [normalized](crate::text::normalized).
    pub text: String,
    /// Whether this service made it, and no statement has contained it yet.
    pub is_leg: bool,
}

/// How payments are paired anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rematch {
    /// The new pairs: the account's side and the card's.
    pub pairs: Vec<(TransactionId, TransactionId)>,
    /// The legs whose payment has a row of a statement now.
    pub legs: Vec<TransactionId>,
    /// The transfers of the pairs that end.
    pub ended: Vec<TransferId>,
}

/// Pairs payments anew where more of them have a row of the card's statement then, and no payment and no row is alone that was not.
/// `payments` has all sides on cards of the amounts that it contains, within some weeks. `pays_a_bill` is whether a normalized text
/// says that a bill is paid. A pair that a person refused is not made.
///
/// ```
/// use finance_domain::transfers::{CardPayment, KeptCards, Payer, rematch};
/// use finance_domain::{AccountId, Money, TransactionId, TransferId};
/// use time::macros::date;
///
/// let cards = KeptCards::new([(AccountId(1), "Visa")]);
/// let side = |id, date| CardPayment {
///     id: TransactionId(id), account_id: AccountId(1), amount: Money::from_cents(500), date, is_leg: false, payer: None,
/// };
/// let paid = |transfer, id, date| {
///     let payer = Payer { id: TransactionId(id), date, text: "pagamento fatura".into(), is_leg: false };
///     Some((TransferId(transfer), payer))
/// };
/// // The payment of the first day has the row of the ninth one, and that of the ninth a leg.
/// let [first, ninth] = [date!(2026-03-01), date!(2026-03-09)];
/// let sides = [
///     CardPayment { payer: paid(7, 10, first), ..side(1, ninth) },
///     CardPayment { payer: paid(8, 11, ninth), is_leg: true, ..side(2, ninth) },
///     side(3, first),
/// ];
/// let anew = rematch(&sides, &cards, &Default::default(), |text| text.starts_with("pagamento"));
/// assert_eq!(anew.pairs, [(TransactionId(10), TransactionId(3)), (TransactionId(11), TransactionId(1))]);
/// assert_eq!(anew.legs, [TransactionId(2)]);
/// ```
pub fn rematch(
    payments: &[CardPayment],
    cards: &KeptCards,
    refused: &RejectedPairs,
    pays_a_bill: impl Fn(&str) -> bool,
) -> Rematch {
    let payments = payments.iter().filter(|side| side.payer.as_ref().is_none_or(|(_, payer)| !payer.is_leg));
    let mut of_card: BTreeMap<(AccountId, Money), Vec<&CardPayment>> = BTreeMap::new();
    // Those that may be of any card: payments whose text says no more than that a bill is paid, and rows without a payment.
    let mut of_any: BTreeMap<Money, Vec<&CardPayment>> = BTreeMap::new();
    for side in payments {
        of_card.entry((side.account_id, side.amount)).or_default().push(side);
        let may_pay_any =
            |payer: &Payer| pays_a_bill(&payer.text) && !matches!(cards.paid_by(&payer.text), Some(PaidCard::Kept(_)));
        if side.payer.as_ref().is_none_or(|(_, payer)| may_pay_any(payer)) {
            of_any.entry(side.amount).or_default().push(side);
        }
    }
    let mut anew = Rematch::default();
    let mut changed = BTreeSet::new();
    for (card, group) in &of_card {
        if rematch_group(group, refused, &mut anew) {
            changed.insert(*card);
        }
    }
    for group in of_any.values_mut() {
        group.retain(|side| !changed.contains(&(side.account_id, side.amount)));
        rematch_group(group, refused, &mut anew);
    }
    anew
}

/// Returns whether anything is paired anew.
fn rematch_group(group: &[&CardPayment], refused: &RejectedPairs, anew: &mut Rematch) -> bool {
    let has_leg = group.iter().any(|side| side.is_leg && side.payer.is_some());
    let has_single = group.iter().any(|side| !side.is_leg && side.payer.is_none());
    if !has_leg || !has_single {
        return false;
    }
    let mut paid: Vec<(&CardPayment, TransferId, &Payer)> = group
        .iter()
        .filter_map(|side| side.payer.as_ref().map(|(transfer_id, payer)| (*side, *transfer_id, payer)))
        .collect();
    let mut rows: Vec<&CardPayment> = group.iter().copied().filter(|side| !side.is_leg).collect();
    paid.sort_by_key(|(_, _, payer)| (payer.date, payer.id));
    rows.sort_by_key(|row| (row.date, row.id));
    let from: Vec<Date> = paid.iter().map(|(_, _, payer)| payer.date).collect();
    let to: Vec<Date> = rows.iter().map(|row| row.date).collect();
    let may = |at: usize, row: usize| !refused.contains(&(paid[at].2.id, rows[row].id));
    let pairs = pair_dates(&from, &to, &PAYMENT_DAYS, may);
    let has_row = |at: usize| !paid[at].0.is_leg;
    let has_payer = |row: usize| rows[row].payer.is_some();
    let count = (0..paid.len()).filter(|at| has_row(*at)).count();
    let keeps_rows = pairs.iter().filter(|(at, _)| has_row(*at)).count() == count;
    let keeps_payers = pairs.iter().filter(|(_, row)| has_payer(*row)).count() == count;
    if pairs.len() <= count || !keeps_rows || !keeps_payers {
        return false;
    }
    for (at, to) in pairs {
        let ((side, transfer_id, payer), row) = (paid[at], rows[to]);
        if side.id == row.id {
            continue;
        }
        anew.pairs.push((payer.id, row.id));
        match side.is_leg {
            true => anew.legs.push(side.id),
            false => anew.ended.push(transfer_id),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use time::Duration;
    use time::macros::date;

    use super::*;

    const CARD: AccountId = AccountId(1);

    fn cards() -> KeptCards {
        KeptCards::new([(CARD, "Visa"), (AccountId(2), "Elo")])
    }

    fn pays_a_bill(text: &str) -> bool {
        text.starts_with("pagamento fatura")
    }

    /// The side, if its payer's text names the card.
    fn of_visa(mut side: CardPayment) -> CardPayment {
        if let Some((_, payer)) = &mut side.payer {
            payer.text = "pagamento fatura visa".into();
        }
        side
    }

    /// A side on the card, with the day of its payer.
    fn side(id: i64, day: i64, is_leg: bool, payer: Option<i64>) -> CardPayment {
        let date = |day| date!(2026 - 03 - 01) + Duration::days(day);
        let text = "pagamento fatura".to_string();
        let payer = payer
            .map(|day| (TransferId(id), Payer { id: TransactionId(100 + id), date: date(day), text, is_leg: false }));
        let (id, amount) = (TransactionId(id), Money::from_cents(500));
        CardPayment { id, account_id: CARD, amount, date: date(day), is_leg, payer }
    }

    #[test]
    fn nothing_changes_where_nothing_is_gained() {
        for (what, sides) in [
            ("no leg", vec![side(1, 8, false, Some(0)), side(2, 0, false, None)]),
            ("no row that is alone", vec![side(1, 8, false, Some(0)), side(2, 8, true, Some(8))]),
            ("too far", vec![side(1, 2, false, Some(0)), side(2, 30, true, Some(30)), side(3, 1, false, None)]),
            (
                "another card",
                vec![
                    side(1, 8, false, Some(0)),
                    of_visa(side(2, 8, true, Some(8))),
                    CardPayment { account_id: AccountId(2), ..side(3, 8, false, None) },
                ],
            ),
        ] {
            assert_eq!(rematch(&sides, &cards(), &RejectedPairs::new(), pays_a_bill), Rematch::default(), "{what}");
        }
    }

    #[test]
    fn a_row_takes_the_place_of_the_leg_that_was_made_for_its_payment() {
        let anew = rematch(
            &[side(1, 0, true, Some(0)), side(2, 3, false, None)],
            &cards(),
            &RejectedPairs::new(),
            pays_a_bill,
        );
        assert_eq!((anew.pairs, anew.legs), (vec![(TransactionId(101), TransactionId(2))], vec![TransactionId(1)]));
    }

    #[test]
    fn a_pair_that_a_person_refused_is_not_made() {
        let sides = [side(1, 0, true, Some(0)), side(2, 3, false, None)];
        let refused = RejectedPairs::from([(TransactionId(101), TransactionId(2))]);
        assert_eq!(rematch(&sides, &cards(), &refused, pays_a_bill), Rematch::default());
    }

    #[test]
    fn a_payment_that_names_no_card_leaves_its_leg_for_the_row_of_another_card() {
        let row = CardPayment { account_id: AccountId(2), ..side(2, 1, false, None) };
        let anew = rematch(&[side(1, 0, true, Some(0)), row], &cards(), &RejectedPairs::new(), pays_a_bill);
        assert_eq!((anew.pairs, anew.legs), (vec![(TransactionId(101), TransactionId(2))], vec![TransactionId(1)]));
    }

    #[test]
    fn a_payment_whose_text_says_nothing_stays_on_the_card_to_which_a_person_linked_it() {
        let mut linked = side(1, 0, true, Some(0));
        if let Some((_, payer)) = &mut linked.payer {
            payer.text = "boleto".into();
        }
        let row = CardPayment { account_id: AccountId(2), ..side(2, 1, false, None) };
        assert_eq!(rematch(&[linked, row], &cards(), &RejectedPairs::new(), pays_a_bill), Rematch::default());
    }

    proptest! {
        /// Each row and each payer is in one pair, no pair that is kept is named, and no payment loses its row.
        #[test]
        fn pairs_are_whole(given in prop::collection::vec((0..30_i64, any::<bool>(), prop::option::of(0..30_i64)), 0..8)) {
            let sides: Vec<CardPayment> = (1..).zip(&given)
                .filter(|(_, (_, is_leg, payer))| !is_leg || payer.is_some())
                .map(|(id, (day, is_leg, payer))| side(id, *day, *is_leg, *payer))
                .collect();
            let anew = rematch(&sides, &cards(), &RejectedPairs::new(), pays_a_bill);
            let (from, to): (HashSet<_>, HashSet<_>) = anew.pairs.iter().copied().unzip();
            prop_assert_eq!((from.len(), to.len()), (anew.pairs.len(), anew.pairs.len()));
            let legs: HashSet<_> = anew.legs.iter().collect();
            for one in &sides {
                let Some((transfer_id, payer)) = &one.payer else { continue };
                let is_apart = anew.ended.contains(transfer_id) || legs.contains(&one.id);
                prop_assert_eq!(is_apart, from.contains(&payer.id));
                prop_assert!(is_apart || !to.contains(&one.id));
                prop_assert!(!legs.contains(&one.id) || one.is_leg);
            }
            prop_assert!(to.iter().all(|id| sides.iter().any(|side| side.id == *id && !side.is_leg)));
        }
    }
}
