//! What banks write in ways of their own, and what earlier versions made of it: a test for each rule.

use finance_statements::{CardSign, Options, Row, TextTest, read};
use time::macros::date;

use super::{check, check_with, shown};

/// A row as `date cents description`, with `(formerly cents description)` and its currency.
pub(super) fn rows(options: &Options, file: &str) -> Vec<String> {
    let statement = read(file.as_bytes(), options).unwrap_or_else(|error| panic!("{error:?}"));
    statement.rows.iter().map(row).collect()
}

fn row(row: &Row) -> String {
    let former = row.former.as_ref().map(|former| format!(" (formerly {} {})", former.cents, former.description));
    let currency = row.currency.as_ref().map(|currency| format!(" {currency}"));
    let category = row.category.as_ref().map(|category| format!(" in {category}"));
    let [former, currency, category] = [former, currency, category].map(Option::unwrap_or_default);
    format!("{} {} {}{former}{currency}{category}", row.date, row.cents, row.description)
}

fn on_card() -> Options {
    let is_payment = TextTest::new(|text| text.to_lowercase().starts_with("pagamento"));
    Options { on_card: true, is_payment: Some(is_payment), latest: Some(date!(2026 - 03 - 10)), ..Options::default() }
}

fn sign(options: &Options, file: &str) -> Option<CardSign> {
    let statement = read(file.as_bytes(), options).unwrap_or_else(|error| panic!("{error:?}"));
    statement.layout.and_then(|layout| layout.sign)
}

#[test]
fn the_sign_of_a_cards_purchases_is_told_by_the_layout_the_payments_or_most_rows() {
    let itau = "data,lançamento,valor\n2026-03-09,PAGAMENTO COM SALDO,-910.40\n2026-03-08,MERCADO,17.40\n";
    assert_eq!(
        rows(&on_card(), itau),
        [
            "2026-03-09 91040 PAGAMENTO COM SALDO (formerly -91040 PAGAMENTO COM SALDO)",
            "2026-03-08 -1740 MERCADO (formerly 1740 MERCADO)"
        ]
    );
    assert_eq!(rows(&Options::default(), itau)[1], "2026-03-08 1740 MERCADO", "nobody says that it is a card's");
    let (positive, negative) = (Some(CardSign::PurchasesPositive), Some(CardSign::PurchasesNegative));
    assert_eq!((sign(&on_card(), itau), sign(&Options::default(), itau)), (positive, None));
    let head = "Data;Loja;Quantia\n";
    for (lines, expected) in [
        ("01/03/2026;PAGAMENTO;-10,00\n02/03/2026;A;5,00\n", positive),
        ("01/03/2026;PAGAMENTO;10,00\n02/03/2026;A;5,00\n03/03/2026;B;5,00\n", negative),
        ("01/03/2026;PAGAMENTO;10,00\n01/03/2026;PAGAMENTO;-10,00\n02/03/2026;A;5,00\n", positive),
        ("01/03/2026;A;10,00\n02/03/2026;B;5,00\n03/03/2026;C;-5,00\n", positive),
        ("01/03/2026;A;10,00\n02/03/2026;B;-5,00\n", negative),
        ("01/03/2026;A;10,00 D\n02/03/2026;B;5,00 D\n03/03/2026;C;3,00 C\n", negative),
        ("01/03/2026;A;10,00\n02/03/2026;B;5,00\n03/03/2026;PAGAMENTO;30,00 CR\n", positive),
        ("01/03/2026;A;-10,00\n02/03/2026;B;-5,00\n03/03/2026;PAGAMENTO;30,00 CR\n", negative),
        ("01/03/2026;A;10,00 CR\n02/03/2026;PAGAMENTO;30,00 CR\n", negative),
        ("01/03/2026;SALDO ANTERIOR;10,00\n02/03/2026;B;-5,00\n01/03/2026;TOTAL;10,00\n", negative),
    ] {
        assert_eq!(sign(&on_card(), &format!("{head}{lines}")), expected, "{lines}");
    }
    let file = format!("{head}01/03/2026;A;10,00\n02/03/2026;B;5,00\n");
    let with_sign = Options { card_sign: negative, ..on_card() };
    assert_eq!((sign(&with_sign, &file), rows(&with_sign, &file)[0].as_str()), (negative, "2026-03-01 1000 A"));
    let literal = Options { amount_column: Some("Quantia".parse().unwrap()), ..on_card() };
    assert_eq!(rows(&literal, &file)[0], "2026-03-01 1000 A");
    let both = Options { card_sign: positive, ..literal };
    assert_eq!(rows(&both, &file)[0], "2026-03-01 -1000 A (formerly 1000 A)");
    let credits = format!("{head}01/03/2026;A;10,00\n03/03/2026;PAGAMENTO;30,00 CR\n");
    let written = ["2026-03-01 -1000 A (formerly 1000 A)", "2026-03-03 3000 PAGAMENTO"];
    assert_eq!(rows(&on_card(), &credits), written, "a letter is the sign of its amount");
    let split = "Data;Loja;Débito;Crédito\n01/03/2026;A;10,00;\n02/03/2026;B;;5,00\n";
    assert_eq!(rows(&Options { card_sign: positive, ..on_card() }, split), ["2026-03-01 -1000 A", "2026-03-02 500 B"]);
}

