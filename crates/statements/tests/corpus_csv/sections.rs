//! Files of several sections, and lines between their rows: titles, remarks, totals and balances.

use finance_statements::{Options, read};

use super::check;

/// The rows of a file as `date cents description`.
fn rows(options: &Options, file: &str) -> Vec<String> {
    let statement = read(file.as_bytes(), options).unwrap_or_else(|error| panic!("{error:?}"));
    statement.rows.iter().map(|row| format!("{} {} {}", row.date, row.cents, row.description)).collect()
}

fn plain(file: &str) -> Vec<String> {
    rows(&Options::default(), file)
}

fn on_card(file: &str) -> Vec<String> {
    rows(&Options { on_card: true, ..Options::default() }, file)
}

#[test]
fn rows_above_a_later_line_of_headers_count() {
    check(
        "Data;Lançamento;Dcto.;Crédito (R$);Débito (R$);Saldo (R$)\n02/02/2026;PIX A;1;15,00;;15,00\n03/02/2026;LUZ;2;;-5,00;10,00\n\
         Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$)\n16/02/2026;COMPRA ELO;3;;-9,00;1,00\n",
        &["2 2026-02-02 1500 PIX A", "3 2026-02-03 -500 LUZ", "5 2026-02-16 -900 COMPRA ELO"],
        &["4: cabeçalho repetido"],
    );
    let empty = "Data;Lançamento;Dcto.;Crédito (R$);Débito (R$)\n02/02/2026;PIX A;1;15,00;\nÚltimos Lançamentos\n\
                 Data;Histórico;Docto.;Crédito (R$);Débito (R$)\n";
    assert_eq!(plain(empty), ["2026-02-02 1500 PIX A"]);
}

#[test]
fn each_section_is_read_by_its_own_headers() {
    let itau = "data;lançamento;valor\n05/01/2026;UBER;30,00\n06/01/2026;LOJA;100,00\nlançamentos internacionais\n\
                data;lançamento;valor US$;valor R$\n07/01/2026;STEAM;10,00;56,00\n";
    assert_eq!(on_card(itau), ["2026-01-05 -3000 UBER", "2026-01-06 -10000 LOJA", "2026-01-07 -5600 STEAM"]);
    let savings = "Data;Histórico;Documento;Valor;Saldo\n05/01/2026;PIX;1;-30,00;70,00\nPoupança\n\
                   Data;Histórico;Valor;Saldo\n06/01/2026;DEPOSITO;100,00;1.100,00\n";
    assert_eq!(plain(savings), ["2026-01-05 -3000 PIX", "2026-01-06 10000 DEPOSITO"]);
    let santander = "Data;Descrição;Valor (US$);Valor (R$)\n05/01/2026;UBER;;30,00\n\
                     Data;Descrição;Parcela;Valor (US$);Valor (R$)\n06/01/2026;LOJA;02/10;;100,00\n";
    assert_eq!(on_card(santander), ["2026-01-05 -3000 UBER", "2026-01-06 -10000 LOJA 02/10"]);
}

#[test]
fn each_section_has_its_own_column_of_directions() {
    let file = "Data;Descrição;Valor;Tipo\n02/03/2026;PADARIA;9,42;D\n\nData;Descrição;Documento;Valor;Tipo\n03/03/2026;POSTO;1;5,00;D\n";
    assert_eq!(plain(file), ["2026-03-02 -942 PADARIA", "2026-03-03 -500 POSTO"]);
    let file = "Data;Descrição;Crédito;Débito\n02/03/2026;PADARIA;;9,42\n\nData;Descrição;Valor;Tipo\n03/03/2026;POSTO;5,00;D\n";
    assert_eq!(plain(file), ["2026-03-02 -942 PADARIA", "2026-03-03 -500 POSTO"]);
}

#[test]
fn a_remark_below_the_rows_continues_no_description() {
    let file = "Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$)\n20/02/2026;PIX RECEBIDO;1;100,00;;100,00\n\
                23/02/2026;COMPRA CARTAO VISA;2;;10,00;90,00\n\
                Filtro de resultados - Movimentação entre: 01/02/2026 e 23/02/2026;;;;;\n\
                Os dados acima tem como base 23/02/2026 às 17:39;;;;;\n";
    assert_eq!(plain(file), ["2026-02-20 10000 PIX RECEBIDO", "2026-02-23 -1000 COMPRA CARTAO VISA"]);
    let former = read(file.as_bytes(), &Options::default()).unwrap().rows[1].former.clone().unwrap();
    assert_eq!(
        former.description,
        "COMPRA CARTAO VISA Filtro de resultados - Movimentação entre: 01/02/2026 e 23/02/2026 Os dados acima tem como base \
         23/02/2026 às 17:39"
    );
    // What a bank writes below a row of any layout does.
    let sicoob = "DATA;DOCUMENTO;HISTÓRICO;VALOR\n02/01/2026;Pix;PIX RECEB.OUTRA IF;500,00C\n;;Recebimento Pix;\n;;JOAO DA SILVA;\n";
    assert_eq!(plain(sicoob), ["2026-01-02 50000 PIX RECEB.OUTRA IF Recebimento Pix JOAO DA SILVA"]);
}

