//! Lines of headers of which some are known: the others are found by the rows.

use finance_statements::{Error, Options, read};
use time::macros::date;

use super::reading::rows;
use super::{check, check_rows, check_with, refused, shown};

/// The rows of a file without options, as `date cents description` and what was formerly read.
fn plain(file: &str) -> Vec<String> {
    rows(&Options::default(), file)
}

/// The balances of a file without options, in hundredths.
fn balances(file: &str) -> Vec<i64> {
    let statement = read(file.as_bytes(), &Options::default()).unwrap_or_else(|error| panic!("{error:?}"));
    statement.accounts[0].balances.iter().map(|(_, cents)| *cents).collect()
}

/// The columns of the date and the amount, from 1.
#[track_caller]
fn layout(file: &str) -> (usize, Option<usize>) {
    let statement = read(file.as_bytes(), &Options::default()).unwrap_or_else(|error| panic!("{error:?}"));
    let Some(layout) = statement.layout else { panic!("a CSV file without a layout") };
    (layout.date_column, layout.amount_column)
}

#[test]
fn a_state_counts_beside_an_unknown_date() {
    let file =
        "Data de pagamento;Descrição;Valor;Situação\n02/03/2026;A;-10,00;Efetivado\n03/03/2026;B;-20,00;Cancelado\n";
    check(file, &["2 2026-03-02 -1000 A"], &["3: não efetivado: Cancelado"]);
    check(
        "Total;Data da venda;Fornecedor;Situação\n-1,00;02/03/2026;A;Efetivado\n-2,00;03/03/2026;B;Cancelado\n",
        &["2 2026-03-02 -100 A"],
        &["3: não efetivado: Cancelado"],
    );
    let layout = read(file.as_bytes(), &Options::default()).unwrap().layout.unwrap();
    assert_eq!(layout.headers, ["Data de pagamento", "Descrição", "Valor", "Situação"]);
    assert_eq!((layout.date_column, layout.description_column, layout.amount_column), (1, Some(2), Some(3)));
}

#[test]
fn a_currency_counts_beside_an_unknown_date_or_amount() {
    assert_eq!(
        plain("Completed Date,Description,Amount,Currency\n2026-03-02,Shop,-10.00,BRL\n2026-03-03,Shop2,-20.00,USD\n"),
        ["2026-03-02 -1000 Shop", "2026-03-03 -2000 Shop2 USD"]
    );
    assert_eq!(
        plain("Data;Descrição;Valor total;Moeda\n02/03/2026;Loja;-10,00;BRL\n03/03/2026;Shop;-20,00;USD\n"),
        ["2026-03-02 -1000 Loja", "2026-03-03 -2000 Shop USD"]
    );
}

#[test]
fn a_fee_counts_beside_an_unknown_date_or_amount() {
    check_rows(
        "Data de pagamento;Descrição;Valor;Tarifa\n02/03/2026;LOJA;-10,00;1,50\n",
        &["2 2026-03-02 -1000 LOJA", "2 2026-03-02 -150 Tarifa: LOJA"],
    );
    // The net amount has no fee.
    check_rows(
        "Data da venda;Status;Bandeira;Valor bruto;Taxa (R$);Valor líquido\n02/03/2026;Aprovada;Visa;100,00;2,00;98,00\n",
        &["2 2026-03-02 9800 Visa"],
    );
}

#[test]
fn a_multi_currency_account_is_read_by_its_headers() {
    let file = "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\n\
                TOPUP,Current,2026-03-01 10:00:00,2026-03-01 10:00:05,Top-up,100.00,0.00,BRL,COMPLETED,100.00\n\
                CARD_PAYMENT,Current,2026-03-01 12:00:00,2026-03-02 09:00:00,Coffee shop,-10.00,1.00,BRL,COMPLETED,89.00\n\
                CARD_PAYMENT,Current,2026-03-03 12:00:00,2026-03-03 13:00:00,Book shop,-5.00,0.00,BRL,REVERTED,\n\
                CARD_PAYMENT,Current,2026-03-04 12:00:00,,Petrol station,-7.00,0.00,BRL,PENDING,\n";
    check(
        file,
        &["2 2026-03-01 10000 Top-up", "3 2026-03-02 -1000 Coffee shop", "3 2026-03-02 -100 Tarifa: Coffee shop"],
        &["4: não efetivado: REVERTED", "5: não efetivado: PENDING"],
    );
    assert_eq!(balances(file), [10_000, 8_900]);
    let rows = read(file.as_bytes(), &Options::default()).unwrap().rows;
    let former = rows[1].former.as_ref().unwrap();
    assert_eq!((former.date, former.cents), (Some(date!(2026 - 03 - 01)), -1000), "the start was the date");
    let foreign = file.replace("-10.00,1.00,BRL", "-10.00,1.00,USD");
    assert!(plain(&foreign)[1..].iter().all(|row| row.ends_with(" USD")), "{:?}", plain(&foreign));
    assert_eq!(balances(&foreign), []);
}