#[test]
fn a_row_that_does_not_count_tells_no_sign_of_purchases() {
    let head = "Data;Loja;Quantia;Status\n";
    let purchases = "02/03/2026;A;5,00;Efetivado\n03/03/2026;B;7,00;Efetivado\n";
    let positive = Some(CardSign::PurchasesPositive);
    for status in ["Cancelado", "Pendente", "Agendado"] {
        let file = format!("{head}{purchases}01/03/2026;PAGAMENTO;50,00;{status}\n");
        assert_eq!(sign(&on_card(), &file), positive, "{status}");
        let refunds = format!("{head}{purchases}{}", format!("01/03/2026;C;-50,00;{status}\n").repeat(3));
        assert_eq!(sign(&on_card(), &refunds), positive, "{status}");
    }
    let head = "Data;Loja;Quantia\n";
    let purchases = "02/03/2026;A;5,00\n03/03/2026;B;7,00\n";
    let future = "Lançamentos futuros;;\n09/03/2026;PAGAMENTO;50,00\n";
    assert_eq!(sign(&on_card(), &format!("{head}{purchases}{future}")), positive);
    let above = format!("Lançamentos futuros\n{head}09/03/2026;PAGAMENTO;50,00\nÚltimos lançamentos;;\n{purchases}");
    assert_eq!(sign(&on_card(), &above), positive);
    // Where none counts the others tell what they are.
    let pending = "Data;Loja;Quantia;Status\n02/03/2026;A;5,00;Pendente\n";
    let rejected = read(pending.as_bytes(), &on_card()).unwrap().rejected;
    assert_eq!(rejected[0].cents, Some(-500));
}

#[test]
fn a_row_that_moved_no_money_is_rejected() {
    let file = "Data;Descrição;Valor;Situação\n02/03/2026;A;-1,00;Efetivado\n03/03/2026;B;-2,00;Cancelado\n\
                04/03/2026;C;-3,00;AGENDADO\n05/03/2026;D;-4,00;\n";
    check(
        file,
        &["2 2026-03-02 -100 A", "5 2026-03-05 -400 D"],
        &["3: não efetivado: Cancelado", "4: não efetivado: AGENDADO"],
    );
    let rejected = read(file.as_bytes(), &Options::default()).unwrap().rejected.remove(0);
    assert_eq!(rejected.reason.code(), "not_settled");
    assert_eq!(
        (rejected.date, rejected.cents, rejected.description.as_deref()),
        (Some(date!(2026 - 03 - 03)), Some(-200), Some("B"))
    );
}

