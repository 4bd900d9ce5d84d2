//! Known exports of banks, identified by the exact set of their headers.
//!
//! Headers are written as [`key`](super::header::key) normalizes them.

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Date,
    /// A part of the description. The parts are joined in this order.
    Text,
    Amount,
    Credit,
    Debit,
    /// `D` or `C`, `Entrada` or `Saída`.
    Direction,
    Id,
    /// `2/7`, `3 de 10`. Added to the description, because it may be the only difference between two months.
    Instalment,
    /// What the account held after the row.
    Balance,
    Nothing,
}

use Role::{Amount, Balance, Credit, Date, Debit, Direction, Id, Instalment, Nothing, Text};

/// An export of a bank.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) columns: &'static [(&'static str, Role)],
    /// Whether it is an export of a card, in which a purchase is a positive amount.
    pub(super) is_card: bool,
    /// Whether other files have the same headers, so that the caller has to say that it is a card's.
    pub(super) needs_card: bool,
    /// Whether a line without a date continues the description of the row before it.
    pub(super) continues: bool,
}

const fn account(columns: &'static [(&'static str, Role)]) -> Layout {
    Layout { columns, is_card: false, needs_card: false, continues: false }
}

const fn card(columns: &'static [(&'static str, Role)]) -> Layout {
    Layout { columns, is_card: true, needs_card: false, continues: false }
}

/// All known exports.
pub(super) static LAYOUTS: &[Layout] = &[
    // Nubank, account
    account(&[("data", Date), ("valor", Amount), ("identificador", Id), ("descricao", Text)]),
    // Nubank, card, the current and the former shape
    card(&[("date", Date), ("title", Text), ("amount", Amount)]),
    card(&[("date", Date), ("category", Nothing), ("title", Text), ("amount", Amount)]),
    // Inter, account, both shapes
    account(&[("data lancamento", Date), ("descricao", Text), ("valor", Amount), ("saldo", Balance)]),
    account(&[
        ("data lancamento", Date),
        ("historico", Text),
        ("descricao", Text),
        ("valor", Amount),
        ("saldo", Balance),
    ]),
    // Inter, card
    card(&[("data", Date), ("lancamento", Text), ("categoria", Nothing), ("tipo", Instalment), ("valor", Amount)]),
    // C6, account
    account(&[
        ("data lancamento", Date),
        ("data contabil", Nothing),
        ("titulo", Text),
        ("descricao", Text),
        ("entrada r", Credit),
        ("saida r", Debit),
        ("saldo do dia r", Balance),
    ]),
    // C6, card
    card(&[
        ("data de compra", Date),
        ("nome no cartao", Nothing),
        ("final do cartao", Nothing),
        ("categoria", Nothing),
        ("descricao", Text),
        ("parcela", Instalment),
        ("valor em us", Nothing),
        ("cotacao em r", Nothing),
        ("valor em r", Amount),
    ]),
    // Itaú, card
    Layout { needs_card: true, ..card(&[("data", Date), ("lancamento", Text), ("valor", Amount)]) },
    // Itaú, account, the site and the app
    account(&[
        ("data", Date),
        ("lancamento", Text),
        ("ag origem", Nothing),
        ("valor r", Amount),
        ("saldos r", Balance),
    ]),
    account(&[("data", Date), ("lancamento", Text), ("valor r", Amount)]),
    // Bradesco, account
    Layout {
        columns: &[
            ("data", Date),
            ("historico", Text),
            ("docto", Nothing),
            ("credito r", Credit),
            ("debito r", Debit),
            ("saldo r", Balance),
        ],
        is_card: false,
        needs_card: false,
        continues: true,
    },
    // Banco do Brasil, account, the former and the current shape
    account(&[
        ("data", Date),
        ("dependencia origem", Nothing),
        ("historico", Text),
        ("data do balancete", Nothing),
        ("numero do documento", Nothing),
        ("valor", Amount),
    ]),
    account(&[
        ("data", Date),
        ("lancamento", Text),
        ("detalhes", Text),
        ("n documento", Nothing),
        ("valor", Amount),
        ("tipo lancamento", Direction),
    ]),
    // Caixa, account, both shapes
    account(&[
        ("conta", Nothing),
        ("data mov", Date),
        ("nr doc", Nothing),
        ("historico", Text),
        ("valor", Amount),
        ("deb cred", Direction),
    ]),
    account(&[
        ("data mov", Date),
        ("nr doc", Nothing),
        ("historico", Text),
        ("valor", Amount),
        ("deb cred", Direction),
        ("saldo", Balance),
    ]),
    // Mercado Pago
    account(&[
        ("release date", Date),
        ("transaction type", Text),
        ("reference id", Id),
        ("transaction net amount", Amount),
        ("partial balance", Balance),
    ]),
    // XP and Rico, card and account
    card(&[
        ("data", Date),
        ("estabelecimento", Text),
        ("portador", Nothing),
        ("valor", Amount),
        ("parcela", Instalment),
    ]),
    account(&[("data", Date), ("hora", Nothing), ("descricao", Text), ("valor", Amount), ("saldo", Balance)]),
    // PagBank
    account(&[("codigo da transacao", Id), ("data", Date), ("tipo", Text), ("descricao", Text), ("valor", Amount)]),
];

/// The export with these headers. Their order and empty headers are ignored. `on_card` is whether the caller says that it is a card's.
pub(super) fn known(keys: &[String], on_card: bool) -> Option<&'static Layout> {
    let keys: Vec<&String> = keys.iter().filter(|key| !key.is_empty()).collect();
    LAYOUTS.iter().filter(|layout| on_card || !layout.needs_card).find(|layout| {
        layout.columns.len() == keys.len() && layout.columns.iter().all(|(name, _)| keys.iter().any(|key| key == name))
    })
}