#[test]
fn a_wallet_with_gross_fee_and_net_is_read_by_its_headers() {
    check(
        "Data;Hora;Nome;Tipo;Status;Moeda;Bruto;Tarifa;Líquido\n\
         02/03/2026;10:00:00;Loja A;Pagamento;Concluído;BRL;100,00;-5,00;95,00\n\
         03/03/2026;10:00:00;Loja B;Pagamento;Pendente;BRL;-20,00;0,00;-20,00\n",
        &["2 2026-03-02 10000 Loja A", "2 2026-03-02 -500 Tarifa: Loja A"],
        &["3: não efetivado: Pendente"],
    );
    assert_eq!(
        plain(
            "Data;Hora;Nome;Tipo;Status;Moeda;Bruto;Tarifa;Líquido\n\
             02/03/2026;10:00:00;Shop;Pagamento;Concluído;USD;-10,00;-1,00;-11,00\n"
        ),
        ["2026-03-02 -1000 Shop (formerly -1000 Pagamento) USD", "2026-03-02 -100 Tarifa: Shop USD"]
    );
}

#[test]
fn any_word_for_the_date_or_the_amount_is_found_by_the_rows() {
    for date in [
        "Data de vencimento",
        "Data Valor",
        "Data da venda",
        "Post Date",
        "Created at",
        "Timestamp",
        "Fecha",
        "Dt. Mov.",
        "",
    ] {
        let file = format!("Documento;{date};Descrição;Saldo;Valor\n123;02/03/2026;LOJA;1.000,00;-10,00\n");
        println!("{file}");
        check_rows(&file, &["2 2026-03-02 -1000 LOJA"]);
    }
    for amount in ["Valor total", "Bruto", "Total", "Valor da parcela", "R$", "Gross", "Net", "Importe", "Monto", "x"] {
        let file = format!("Saldo;Cotação;Data;{amount};Descrição\n1.000,00;5,40;02/03/2026;-10,00;LOJA\n");
        println!("{file}");
        check_rows(&file, &["2 2026-03-02 -1000 LOJA"]);
    }
    check_rows(
        "Extrato da conta\nConta;Moeda;Saldo\n1;BRL;5,00\n\nData de pagamento;Descrição;Valor\n02/03/2026;LOJA;-10,00\n",
        &["6 2026-03-02 -1000 LOJA"],
    );
}

#[test]
fn of_two_dates_the_booking_counts_and_of_two_amounts_the_one_in_reais() {
    let row = "2;10/02/2026;02/03/2026;LOJA;-10,00;-54,00;ok\n";
    for (headers, date, amount) in [
        ("Nr;Started Date;Completed Date;Descrição;Valor (US$);Total (R$)", 3, 6),
        ("Nr;Completed Date;Started Date;Descrição;Total (R$);Total (US$)", 2, 5),
        ("Nr;Vencimento;Data de pagamento;Descrição;Juros;Valor final", 3, 6),
        ("Nr;Data de pagamento;Vencimento;Descrição;Bruto;Outro", 2, 5),
        ("Nr;Data de criação;Data efetiva;Descrição;Outro;Importe", 3, 6),
        ("Nr;Vencimento;Fecha;Descrição;Juros;Importe (US$)", 3, 6),
        ("Nr;Vencimento;Fecha;Descrição;Importe (US$);Convertido (R$)", 3, 6),
        ("Nr;Abertura A;Abertura B;Descrição;Um;Dois", 2, 5),
    ] {
        assert_eq!(layout(&format!("{headers};Situação\n{row}")), (date, Some(amount)), "{headers}");
    }
}

#[test]
fn the_separator_is_the_one_with_most_known_headers() {
    check_rows(
        "Data de pagamento;Descrição;Valor;Situação, detalhada\n02/03/2026;A, B;-10,00;Pago, ok\n",
        &["2 2026-03-02 -1000 A, B"],
    );
    check_rows("Post Date\tDescription\tAmount\n02.03.2026\tA, B\t-10,00\n", &["2 2026-03-02 -1000 A, B"]);
    check_rows("Post Date,Description,Amount\n02/03/2026,A,-10,50\n", &["2 2026-03-02 -1050 A"]);
}

#[test]
fn a_line_among_rows_has_no_headers() {
    check(
        "02/03/2026;A;-1,00\nSaldo;Descrição;Situação\n03/03/2026;B;-2,00\n",
        &["1 2026-03-02 -100 A", "3 2026-03-03 -200 B"],
        &["2: linha de saldo"],
    );
}

#[test]
fn a_repeated_line_of_headers_is_told() {
    check(
        "Fecha;Descrição;Importe;Situação\n02/03/2026;A;-1,00;ok\nFecha;Descrição;Importe;Situação\n03/03/2026;B;-2,00;ok\n",
        &["2 2026-03-02 -100 A", "4 2026-03-03 -200 B"],
        &["3: cabeçalho repetido"],
    );
}