#[test]
fn a_fee_is_a_row_of_its_own() {
    let file = "Data;Descrição;Valor;Taxa (R$);Status;Identificador\n02/03/2026;A;100,00;1,99;ok;x1\n\
                03/03/2026;B;-5,00;-0,50;ok;\n04/03/2026;C;0,00;2,00;ok;x3\n05/03/2026;D;-1,00;3,00;Negado;x4\n\
                06/03/2026;E;-1,00;-;ok;x5\n";
    check(
        file,
        &[
            "2 2026-03-02 10000 [x1] A",
            "2 2026-03-02 -199 [x1-fee] Tarifa: A",
            "3 2026-03-03 -500 B",
            "3 2026-03-03 -50 Tarifa: B",
            "4 2026-03-04 -200 [x3-fee] Tarifa: C",
            "6 2026-03-06 -100 [x5] E",
        ],
        &["5: não efetivado: Negado"],
    );
    assert!(rows(&Options::default(), file).iter().all(|row| !row.contains("formerly")));
    let net = "Data;Descrição;Valor líquido;Tarifa\n02/03/2026;A;98,01;1,99\n";
    check(net, &["2 2026-03-02 9801 A"], &[]);
}

#[test]
fn an_amount_in_another_currency_says_so() {
    let file =
        "Date,Amount,Currency,Description\n2026-03-02,-100.00,BRL,A\n2026-03-03,-50.00,USD,B\n2026-03-04,9.00,,C\n";
    assert_eq!(rows(&Options::default(), file), ["2026-03-02 -10000 A", "2026-03-03 -5000 B USD", "2026-03-04 900 C"]);
    let signs = "Data;Descrição;Valor\n02/03/2026;A;US$ 5,00\n02/03/2026;B;R$ 5,00\n02/03/2026;C;-5,00 €\n";
    assert_eq!(rows(&Options::default(), signs), ["2026-03-02 500 A USD", "2026-03-02 500 B", "2026-03-02 -500 C EUR"]);
    let reais = "Data;Descrição;Moeda;Valor (US$);Valor (R$)\n02/03/2026;A;USD;-10,00;-54,00\n";
    assert_eq!(rows(&Options::default(), reais), ["2026-03-02 -5400 A"], "the column in reais");
}

#[test]
fn a_date_without_a_year_is_the_latest_one_up_to_the_date_above_the_headers() {
    let file = "Data: 13/01/2026 10:51:02\rFatura ABERTA\rANA;;;1111\rData;Histórico;Valor(US$);Valor(R$);\r\
                05/01;SALDO ANTERIOR;0,00;820,15\r10/12;PAGAMENTO;0,00;-820,15\r28/12;FARMÁCIA;0,00;41,30\r\
                11/01;AMAZON US;12,00;66,00\rBIA;;;2222\rData;Histórico;Valor(US$);Valor(R$);\r02/01;PADARIA;0,00;9,90\r\
                Total da fatura em Real:;;;410,00\r";
    assert_eq!(
        rows(&on_card(), file),
        [
            "2025-12-10 82015 PAGAMENTO (formerly -82015 PAGAMENTO)",
            "2025-12-28 -4130 FARMÁCIA (formerly 4130 FARMÁCIA)",
            "2026-01-11 -6600 AMAZON US (formerly 6600 AMAZON US)",
            "2026-01-02 -990 PADARIA (formerly 990 PADARIA)",
        ]
    );
    let layout = read(file.as_bytes(), &on_card()).unwrap().layout.unwrap();
    assert_eq!(layout.date_format.as_deref(), Some("dd/mm"));
    let bare = "Data;Loja;Valor\n28/12;A;-1,00\n10/03;B;-1,00\n11/03;C;-1,00\n";
    let days = ["2025-12-28 -100 A", "2026-03-10 -100 B", "2025-03-11 -100 C"];
    assert_eq!(rows(&on_card(), bare), days);
    let with_format = Options { date_format: Some("dd/mm".parse().unwrap()), ..on_card() };
    assert_eq!(rows(&with_format, bare), days);
    let (none, rejected) = shown(&read(bare.as_bytes(), &Options::default()).unwrap());
    assert!(none.is_empty(), "{none:?}");
    assert_eq!(rejected, ["2: data inválida: 28/12", "3: data inválida: 10/03", "4: data inválida: 11/03"]);
}