#[test]
fn a_title_in_the_first_column_continues_no_description() {
    let file = "Estabelecimento;Data;Valor\nUBER;10/02/2026;20,00\nCompras de Maria;;\nBAR;11/02/2026;30,00\n";
    assert_eq!(on_card(file), ["2026-02-10 -2000 UBER", "2026-02-11 -3000 BAR"]);
}

#[test]
fn sections_of_the_future_are_left_out() {
    for title in [
        "Débitos agendados",
        "Lançamentos previstos",
        "Pagamentos agendados",
        "Lançamentos pendentes",
        "Movimentações futuras",
        "Transações em processamento",
        "PRÓXIMA FATURA",
    ] {
        let file = format!("Data;Histórico;Valor\n05/03/2026;UBER;-30,00\n{title};;\n20/03/2026;CONTA DE LUZ;-99,00\n");
        assert_eq!(plain(&file), ["2026-03-05 -3000 UBER"], "{title}");
    }
    // Above the headers it is the title of the file.
    assert_eq!(on_card("Próxima fatura\nData;Histórico;Valor\n05/03/2026;UBER;30,00\n06/03/2026;BAR;5,00\n").len(), 2);
}

#[test]
fn what_is_settled_may_stand_below_what_is_pending() {
    for (pending, settled) in [
        ("Transações pendentes", "Transações realizadas"),
        ("Compras em processamento", "Compras processadas"),
        ("Pagamentos agendados", "Pagamentos realizados"),
        ("Lançamentos pendentes", "Lançamentos confirmados"),
        ("Pending transactions", "Posted transactions"),
    ] {
        let file = format!(
            "{pending}\nData;Descrição;Valor\n15/03/2026;SEGURO;-300,00\n\n{settled}\nData;Descrição;Valor\n\
             05/03/2026;PADARIA;-5,00\n"
        );
        assert_eq!(plain(&file), ["2026-03-05 -500 PADARIA"], "{settled}");
    }
}

#[test]
fn on_a_card_too_and_shops_are_none() {
    let lines = |texts: &[&str]| {
        let rows: String = texts.iter().map(|text| format!("10/02/2026;{text};10,00\n")).collect();
        format!("Data;Estabelecimento;Valor\n01/02/2026;UBER;20,00\n02/02/2026;BAR;20,00\n{rows}")
    };
    let none = [
        "Saldo anterior da fatura",
        "Total desta fatura",
        "FATURA ANTERIOR",
        "Valor total",
        "Sub-total",
        "Total nacional",
        "Limite disponível",
    ];
    assert_eq!(on_card(&lines(&none)).len(), 2);
    let shops = ["SUBTOTAL MODAS", "TOTAL DE COMPRAS SUPERMERCADO", "TOTAL PASS", "NEW BALANCE", "SALDO DA MODA"];
    assert_eq!(on_card(&lines(&shops)).len(), 7);
    assert_eq!(plain(&lines(&shops)).len(), 7);
    let account =
        ["SALDO TRANSPORTADO", "SALDO ANT", "SALDO DE ABERTURA", "A TRANSPORTAR", "BALANCE FORWARD", "Total créditos"];
    assert_eq!(plain(&lines(&account)).len(), 2);
}

#[test]
fn balances_and_totals_are_no_rows_wherever_they_say_so() {
    let release = "DATE,SOURCE_ID,RECORD_TYPE,DESCRIPTION,NET_CREDIT_AMOUNT,NET_DEBIT_AMOUNT\n\
                   2026-01-01T00:00:00.000-03:00,,initial_available_balance,,5000.00,0.00\n\
                   2026-01-02T10:00:00.000-03:00,1,release,payment,225.96,0.00\n\
                   2026-01-31T00:00:00.000-03:00,,total,,5225.96,0.00\n";
    assert_eq!(plain(release), ["2026-01-02 22596 payment"]);
    let file = "Data;Histórico;Valor\n15/01/2026;UBER;-30,00\n15/01/2026;SDO CTA/APL AUTOMATICAS;1.258,52\n\
                16/01/2026;TOTAL DO DIA;-30,00\n16/01/2026;TOTAL ENERGIES;-40,00\n";
    assert_eq!(plain(file), ["2026-01-15 -3000 UBER", "2026-01-16 -4000 TOTAL ENERGIES"]);
}