#[test]
fn columns_may_be_named_where_only_some_headers_are_known() {
    let option = |text: &str| text.parse().ok();
    let file = "Started Date,Completed Date,Type,Description,Total\n2026-03-01,2026-03-02,Card payment of a customer,Shop,-10.00\n";
    for (options, row) in [
        (Options { date_column: option("Completed Date"), ..Options::default() }, "2 2026-03-02 -1000 Shop"),
        (Options { date_column: option("Started Date"), ..Options::default() }, "2 2026-03-01 -1000 Shop"),
        (Options { description_column: option("Description"), ..Options::default() }, "2 2026-03-02 -1000 Shop"),
        (
            Options { description_column: option("Type"), ..Options::default() },
            "2 2026-03-02 -1000 Card payment of a customer",
        ),
        (Options { amount_column: option("total"), ..Options::default() }, "2 2026-03-02 -1000 Shop"),
        (Options { amount_column: option("5"), ..Options::default() }, "2 2026-03-02 -1000 Shop"),
    ] {
        check_with(&options, file, &[row], &[]);
    }
    let one = Options { description_column: option("Loja"), ..Options::default() };
    check_with(&one, "Fecha;Loja;Importe\n02/03/2026;A;-1,00\n", &["2 2026-03-02 -100 A"], &[]);
    let wrong = Options { amount_column: option("Descrição"), ..Options::default() };
    assert_eq!(refused(&wrong, "Fecha;Descrição;Valor\n02/03/2026;A;-1,00\n").0, "amount_column");
}

#[test]
fn what_the_rows_said_before_is_told() {
    let file = "Data de pagamento;Descrição;Valor;Categoria\n02/03/2026;LOJA;-1,00;Supermercado e feira\n";
    assert_eq!(plain(file), ["2026-03-02 -100 LOJA (formerly -100 Supermercado e feira) in Supermercado e feira"]);
    let paired = "Data;Descrição;Obs;Saques;Depósitos\n02/03/2026;LOJA;um texto mais longo;1,00;\n03/03/2026;B;outro texto longo;2,00;\n\
                  04/03/2026;C;mais um texto longo;3,00;2,00\n";
    assert_eq!(plain(paired)[0], "2026-03-02 -100 LOJA (formerly -100 um texto mais longo)");
}

#[test]
fn a_balance_is_never_the_amount() {
    let rows = "02/03/2026;A;90,00;-10,00\n03/03/2026;B;70,00;-20,00\n";
    for name in [
        "Saldo",
        "Saldo do dia",
        "Saldo Diário",
        "Saldo atual",
        "Saldo em conta",
        "Saldo disponível",
        "Saldo parcial",
        "Account balance",
        "Running Balance",
        "Saldo (R$)",
        "Saldos da conta",
    ] {
        for amount in ["Valor total", "Valor"] {
            let file = format!("Data;Descrição;{name};{amount}\n{rows}");
            println!("{file}");
            check_rows(&file, &["2 2026-03-02 -1000 A", "3 2026-03-03 -2000 B"]);
            assert_eq!(balances(&file), [9_000, 7_000]);
        }
        let alone = format!("Data;Texto livre;{name}\n02/03/2026;A;90,00\n");
        assert!(matches!(read(alone.as_bytes(), &Options::default()), Err(Error::Unreadable(_))), "{alone}");
    }
    check_rows("Saldo;Data de pagamento;Descrição;Valor\n90,00;02/03/2026;A;-10,00\n", &["2 2026-03-02 -1000 A"]);
    let one_known = "Saldo;Fecha;Quem;Foo\n90,00;02/03/2026;A;-10,00\n";
    check_rows(one_known, &["2 2026-03-02 -1000 A"]);
    assert_eq!(balances(one_known), [9_000]);
    let file = "Data;Descrição;Valor;Saldo disponível;Saldo\n02/03/2026;A;-10,00;5,00;90,00\n";
    assert_eq!(balances(file), [9_000], "the exact name");
    let file = "Data;Descrição;Valor;Saldo anterior;Saldo atual\n02/03/2026;A;-10,00;100,00;90,00\n";
    assert_eq!(balances(file), [9_000], "what the account held after the row");
}