#[test]
fn texts_in_several_columns_are_joined_in_the_order_of_the_file() {
    let file = "Data,Nome,Detalhe,Valor (R$)\n2026-03-02,Pix OTAVIO,Recebido,\"+R$ 60,00\"\n2026-03-03,Pix,Pix,1\n";
    assert_eq!(
        rows(&Options::default(), file),
        ["2026-03-02 6000 Pix OTAVIO Recebido (formerly 6000 Recebido)", "2026-03-03 100 Pix"]
    );
    let with_column = Options { description_column: Some("Nome".parse().unwrap()), ..Options::default() };
    assert_eq!(rows(&with_column, file)[0], "2026-03-02 6000 Pix OTAVIO");
}

#[test]
fn a_negative_amount_among_positive_debits_is_a_refund() {
    let head = "Data;Descrição;Débito;Crédito\n";
    assert_eq!(
        rows(&Options::default(), &format!("{head}02/03/2026;A;100,00;\n03/03/2026;B;-30,00;\n04/03/2026;C;-;5,00\n")),
        ["2026-03-02 -10000 A", "2026-03-03 3000 B (formerly -3000 B)", "2026-03-04 500 C"]
    );
    assert_eq!(
        rows(&Options::default(), &format!("{head}02/03/2026;A;-100,00;\n03/03/2026;B;-30,00;-\n04/03/2026;C;;5,00\n")),
        ["2026-03-02 -10000 A", "2026-03-03 -3000 B", "2026-03-04 500 C"]
    );
    let dashes =
        "sep=;\nData;Histórico;Crédito;Débito;Saldo\n02/03/2026;A;1.000,00;-;1.000,00\n03/03/2026;B;-;50,00;950,00\n";
    assert_eq!(rows(&Options::default(), dashes), ["2026-03-02 100000 A", "2026-03-03 -5000 B"]);
}

#[test]
fn a_total_says_nothing_of_the_signs_of_debits() {
    let head = "Data;Descrição;Débito;Crédito\n01/03/2026;SALDO ANTERIOR;20,00;\n02/03/2026;A;-100,00;\n03/03/2026;B;-50,00;\n";
    for last in ["31/03/2026;TOTAL;150,00;0,00", "31/03/2026;Total de débitos;150,00;"] {
        let file = format!("{head}{last}\n");
        assert_eq!(rows(&Options::default(), &file), ["2026-03-02 -10000 A", "2026-03-03 -5000 B"], "{last}");
    }
}

#[test]
fn a_shop_is_no_balance() {
    let file = "Data;Histórico;Valor\n01/03/2026;SALDOS E OFERTAS;-10,00\n02/03/2026;SALDO DO DIA;90,00\n";
    check(file, &["2 2026-03-01 -1000 SALDOS E OFERTAS"], &["3: linha de saldo"]);
    let card = "Data;Loja;Valor\n01/03/2026;SALDO DO DIA DAS MAES;-10,00\n02/03/2026;Saldo anterior;90,00\n";
    check_with(&on_card(), card, &["2 2026-03-01 -1000 SALDO DO DIA DAS MAES"], &["3: linha de saldo"]);
}

#[test]
fn amounts_and_dates_with_letters_are_read() {
    let file = "Data;Loja;Valor\n05/JAN/2026;A;1.234,56 CR\n5 jan. 2026;B;10,00 DB\n";
    let (found, rejected) = shown(&read(file.as_bytes(), &Options::default()).unwrap());
    assert_eq!(found, ["2 2026-01-05 123456 A", "3 2026-01-05 -1000 B"]);
    assert!(rejected.is_empty(), "{rejected:?}");
}