#[test]
fn income_and_expenses_in_two_columns_have_many_names() {
    for (debit, credit) in [
        ("Débito", "Crédito"),
        ("Saques", "Depósitos"),
        ("Retirada", "Depósito"),
        ("Retiradas", "Depósitos"),
        ("Lançamentos a débito", "Lançamentos a crédito"),
        ("Valor Debitado", "Valor Creditado"),
        ("Pagamentos", "Recebimentos"),
        ("Debe", "Haber"),
        ("Cargo", "Abono"),
        ("Cargos", "Abonos"),
        ("DR", "CR"),
        ("Outflow", "Inflow"),
        ("Spent", "Received"),
    ] {
        for date in ["Data de pagamento", "Data"] {
            for nothing in ["0,00", "-", ""] {
                let file = format!(
                    "{date};Descrição;{debit};{credit}\n02/03/2026;A;10,00;{nothing}\n03/03/2026;B;{nothing};100,00\n"
                );
                println!("{file}");
                check_rows(&file, &["2 2026-03-02 -1000 A", "3 2026-03-03 10000 B"]);
            }
        }
    }
    // A word of a pair alone says nothing.
    check_rows("Data;Nome;Cargo;Total\n02/03/2026;A;Gerente;-10,00\n", &["2 2026-03-02 -1000 A"]);
    let bills = "Vencimento;Descrição;Valor total;Pago\n02/03/2026;A;-10,00;Sim\n03/03/2026;B;-20,00;Não\n";
    assert_eq!(plain(bills), ["2026-03-02 -1000 A (formerly -1000 Sim)", "2026-03-03 -2000 B (formerly -2000 Não)"]);
}

#[test]
fn unknown_columns_that_take_turns_are_refused_whatever_stands_for_nothing() {
    for nothing in ["", "-", "0,00", "0"] {
        for headers in ["", "Data;Descrição;Foo;Bar;Saldo\n"] {
            let file = format!("{headers}02/03/2026;A;{nothing};10,00;90,00\n03/03/2026;B;20,00;{nothing};110,00\n");
            assert!(matches!(read(file.as_bytes(), &Options::default()), Err(Error::Unreadable(_))), "{file}");
        }
    }
    // A column of zeros only is no turn.
    check_rows(
        "02/03/2026;A;-10,00;0,00\n03/03/2026;B;-20,00;0,00\n",
        &["1 2026-03-02 -1000 A", "2 2026-03-03 -2000 B"],
    );
}

#[test]
fn the_header_of_the_amount_may_name_a_currency() {
    for (header, code) in [
        ("Valor (US$)", "USD"),
        ("Amount (USD)", "USD"),
        ("Valor em EUR", "EUR"),
        ("Amount in USD", "USD"),
        ("Valor (€)", "EUR"),
        ("Valor em dólares", "USD"),
        ("Total GBP", "GBP"),
    ] {
        for date in ["Data", "Data de pagamento"] {
            let file = format!("{date};Descrição;{header}\n02/03/2026;A;-10,00\n");
            assert_eq!(plain(&file), [format!("2026-03-02 -1000 A {code}")], "{file}");
            let currency = read(file.as_bytes(), &Options::default()).unwrap().accounts.remove(0).currency;
            assert_eq!(currency.as_deref(), Some(code));
            let column = format!("{date};Descrição;{header};Moeda\n02/03/2026;A;-10,00;BRL\n03/03/2026;B;-5,00;\n");
            let rows = read(column.as_bytes(), &Options::default()).unwrap().rows;
            let currencies: Vec<_> = rows.iter().map(|row| row.currency.as_deref()).collect();
            assert_eq!(currencies, [None, Some(code)], "{column}");
        }
    }
    assert_eq!(plain("Data;Descrição;Débito (€);Crédito (€)\n02/03/2026;A;1,00;\n"), ["2026-03-02 -100 A EUR"]);
    assert_eq!(plain("Fecha;Quem;Importe (US$)\n02/03/2026;A;-10,00\n"), ["2026-03-02 -1000 A USD"]);
    assert_eq!(plain("Data;Descrição;Valor (US$)\n02/03/2026;A;R$ 10,00\n"), ["2026-03-02 1000 A"]);
    assert_eq!(plain("Fecha;Quem;Valor (US$);R$\n02/03/2026;A;-10,00;-54,00\n"), ["2026-03-02 -5400 A"]);
    for header in ["Valor (R$)", "Valor em reais", "Amount in BRL", "Valor"] {
        let file = format!("Data;Descrição;{header}\n02/03/2026;A;-10,00\n");
        assert_eq!(plain(&file), ["2026-03-02 -1000 A"], "{file}");
    }
    assert_eq!(
        plain("Date,Description,Amount,Currency,Amount in BRL\n2026-03-02,A,-10.00,USD,-54.00\n"),
        ["2026-03-02 -5400 A"],
        "the column in reais"
    );
    assert_eq!(plain("Data;Descrição;Moeda;Valor\n02/03/2026;A;Reais (R$);-10,00\n"), ["2026-03-02 -1000 A"]);
}

#[test]
fn a_dash_in_the_column_of_currencies_names_none() {
    for nothing in ["-", "—", "N/A", ""] {
        let file =
            format!("Data;Estabelecimento;Moeda;Valor\n02/03/2026;LOJA;{nothing};-10,00\n03/03/2026;SHOP;USD;-20,00\n");
        assert_eq!(plain(&file), ["2026-03-02 -1000 LOJA", "2026-03-03 -2000 SHOP USD"], "{nothing}");
        let dollars = file.replace("Valor", "Valor (US$)");
        assert_eq!(plain(&dollars)[0], "2026-03-02 -1000 LOJA USD", "{nothing}");
    }
}