#[test]
fn spaces_of_web_pages_in_a_date_are_spaces() {
    for space in ['\u{A0}', '\u{202F}', '\u{2009}'] {
        let file = format!("Data;Loja;Valor\n05{space}jan{space}2026;A;-10,00\n");
        assert_eq!(rows(&Options::default(), &file), ["2026-01-05 -1000 A"], "{space:?}");
    }
}

#[test]
fn a_balance_line_has_its_balance_in_the_column_of_balances_beside_an_amount_of_nothing() {
    let file = "Data Mov.;Nr. Doc.;Histórico;Valor;Deb/Cred;Saldo\n02/01/2026;000000;SALDO ANTERIOR;0,00;C;100,00\n\
                02/01/2026;020902;PAG BOLETO;30,00;D;70,00\n02/01/2026;000000;SALDO DIA;0,00;C;70,00\n";
    let statement = read(file.as_bytes(), &Options::default()).unwrap();
    let balances: Vec<String> =
        statement.accounts[0].balances.iter().map(|(day, cents)| format!("{day} {cents}")).collect();
    assert_eq!(balances, ["2026-01-01 10000", "2026-01-02 7000"]);
}

#[test]
fn the_quote_before_a_formula_is_taken_off() {
    let file = "id,type,date,description,amount\n1,expense,2026-03-04,'=SOMA(A1),7.00\n2,income,2026-03-04,'tis,7.00\n";
    assert_eq!(
        rows(&Options::default(), file),
        ["2026-03-04 -700 =SOMA(A1) (formerly -700 '=SOMA(A1))", "2026-03-04 700 'tis"]
    );
}

#[test]
fn a_category_of_an_unknown_layout_is_told() {
    let file = "Data;Loja;Valor;Categoria\n01/03/2026;A;-1,00;Mercado\n02/03/2026;B;-1,00;\n";
    assert_eq!(
        rows(&Options::default(), file),
        ["2026-03-01 -100 A (formerly -100 Mercado) in Mercado", "2026-03-02 -100 B (formerly -100 (sem descrição))"]
    );
    let nubank = "date,category,title,amount\n2026-03-01,supermercado,A,1.00\n";
    assert_eq!(rows(&Options::default(), nubank), ["2026-03-01 -100 A"]);
}

#[test]
fn a_csv_file_is_one_statement_of_the_account_above_its_headers() {
    let file = "Agência;0001;Conta;98765-4\nData;Histórico;Valor\n01/03/2026;A;-1,00\n";
    let accounts = read(file.as_bytes(), &Options::default()).unwrap().accounts;
    assert_eq!((accounts.len(), accounts[0].account.number.as_deref()), (1, Some("7654")));
    assert_eq!((accounts[0].account.kind, accounts[0].currency.as_deref()), (None, None));
}

#[test]
fn a_currency_is_told_by_a_word_of_its_header_or_above_the_headers() {
    let currencies = |file: &str| -> Vec<Option<String>> {
        let statement = read(file.as_bytes(), &Options::default()).unwrap();
        statement.rows.iter().map(|row| row.currency.as_deref().map(str::to_string)).collect()
    };
    for header in ["Moeda da conta", "Moeda (ISO)", "Account Currency", "TRANSACTION_CURRENCY", "Ccy"] {
        let file = format!("Data;Descrição;{header};Valor\n01/03/2026;A;USD;-10,00\n02/03/2026;B;BRL;-5,00\n");
        assert_eq!(currencies(&file), [Some("USD".to_string()), None], "{header}");
    }
    let revolut = "Date started (UTC),Date completed (UTC),ID,Type,State,Description,Reference,Payer,Orig currency,Orig amount,\
        Payment currency,Amount,Fee,Balance,Account\n\
        2026-03-01,2026-03-02,aa1,TRANSFER,COMPLETED,To JOAO,,,BRL,50.00,USD,-50.00,0.00,450.00,USD Main\n";
    assert_eq!(currencies(revolut), [Some("USD".to_string())]);
    assert!(read(revolut.as_bytes(), &Options::default()).unwrap().accounts[0].balances.is_empty());
    assert_eq!(currencies("Moeda: USD\nData;Descrição;Valor\n01/03/2026;A;-10,00\n"), [Some("USD".to_string())]);
    assert_eq!(currencies("Moeda: BRL\nData;Descrição;Valor\n01/03/2026;A;-10,00\n"), [None]);
    assert_eq!(currencies("Moeda: USD\nData;Descrição;Valor (R$)\n01/03/2026;A;-10,00\n"), [None]);
    // The amount of a purchase abroad is no currency.
    assert_eq!(currencies("Data;Descrição;Moeda local;Valor\n01/03/2026;A;54,00;-10,00\n"), [None]);
    assert_eq!(currencies("Data;Descrição;Valor na moeda;Valor\n01/03/2026;A;100;-10,00\n"), [None]);
}

#[test]
fn dates_and_unknown_parties_describe_nothing() {
    let texts = |file: &str| -> Vec<String> {
        read(file.as_bytes(), &Options::default()).unwrap().rows.into_iter().map(|row| row.description).collect()
    };
    for date in ["02/03/2026", "2026-03-02"] {
        let file = format!(
            "Movimentação;Liquidação;Lançamento;Valor (R$);Saldo (R$)\n{date};{date};TED - RECEBIMENTO DE TED;1.000,00;1.000,00\n"
        );
        assert_eq!(texts(&file), ["TED - RECEBIMENTO DE TED"]);
        assert_eq!(texts(&format!("Data;Histórico;Complemento;Valor\n02/03/2026;LUZ;{date};-1,00\n")), ["LUZ"]);
    }
    let picpay = "data,hora,tipo,\"origem / destino\",valor,\"forma de pagamento\"\n\
        2026-02-16,09:30,\"Pagamento realizado\",MIDWAY,\"\u{2212}R$ 74,50\",\"Com cartão\"\n\
        2026-02-13,20:13,\"Compra realizada\",,\"\u{2212}R$ 96,99\",\"Com saldo\"\n";
    assert_eq!(texts(picpay), ["MIDWAY", "Compra realizada"]);
    let stone = "Movimentação,Tipo,Valor,Saldo antes,Saldo depois,Tarifa,Data,Origem,Descrição\n\
        Crédito,Recebível de Cartão,\"253,13\",\"0,00\",\"253,13\",\"0,00\",02/03/2026,Desconhecido,\n\
        Débito,Pix,\"-3,13\",\"253,13\",\"250,00\",\"0,00\",03/03/2026,Ana Souza,\n";
    assert_eq!(texts(stone), ["Recebível de Cartão", "Ana Souza"]);
    assert_eq!(texts("Data;Descrição;Tipo;Valor\n02/03/2026;;D;1,00\n03/03/2026;A;C;1,00\n")[0], "(sem descrição)");
}

#[test]
fn marks_of_no_width_around_a_date_and_rates_of_a_purchase_are_no_trouble() {
    for mark in ['\u{200E}', '\u{200B}'] {
        let file = format!("Data;Histórico;Valor\n{mark}01/03/2026;A;-10,00\n");
        assert_eq!(read(file.as_bytes(), &Options::default()).unwrap().rows.len(), 1);
    }
    let file = "Data,Descricao,Valor,Categoria\n24/02/2026,OPENAI,\"-108,68\",Servicos\n24/02/2026,Cotação do Dólar,\"-5,43\",\n";
    let statement = read(file.as_bytes(), &Options::default()).unwrap();
    assert_eq!((statement.rows.len(), statement.rows[0].cents), (1, -10_868));
}