#[test]
fn balances_in_another_currency_are_none() {
    let file = "Date,Amount,Currency,Description,Balance\n03-03-2026,-50.00,USD,AMAZON,450.00\n\
                04-03-2026,-10.00,USD,AMAZON,440.00\n05-03-2026,-10.00,BRL,X,430.00\n";
    assert_eq!(balances(file), []);
    assert_eq!(balances(&file.replace("USD", "BRL")), [45_000, 44_000, 43_000]);
    let lines = "Data;Descrição;Valor (US$);Saldo\n02/03/2026;A;-10,00;90,00\n02/03/2026;SALDO DO DIA;90,00;\n";
    assert_eq!(balances(lines), []);
    assert_eq!(balances(&lines.replace(" (US$)", "")), [9_000]);
    let lines = "Data;Descrição;Valor;Moeda\n02/03/2026;A;-10,00;USD\n02/03/2026;SALDO DO DIA;90,00;USD\n";
    assert_eq!(balances(lines), []);
}

#[test]
fn an_instalment_has_near_names() {
    for header in ["Nº Parcela", "N. Parcela", "Parc.", "Parcelamento", "Número da parcela", "Parcela atual"] {
        for date in ["Data", "Data de pagamento"] {
            let file = format!("{date};Descrição;Valor;{header}\n02/03/2026;LOJA;-10,00;2/7\n");
            assert_eq!(plain(&file), ["2026-03-02 -1000 LOJA 2/7 (formerly -1000 LOJA)"], "{file}");
        }
    }
    let released = "Data;Descrição;Valor;Parcela\n02/03/2026;LOJA;-10,00;2/7\n";
    assert_eq!(plain(released), ["2026-03-02 -1000 LOJA 2/7"]);
}

#[test]
fn a_state_without_a_date_is_told() {
    let file = "Data;Descrição;Valor;Situação\n02/03/2026;A;-1,00;ok\n;B;-2,00;Pendente\n;C;-2,00;ok\n";
    let (_, rejected) = shown(&read(file.as_bytes(), &Options::default()).unwrap());
    assert_eq!(rejected, ["3: não efetivado: Pendente", "4: linha sem data"]);
}

#[test]
fn a_row_without_a_remark_is_described_by_an_unknown_column() {
    let rows = "02/03/2026;PADARIA;Dinheiro;-10,00;\n03/03/2026;POSTO;Cartão de crédito;-20,00;Tanque cheio\n";
    for (item, remark) in [("Lançto.", "Observações"), ("Item", "Detalhes"), ("O que", "Notes")] {
        let file = format!("Data;{item};Forma de pagamento;Valor;{remark}\n{rows}");
        assert_eq!(
            plain(&file),
            ["2026-03-02 -1000 PADARIA (formerly -1000 (sem descrição))", "2026-03-03 -2000 Tanque cheio"],
            "{file}"
        );
    }
}

#[test]
fn what_identifies_a_row_does_not_describe_it() {
    assert_eq!(
        plain(
            "ID;Data;Histórico do lançamento;Valor\nf39be9480c1a4e7db1c2aa11bb22cc33;02/03/2026;PADARIA;-10,00\n\
             ab12cd34ef56ab12cd34ef56ab12cd34;03/03/2026;POSTO;-20,00\n"
        ),
        [
            "2026-03-02 -1000 PADARIA (formerly -1000 f39be9480c1a4e7db1c2aa11bb22cc33)",
            "2026-03-03 -2000 POSTO (formerly -2000 ab12cd34ef56ab12cd34ef56ab12cd34)",
        ]
    );
    // Where nothing else describes it, it does.
    assert_eq!(plain("UUID;Data;Valor\nabcdef;02/03/2026;-10,00\n"), ["2026-03-02 -1000 abcdef"]);
}

#[test]
fn a_running_balance_is_not_the_amount_below_a_line_with_a_date() {
    for headers in ["Data;Histórico;Saldo;Movimentação", "Dia;Quem;Saldo;Movimentação", "Tag;Wer;Saldo;Betrag"] {
        for preamble in ["", "Período;01/01/2026 - 31/01/2026\n", "Emitido em;10/03/2026 08:00\n"] {
            let file =
                format!("{preamble}{headers}\n07/01/2026;LOJA;940,00;-60,00\n05/01/2026;EMP;1.000,00;1.000,00\n");
            println!("{file}");
            assert_eq!(plain(&file), ["2026-01-07 -6000 LOJA", "2026-01-05 100000 EMP"]);
            assert_eq!(balances(&file), [100_000, 94_000]);
        }
    }
}

#[test]
fn the_amount_is_that_of_the_account_not_that_of_the_purchase() {
    assert_eq!(
        plain(
            "Data;Descrição;Valor (USD);Valor original;Moeda original\n05/01/2026;LOJA;-10,00;55,00;BRL\n\
             06/01/2026;SHOP;-20,00;20,00;USD\n"
        ),
        ["2026-01-05 -1000 LOJA USD", "2026-01-06 -2000 SHOP USD"]
    );
    assert_eq!(
        plain(
            "\"Booking Date\",\"Value Date\",\"Partner Name\",\"Amount (EUR)\",\"Original Amount\",\"Original Currency\",\"Exchange Rate\"\n\
             2026-01-05,2026-01-05,Shop,-0.04,0.04,USD,1.0\n2026-01-06,2026-01-06,Employer,1000.00,,,\n"
        ),
        ["2026-01-05 -4 Shop EUR", "2026-01-06 100000 Employer EUR"]
    );
    // In reais it is that of the account.
    assert_eq!(
        plain("Data;Descrição;Valor original (R$);Valor (US$)\n05/01/2026;LOJA;-55,00;-10,00\n"),
        ["2026-01-05 -5500 LOJA"]
    );
}

#[test]
fn a_currency_counts_in_german_too() {
    let file = "Buchung;Auftraggeber/Empfänger;Saldo;Währung;Betrag;Währung\n07.01.2026;Laden;940,00;EUR;-60,00;EUR\n";
    assert_eq!(plain(file), ["2026-01-07 -6000 Laden EUR"]);
    assert_eq!(plain(&file.replace("EUR", "BRL")), ["2026-01-07 -6000 Laden"]);
    assert_eq!(plain(&file.replace("ä", "ae"))[0].split(' ').next_back(), Some("EUR"));
}

#[test]
fn a_history_of_transfers_has_its_amount_its_fee_and_its_direction() {
    check_rows(
        "ID,Status,Direction,\"Created on\",\"Finished on\",\"Source fee amount\",\"Source fee currency\",\"Source amount (after fees)\",\
         \"Source currency\",\"Target name\",\"Target amount (after fees)\",\"Target currency\"\n\
         T-1,COMPLETED,OUT,2026-01-05 10:00:00,2026-01-05 10:01:00,1.20,BRL,100.00,BRL,Maria Souza,100.00,BRL\n\
         T-2,COMPLETED,IN,2026-01-06 10:00:00,2026-01-06 10:01:00,0.00,BRL,500.00,BRL,Ana Lima,500.00,BRL\n\
         T-3,COMPLETED,NEUTRAL,2026-01-07 10:00:00,2026-01-07 10:01:00,0.00,BRL,50.00,BRL,Ana Lima,10.00,USD\n",
        &[
            "2 2026-01-05 -10000 Maria Souza",
            "2 2026-01-05 -120 Tarifa: Maria Souza",
            "3 2026-01-06 50000 Ana Lima",
            "4 2026-01-07 -5000 Ana Lima",
        ],
    );
}

#[test]
fn a_state_and_a_commission_count_in_the_portuguese_of_portugal_too() {
    let file = "Tipo,Produto,Data de início,Data de conclusão,Descrição,Montante,Comissão,Moeda,Estado,Saldo\n\
                Pagamento,Atual,2026-03-01 10:00:00,2026-03-01 10:00:05,Loja,-10.00,2.00,BRL,CONCLUÍDA,88.00\n\
                Pagamento,Atual,2026-03-02 10:00:00,,Posto,-70.00,0.00,BRL,PENDENTE,\n\
                Pagamento,Atual,2026-03-03 10:00:00,2026-03-03 10:00:00,Bar,-20.00,0.00,BRL,REVERTIDA,\n";
    check(
        file,
        &["2 2026-03-01 -1000 Loja", "2 2026-03-01 -200 Tarifa: Loja"],
        &["3: não efetivado: PENDENTE", "4: não efetivado: REVERTIDA"],
    );
    assert_eq!(balances(file), [8_800]);
}

#[test]
fn the_other_party_is_part_of_the_text_if_it_is_words() {
    for header in [
        "Identificação",
        "Razão Social",
        "Origem / Destino",
        "Destino",
        "Destinatário",
        "Remetente",
        "Contraparte",
        "Pagador",
        "Nome do favorecido",
        "Remetente/Destinatário",
        "De/Para",
        "Empresa",
        "Detalhamento Hist.",
    ] {
        let file = format!("Data;Transação;{header};Valor\n05/01/2026;Pix enviado;Maria Souza;-10,00\n");
        assert_eq!(plain(&file), ["2026-01-05 -1000 Pix enviado Maria Souza (formerly -1000 Pix enviado)"], "{header}");
        let numbers = file.replace("Maria Souza", "000123-4");
        assert_eq!(plain(&numbers), ["2026-01-05 -1000 Pix enviado"], "{header}");
    }
    // A column that the caller names counts, whatever it has.
    let named = Options { description_column: Some(finance_statements::Column::Number(3)), ..Options::default() };
    let numbers = "Data;Transação;Destino;Valor\n05/01/2026;Pix enviado;000123-4;-10,00\n";
    assert_eq!(rows(&named, numbers), ["2026-01-05 -1000 000123-4"]);
    // Alone it was found by its words.
    assert_eq!(plain("Data;Destino;Valor\n05/01/2026;Maria Souza;-10,00\n"), ["2026-01-05 -1000 Maria Souza"]);
    let note = "ID;Note;Amount;Category;Account;Currency;Date\n1;Lunch;-10,00;Food;Wallet;BRL;05/01/2026\n";
    assert!(plain(note)[0].starts_with("2026-01-05 -1000 Lunch"), "{:?}", plain(note));
}

#[test]
fn a_day_and_the_name_of_its_month_is_a_date_where_the_year_is_known() {
    let options = Options { latest: Some(date!(2026 - 02 - 10)), ..Options::default() };
    let file = "Data;Descrição;Valor\n28 DEZ;LOJA;-10,00\n05/fev.;BAR;-5,00\n2 de abril;CAFE;-1,00\n";
    check_with(
        &options,
        file,
        &["2 2025-12-28 -1000 LOJA", "3 2026-02-05 -500 BAR"],
        &["4: data inválida: 2 de abril"],
    );
}

#[test]
fn instalments_of_the_next_bills_are_in_the_future() {
    check(
        "data;lançamento;valor\n05/01/2026;LOJA 02/05;50,00\ncompras parceladas - próximas faturas;;\n\
         13/01/2026;LOJA 03/05;50,00\n",
        &["2 2026-01-05 5000 LOJA 02/05"],
        &["3: lançamento futuro", "4: lançamento futuro"],
    );
}

#[test]
fn of_one_day_that_adds_up_in_both_orders_no_balance_is_known() {
    let head = "Data;Histórico;Valor;Saldo\n";
    let rows = "05/01/2026;A;10,00;110,00\n05/01/2026;B;-10,00;100,00\n";
    assert_eq!(balances(&format!("{head}{rows}")), [] as [i64; 0]);
    assert_eq!(balances(&format!("{head}04/01/2026;C;5,00;100,00\n{rows}")), [10_000, 10_000]);
}

#[test]
fn of_two_parties_the_other_one_is_shown() {
    let file = "Data;Tipo;Origem;Destino;Valor\n05/01/2026;Pix;Padaria Eu LTDA;Maria Souza;-10,00\n\
                06/01/2026;Pix;João Lima;Padaria Eu LTDA;20,00\n";
    let rows = read(file.as_bytes(), &Options::default()).unwrap().rows;
    let texts: Vec<&str> = rows.iter().map(|row| row.description.as_str()).collect();
    assert!(texts[0].ends_with("Maria Souza") && !texts[0].contains("Eu LTDA"), "{texts:?}");
    assert!(texts[1].contains("João Lima") && !texts[1].contains("Eu LTDA"), "{texts:?}");
}

#[test]
fn a_word_in_the_column_of_fees_is_no_fee() {
    for word in ["Grátis", "Isento", "N/A", "—", "2,99%", "Sem tarifa"] {
        let file =
            format!("Data;Descrição;Valor;Tarifa\n05/01/2026;PIX MARIA;-125,00;{word}\n06/01/2026;LOJA;-31,00;1,00\n");
        check(
            &file,
            &["2 2026-01-05 -12500 PIX MARIA", "3 2026-01-06 -3100 LOJA", "3 2026-01-06 -100 Tarifa: LOJA"],
            &[],
        );
    }
}

#[test]
fn on_a_card_the_date_of_the_purchase_counts() {
    let card = Options { on_card: true, ..Options::default() };
    for (bought, posted) in [
        ("Data da Compra", "Data do Lançamento"),
        ("Data da transação", "Data de lançamento"),
        ("Data da compra", "Data"),
        ("Dt. Compra", "Dt. Lançamento"),
        ("Trans. Date", "Post Date"),
        ("Transaction Date", "Posting Date"),
    ] {
        for file in [
            format!("{bought};{posted};Descrição;Valor\n24/01/2026;26/01/2026;UBER;30,00\n"),
            format!("{posted};{bought};Descrição;Valor\n26/01/2026;24/01/2026;UBER;30,00\n"),
        ] {
            let row = read(file.as_bytes(), &card).unwrap().rows.remove(0);
            assert_eq!(row.date, date!(2026 - 01 - 24), "{file}");
        }
    }
    let file = "Data da Compra;Data do Lançamento;Descrição;Valor\n24/01/2026;26/01/2026;UBER;30,00\n";
    let former = read(file.as_bytes(), &card).unwrap().rows.remove(0).former.unwrap();
    assert_eq!(former.date, Some(date!(2026 - 01 - 26)), "what was stored is known again");
    assert_eq!(read(file.as_bytes(), &Options::default()).unwrap().rows[0].date, date!(2026 - 01 - 26));
}

#[test]
fn lines_that_a_program_quoted_whole_are_split() {
    let file = "\"Data;Histórico;Valor\"\r\n\"05/01/2026;PADARIA \"\"Boa\"\";-30,00\"\r\n";
    check(file, &["2 2026-01-05 -3000 PADARIA \"Boa\""], &[]);
    let dates = "Data;Histórico;Valor\nSegunda, 05 de janeiro de 2026;A;-1,00\nter, 06/01/2026;B;-2,00\n\"Jan 7, 2026\";C;-3,00\n";
    check(dates, &["2 2026-01-05 -100 A", "3 2026-01-06 -200 B", "4 2026-01-07 -300 C"], &[]);
}

#[test]
fn an_instalment_is_told_by_one_column_or_by_two() {
    let card = Options { on_card: true, ..Options::default() };
    for (headers, cells, text) in [
        ("Parcela Atual;Total de Parcelas", "2;3", "LOJA 2/3"),
        ("Nº Parcela;Qtd Parcelas", "2;3", "LOJA 2/3"),
        ("Parcela;Parcelas", "2;3", "LOJA 2/3"),
        ("Parcela;de", "1;1", "LOJA"),
        ("Parcela/Total", "2/3", "LOJA 2/3"),
        ("Parcela Atual/Total", "2/3", "LOJA 2/3"),
        ("Prestação;Plano", "2;3", "LOJA 2/3"),
        ("Parcela", "2", "LOJA Parcela 2"),
        ("Parcela", "1", "LOJA"),
        ("Parcela", "2ª de 3", "LOJA 2ª de 3"),
        ("Tipo", "Parcelado 2/3", "LOJA Parcelado 2/3"),
    ] {
        let file = format!("Data;Estabelecimento;{headers};Valor\n10/01/2026;LOJA;{cells};50,00\n");
        let row = read(file.as_bytes(), &card).unwrap().rows.remove(0);
        assert_eq!((row.cents, row.description.as_str()), (-50_00, text), "{file}");
    }
}

#[test]
fn the_layout_of_an_account_says_nothing_of_the_signs_of_a_card() {
    let card = Options { on_card: true, ..Options::default() };
    let file =
        "Data;Lançamento;Valor (R$)\n10/02/2026;NEW BALANCE;53,36\n11/02/2026;UBER;20,00\n12/02/2026;ESTORNO;-9,36\n";
    let cents: Vec<i64> = read(file.as_bytes(), &card).unwrap().rows.iter().map(|row| row.cents).collect();
    assert_eq!(cents, [-53_36, -20_00, 9_36]);
    let former = read(file.as_bytes(), &card).unwrap().rows[0].former.clone().unwrap();
    assert_eq!(former.cents, 53_36);
}

#[test]
fn values_that_a_spreadsheet_wrote_as_formulas_or_quoted_by_the_line_are_read() {
    let formulas = "Data;Histórico;Valor\n=\"02/03/2026\";=\"abc\";=\"-10,00\"\n";
    check(formulas, &["2 2026-03-02 -1000 =\"abc\""], &[]);
    let lines = "Data,Descrição,Valor\n\"02/03/2026,PADARIA,\"\"-10,00\"\"\"\n\"03/03/2026,BAR,\"\"-5,00\"\"\"\n";
    check(lines, &["2 2026-03-02 -1000 PADARIA", "3 2026-03-03 -500 BAR"], &[]);
}

#[test]
fn headers_on_two_lines_are_read_together() {
    let split = "Data;Data;Histórico;Movimento;;Saldo\nLançamento;Contábil;;Crédito;Débito;\n\
                 02/03/2026;02/03/2026;SALARIO;3.000,00;;3.500,00\n03/03/2026;04/03/2026;MERCADO;;200,00;3.300,00\n";
    check(split, &["3 2026-03-02 300000 SALARIO", "4 2026-03-03 -20000 MERCADO"], &[]);
    let one = "Data;Histórico;Valor;Valor\n;;Crédito;Débito\n02/03/2026;MERCADO;;200,00\n";
    check(one, &["3 2026-03-02 -20000 MERCADO"], &[]);
    let card = Options { on_card: true, ..Options::default() };
    let reais =
        "Data;Estabelecimento;Valor;Valor\n;;US$;R$\n02/02/2026;AMAZON;12,00;66,00\n03/02/2026;LOJA;0,00;20,00\n";
    let cents: Vec<i64> = read(reais.as_bytes(), &card).unwrap().rows.iter().map(|row| row.cents).collect();
    assert_eq!(cents, [-66_00, -20_00]);
}

#[test]
fn the_holder_of_a_card_does_not_describe_its_rows() {
    for (headers, before, after) in [
        ("Estabelecimento / Descrição;Portador", "", ";MARIA DA SILVA SOUZA"),
        ("Nome no cartão;Local", "MARIA DA SILVA SOUZA;", ""),
        ("Classe;Descrição da compra", "Alimentação, bebidas e combustíveis;", ""),
    ] {
        let file = format!(
            "Data;{headers};Valor\n05/01/2026;{before}BAR{after};-10,00\n06/01/2026;{before}POSTO{after};-20,00\n"
        );
        println!("{file}");
        check(&file, &["2 2026-01-05 -1000 BAR", "3 2026-01-06 -2000 POSTO"], &[]);
    }
}
