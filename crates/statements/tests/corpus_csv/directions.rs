//! Columns that tell income from expenses though no header names them, and other layouts of which the headers alone say too little.

use finance_statements::{CardSign, Options, TextTest, read};
use time::macros::date;

use super::{check, check_rows};

/// The rows of a file as `date cents description`.
fn plain(file: &str) -> Vec<String> {
    let statement = read(file.as_bytes(), &Options::default()).unwrap_or_else(|error| panic!("{error:?}"));
    statement.rows.iter().map(|row| format!("{} {} {}", row.date, row.cents, row.description)).collect()
}

/// The balances of a file, in hundredths.
fn balances(file: &str) -> Vec<i64> {
    let statement = read(file.as_bytes(), &Options::default()).unwrap_or_else(|error| panic!("{error:?}"));
    statement.accounts[0].balances.iter().map(|(_, cents)| *cents).collect()
}

#[test]
fn the_cells_tell_the_sign_whatever_the_header() {
    for header in
        ["Nat.", "Movimentação", "Tipo de operação", "Indicador", "Dr / Cr", "IN_DC", "Transaction Type", "Tipo"]
    {
        for (debit, credit) in
            [("D", "C"), ("Débito", "Crédito"), ("DR", "CR"), ("Enviado", "Recebido"), ("Withdrawal", "Deposit")]
        {
            let file =
                format!("Data;Histórico;{header};Valor\n05/01/2026;LUZ;{debit};10,00\n06/01/2026;PIX;{credit};20,00\n");
            assert_eq!(plain(&file), ["2026-01-05 -1000 LUZ", "2026-01-06 2000 PIX"], "{header} {debit}");
        }
    }
    // What was stored when the column was not known is known again.
    let file = "Data;Histórico;Nat.;Valor\n05/01/2026;LUZ;D;10,00\n";
    let former = read(file.as_bytes(), &Options::default()).unwrap().rows[0].former.clone().unwrap();
    assert_eq!((former.cents, former.description.as_str()), (1000, "LUZ"));
    // All rows may be expenses.
    assert_eq!(plain("Data;Histórico;Nat.;Valor\n05/01/2026;LUZ;D;10,00\n"), ["2026-01-05 -1000 LUZ"]);
}

#[test]
fn the_cells_tell_the_sign_of_rows_whose_dates_have_no_year_or_a_format_of_the_caller() {
    let options = |format: Option<&str>| Options {
        date_format: format.map(|format| format.parse().unwrap()),
        latest: Some(date!(2026 - 01 - 13)),
        ..Options::default()
    };
    for (format, dates) in
        [(None, ["28/12", "05/01"]), (None, ["28 DEZ", "05 JAN"]), (Some("ddmmyyyy"), ["28122025", "05012026"])]
    {
        for header in ["Tipo", "Natureza"] {
            let [first, second] = dates;
            let file = format!("Data;Histórico;Valor;{header}\n{first};MERCADO;50,00;D\n{second};SALARIO;3000,00;C\n");
            let rows = read(file.as_bytes(), &options(format)).unwrap().rows;
            let shown: Vec<String> = rows.iter().map(|row| format!("{} {}", row.date, row.cents)).collect();
            assert_eq!(shown, ["2025-12-28 -5000", "2026-01-05 300000"], "{file}");
            // What was stored while the column was not believed is known again.
            let former = rows[0].former.as_ref().map(|former| former.cents);
            assert_eq!(former, Some(5000), "{file}");
            let on_card = Options { on_card: true, ..options(format) };
            let rows = read(file.as_bytes(), &on_card).unwrap().rows;
            assert_eq!(rows.iter().map(|row| row.cents).collect::<Vec<_>>(), [-5000, 300_000], "on a card: {file}");
        }
    }
    // A refund among expenses.
    let split = "Data;Histórico;Débito;Crédito\n28122025;LOJA;50,00;\n05012026;LOJA;-20,00;\n";
    let rows = read(split.as_bytes(), &options(Some("ddmmyyyy"))).unwrap().rows;
    assert_eq!(rows.iter().map(|row| row.cents).collect::<Vec<_>>(), [-5000, 2000]);
}

#[test]
fn cells_beside_amounts_with_signs_tell_nothing() {
    for file in [
        "Data;Histórico;Classe;Valor\n05/01/2026;LUZ;D;-10,00\n06/01/2026;DEVOLUCAO;D;20,00\n",
        "Data;Histórico;Classe;Valor\n05/01/2026;LUZ;D;-10,00\n06/01/2026;DEVOLUCAO;X;20,00\n",
    ] {
        for minus in ["-", "\u{2013}", "\u{2011}"] {
            let file = file.replace('-', minus);
            let cents: Vec<String> =
                plain(&file).iter().map(|row| row.split(' ').nth(1).unwrap().to_string()).collect();
            assert_eq!(cents, ["-1000", "2000"], "{file}");
        }
    }
}

#[test]
fn dashes_in_a_column_tell_nothing() {
    for file in
        ["Data;Histórico;Documento;Valor\n05/01/2026;PIX;-;10,00\n", "05/01/2026;PIX;-;10,00\n06/01/2026;PIX;-;20,00\n"]
    {
        assert!(plain(file)[0].starts_with("2026-01-05 1000 PIX"), "{file}");
    }
}

#[test]
fn a_balance_has_a_sign_of_its_own() {
    assert_eq!(balances("Data;Histórico;Valor;D/C;Saldo;D/C\n05/01/2026;TARIFA;10,00;D;90,00;D\n"), [-9000]);
    assert_eq!(
        balances(
            "Data;Histórico;Valor;D/C;Saldo;D/C\n05/01/2026;PIX;10,00;C;90,00;D\n06/01/2026;PIX;100,00;C;10,00;C\n"
        ),
        [-9000, 1000]
    );
    assert_eq!(
        balances("Data;Histórico;Valor;Nat.\n05/01/2026;TARIFA;10,00;D\n05/01/2026;SALDO DO DIA;90,00;D\n"),
        [-9000]
    );
}

#[test]
fn amounts_that_a_comma_split_are_joined() {
    let file = "Data,Descrição,Valor,Saldo\n05/01/2026,PADARIA,-12,34,987,66\n06/01/2026,CAFE,-0,90,986,76\n";
    assert_eq!(plain(file), ["2026-01-05 -1234 PADARIA", "2026-01-06 -90 CAFE"]);
    assert_eq!(balances(file), [98766, 98676]);
    assert_eq!(plain("Data,Valor,Descrição\n05/01/2026,-12,34,PADARIA\n"), ["2026-01-05 -1234 PADARIA"]);
    assert_eq!(plain("Data,Descrição,Valor,Documento\n05/01/2026,PADARIA,-12,34,77\n"), ["2026-01-05 -1234 PADARIA"]);
    // A row as long as the headers is whole, whatever stands at its end.
    assert_eq!(plain("Data,Descrição,Valor,Documento\n05/01/2026,PADARIA,-12,34,\n"), ["2026-01-05 -1200 PADARIA"]);
}

#[test]
fn more_pairs_of_columns_are_income_and_expenses() {
    for (debit, credit) in [
        ("Vlr. Débito", "Vlr. Crédito"),
        ("Ausgaben", "Einnahmen"),
        ("Gastos", "Ingresos"),
        ("Expense", "Income"),
        ("Out", "In"),
    ] {
        let file = format!("Data;Descrição;{debit};{credit}\n01/02/2026;A;10,00;\n02/02/2026;B;;5,00\n");
        assert_eq!(plain(&file), ["2026-02-01 -1000 A", "2026-02-02 500 B"], "{debit}");
    }
}

#[test]
fn the_price_of_an_instalment_is_the_amount() {
    for whole in ["Valor total", "Valor da compra", "Valor"] {
        let file = format!("Data;Descrição;Parcela;{whole};Valor da parcela\n01/02/2026;Loja;1/10;-1000,00;-100,00\n");
        assert_eq!(plain(&file), ["2026-02-01 -10000 Loja 1/10"], "{whole}");
    }
}

#[test]
fn a_section_of_the_future_may_come_first() {
    let file = "Lançamentos futuros\nData;Histórico;Valor\n15/03/2026;SEGURO;-300,00\n\nLançamentos realizados\n\
                Data;Histórico;Valor\n05/01/2026;X;-1,00\n";
    assert_eq!(plain(file), ["2026-01-05 -100 X"]);
    check(
        "Data;Histórico;Valor\n05/01/2026;X;-1,00\nAgendamentos\n15/03/2026;SEGURO;-300,00\n",
        &["2 2026-01-05 -100 X"],
        &["3: lançamento futuro", "4: lançamento futuro"],
    );
}

#[test]
fn what_can_be_read_of_a_row_of_the_future_is_told() {
    let file = "Data;Histórico;Valor;Saldo\n05/01/2026;X;-1,00;99,00\nLançamentos futuros\nData;Histórico;Valor;Saldo\n\
                15/03/2026;SEGURO;-300,00;\n16/03/2026;SALDO PREVISTO;-200,00;\na definir;ALUGUEL;-900,00;\n";
    let rejected = read(file.as_bytes(), &Options::default()).unwrap().rejected;
    let told: Vec<_> = rejected.iter().map(|row| (row.date, row.cents, row.description.as_deref())).collect();
    let nothing = (None, None, None);
    let insurance = (Some(date!(2026 - 03 - 15)), Some(-30_000), Some("SEGURO"));
    assert_eq!(told, [nothing, nothing, insurance, nothing, nothing]);
}

#[test]
fn totals_of_a_bill_are_no_purchases() {
    for total in ["TOTAL DA FATURA", "Subtotal", "Total a pagar", "Total de compras nacionais", "TOTAL DOS LANÇAMENTOS"]
    {
        let file = format!("Data;Lançamento;Valor\n02/01/2026;LOJA;-10,00\n31/01/2026;{total};-10,00\n");
        assert_eq!(plain(&file), ["2026-01-02 -1000 LOJA"], "{total}");
    }
    check_rows("Data;Lançamento;Valor\n02/01/2026;TOTAL POSTO;-10,00\n", &["2 2026-01-02 -1000 TOTAL POSTO"]);
}

#[test]
fn few_other_words_between_directions_are_read_by_their_own_sign() {
    let head = "Data;Histórico;Valor;Tipo\n";
    let file = format!(
        "{head}05/01/2026;PADARIA;30,00;Saída\n06/01/2026;EMPRESA;1500,00;Entrada\n07/01/2026;LOJA;20,00;Estorno\n"
    );
    assert_eq!(plain(&file), ["2026-01-05 -3000 PADARIA", "2026-01-06 150000 EMPRESA", "2026-01-07 2000 LOJA"]);
    let former = read(file.as_bytes(), &Options::default()).unwrap().rows[0].former.clone().unwrap();
    assert_eq!(former.cents, 3000, "as it was stored when one word decided for all");
    // Words of another kind tell nothing, whichever one of them is.
    let kinds = format!("{head}05/01/2026;A;30,00;Saída\n06/01/2026;B;15,00;Boleto\n07/01/2026;C;20,00;Compra\n");
    assert_eq!(plain(&kinds), ["2026-01-05 3000 A", "2026-01-06 1500 B", "2026-01-07 2000 C"]);
    let signed = format!("{head}05/01/2026;A;-30,00;Entrada\n06/01/2026;B;15,00;Saída\n07/01/2026;C;20,00;Outros\n");
    assert_eq!(plain(&signed), ["2026-01-05 -3000 A", "2026-01-06 1500 B", "2026-01-07 2000 C"]);
}

#[test]
fn letters_of_other_words_tell_in_pairs() {
    let file = |cells: [&str; 2]| {
        format!(
            "Data;Histórico;Entrada/Saída x;Valor\n05/01/2026;LUZ;{};10,00\n06/01/2026;PIX;{};20,00\n",
            cells[0], cells[1]
        )
    };
    for cells in [["S", "E"], ["S", "H"], ["Af", "Bij"], ["Pix enviado", "Pix recebido"]] {
        assert_eq!(plain(&file(cells)).len(), 2);
        let cents: Vec<i64> =
            read(file(cells).as_bytes(), &Options::default()).unwrap().rows.iter().map(|row| row.cents).collect();
        assert_eq!(cents, [-1000, 2000], "{cells:?}");
    }
    let yes = "Data;Histórico;Conciliado;Valor\n05/01/2026;LUZ;S;10,00\n06/01/2026;PIX;S;20,00\n";
    assert!(plain(yes)[0].starts_with("2026-01-05 1000 LUZ"), "S may be a yes");
}

#[test]
fn two_columns_tell_by_their_minus_which_is_that_of_expenses() {
    let rows = "01/01/2026;Pix recebido;1.500,00;\n02/01/2026;Conta de luz;;-187,42\n";
    assert_eq!(plain(rows), ["2026-01-01 150000 Pix recebido", "2026-01-02 -18742 Conta de luz"]);
    let other = "02/01/2026;Conta de luz;-187,42;\n01/01/2026;Pix recebido;;1.500,00\n";
    assert_eq!(plain(other), ["2026-01-02 -18742 Conta de luz", "2026-01-01 150000 Pix recebido"]);
    assert!(read(rows.replace('-', "").as_bytes(), &Options::default()).is_err(), "nothing shows which it is");
    assert_eq!(plain("Data;Histórico;C;D\n05/01/2026;PADARIA;;30,00\n"), ["2026-01-05 -3000 PADARIA"]);
    // Citi writes what it gives with a minus.
    let citi =
        "Status,Date,Description,Debit,Credit\nCleared,01/31/2026,UBER,30.00,\nCleared,01/30/2026,PAYMENT,,-500.00\n";
    assert_eq!(plain(citi), ["2026-01-31 -3000 UBER", "2026-01-30 50000 PAYMENT"]);
    // A word stands for nothing.
    let words = "Data;Histórico;Crédito;Débito\n05/01/2026;A;N/A;30,00\n06/01/2026;B;10,00;N/A\n";
    assert_eq!(plain(words), ["2026-01-05 -3000 A", "2026-01-06 1000 B"]);
}

#[test]
fn amounts_are_the_difference_of_the_balances_beside_them() {
    let file = "411111\tEUR\t20260105\t1000,00\t970,00\t20260105\t-30,00\tAlbert Heijn\n\
                411111\tEUR\t20260106\t970,00\t950,00\t20260106\t-20,00\tJumbo\n";
    assert_eq!(plain(file), ["2026-01-05 -3000 Albert Heijn", "2026-01-06 -2000 Jumbo"]);
}

#[test]
fn the_letter_beside_the_balance_is_not_that_of_the_amount() {
    for headers in ["Valor;Tipo;Saldo;D/C", "Valor;C/D;Saldo;D/C", "Valor;Natureza;Saldo;Tipo"] {
        let file = format!("Data;Histórico;{headers}\n02/03/2026;PADARIA;9,42;D;490,58;C\n");
        assert_eq!(plain(&file), ["2026-03-02 -942 PADARIA"], "{headers}");
    }
}

#[test]
fn a_type_beside_the_balance_is_that_of_the_amount_whatever_the_descriptions_begin_with() {
    let head = "Data;Descrição;Valor;Saldo";
    let row = "14/03/2026;CREDITO CELULAR PRE;20,00;1330,64";
    for (kind, other) in [("Despesa", "Despesa"), ("D", "D"), ("Débito", "Débito"), ("Saída", "Despesa")] {
        let alone = format!("{head};Tipo\n{row};{kind}\n");
        assert_eq!(plain(&alone), ["2026-03-14 -2000 CREDITO CELULAR PRE"], "{kind}");
        assert_eq!(balances(&alone), [133_064], "{kind}");
        let grown = format!("{alone}15/03/2026;PADARIA;10,00;1320,64;{other}\n");
        assert_eq!(plain(&grown), ["2026-03-14 -2000 CREDITO CELULAR PRE", "2026-03-15 -1000 PADARIA"], "{kind}");
    }
    // Beside another column of directions it is no side of the balance either.
    assert_eq!(balances("Data;Descrição;Valor;D/C;Saldo;Tipo\n14/03/2026;X;20,00;D;90,00;Despesa\n"), [9000]);
}

#[test]
fn directions_are_no_instalments_of_a_known_card() {
    let head = "Data;Lançamento;Categoria;Tipo;Valor\n";
    let cents = |rows: &str| -> Vec<i64> {
        let file = format!("{head}{rows}");
        read(file.as_bytes(), &Options::default()).unwrap().rows.iter().map(|row| row.cents).collect()
    };
    assert_eq!(cents("02/03/2026;Uber;Transporte;Débito;-45,20\n03/03/2026;Ana;Pix;Crédito;100,00\n"), [-4520, 10_000]);
    assert_eq!(cents("02/03/2026;Uber;Transporte;Saída;45,20\n03/03/2026;Ana;Pix;Entrada;100,00\n"), [-4520, 10_000]);
    assert_eq!(
        cents("02/03/2026;Uber;Transporte;Compra à vista;45,20\n03/03/2026;Pago;Pix;Pagamento;-100,00\n"),
        [-4520, 10_000]
    );
}

#[test]
fn more_words_tell_a_direction() {
    for [debit, credit] in [
        ["Despesas", "Receitas"],
        ["Sai", "Entra"],
        ["Envio", "Recebimento"],
        ["(D)", "(C)"],
        ["(-)", "(+)"],
        ["Debe", "Haber"],
        ["Gasto", "Ingreso"],
        ["DEBITO AUTOMATICO", "CREDITO EM CONTA"],
    ] {
        let file = format!(
            "Data;Histórico;Tipo;Valor\n02/03/2026;CLIENTE;{credit};100,00\n03/03/2026;MERCADO;{debit};50,00\n"
        );
        let cents: Vec<i64> =
            read(file.as_bytes(), &Options::default()).unwrap().rows.iter().map(|row| row.cents).collect();
        assert_eq!(cents, [10_000, -5_000], "{debit}");
    }
}

#[test]
fn what_is_given_back_counts_by_its_own_sign() {
    for text in ["Devolução de Pix enviado", "Estorno Pix enviado", "DEVOLUCAO PIX ENVIADO", "Devolução TED enviada"]
    {
        let file = format!("Data;Descrição;Valor\n02/02/2026;{text};50,00\n");
        assert_eq!(plain(&file), [format!("2026-02-02 5000 {text}")], "{text}");
    }
    let file = "Data;Tipo;Descrição;Valor\n02/02/2026;Devolução de Pix enviado;FULANO;50,00\n\
        01/02/2026;Pix recebido;X;10,00\n03/02/2026;Pix enviado;Y;20,00\n";
    let cents: Vec<String> = plain(file).iter().map(|row| row.split(' ').nth(1).unwrap().to_string()).collect();
    assert_eq!(cents, ["5000", "1000", "-2000"]);
}

#[test]
fn a_state_is_told_by_a_word_of_its_header() {
    for header in [
        "Situação da transação",
        "Situação do pagamento",
        "Status Transação",
        "Status (transação)",
        "STATUS_TRANSACAO",
        "Payment Status",
        "Estado da transação",
    ] {
        let file =
            format!("Data;Descrição;Valor;{header}\n01/03/2026;A;-10,00;Cancelada\n02/03/2026;B;-5,00;Efetivada\n");
        assert_eq!(plain(&file), ["2026-03-02 -500 B"], "{header}");
    }
    let rede = "data da venda;hora da venda;status da venda;valor da venda original;modalidade;valor líquido\n\
        01/02/2026;10:00;aprovada;100,00;pix;98,00\n02/02/2026;10:00;negada;50,00;pix;49,00\n";
    assert_eq!(plain(rede), ["2026-02-01 9800 pix"]);
    let file = "Data;Descrição;Valor;Status\n01/03/2026;A;-1,00;Não processado\n01/03/2026;B;-2,00;in_process\n\
        02/03/2026;C;-5,00;approved\n";
    assert_eq!(plain(file), ["2026-03-02 -500 C"]);
}

#[test]
fn the_means_of_a_payment_tell_no_sign() {
    for header in ["Forma de pagamento", "Modalidade", "Meio", "Tipo de cartão", "Bandeira", "Canal", "Payment Method"]
    {
        for (credit, debit) in [("Crédito", "Débito"), ("Crédito à vista", "Débito")] {
            let file = format!(
                "Data;Descrição;{header};Valor\n01/02/2026;Venda 1;{credit};98,00\n02/02/2026;Venda 2;{debit};49,00\n"
            );
            assert_eq!(plain(&file), ["2026-02-01 9800 Venda 1", "2026-02-02 4900 Venda 2"], "{header}");
        }
    }
}

#[test]
fn the_net_amount_counts_where_no_column_is_that_of_the_fee() {
    for header in ["Taxa", "Taxas", "Taxa MDR", "Desconto MDR", "Custo"] {
        let file = format!("Data;Descrição;Valor;{header};Valor Líquido\n01/03/2026;V1;100,00;4,00;96,00\n");
        assert_eq!(plain(&file), ["2026-03-01 9600 V1"], "{header}");
    }
    let with_fee = "Data;Descrição;Valor;Tarifa;Valor Líquido\n01/03/2026;V1;100,00;4,00;96,00\n";
    assert_eq!(plain(with_fee), ["2026-03-01 10000 V1", "2026-03-01 -400 Tarifa: V1"]);
    let without_net = "Data;Descrição;Valor;Valor da taxa\n01/03/2026;V1;100,00;4,00\n";
    assert_eq!(plain(without_net), ["2026-03-01 10000 V1", "2026-03-01 -400 Tarifa: V1"]);
    let mercado_pago = "Data da compra (date_created);Descrição da operação (reason);Status da operação (status);\
        Valor do produto (transaction_amount);Tarifa do Mercado Pago (mercadopago_fee);\
        Valor total recebido (net_received_amount)\n\
        01/02/2026 10:00:00;Camiseta;approved;100,00;-4,99;95,01\n02/02/2026 10:00:00;Boné;rejected;50,00;0,00;0,00\n";
    assert_eq!(plain(mercado_pago), ["2026-02-01 9501 Camiseta"]);
    // Its headers are known again below the rows.
    let again = read(format!("{mercado_pago}{mercado_pago}").as_bytes(), &Options::default()).unwrap();
    assert_eq!((again.rows.len(), again.rejected.len()), (2, 3));
    assert_eq!(again.rejected[1].reason.code(), "repeated_header");
}

#[test]
fn words_of_directions_count_in_columns_of_both() {
    for (income, expense) in [
        ("Recebido", "Pago"),
        ("A Crédito", "A Débito"),
        ("Lançamento a crédito", "Lançamento a débito"),
        ("Ganho", "Gasto"),
        ("inflow", "outflow"),
    ] {
        let file = format!("Data;Tipo;Descrição;Valor\n12/03/2026;{income};A;540,00\n12/03/2026;{expense};B;200,00\n");
        assert_eq!(plain(&file), ["2026-03-12 54000 A", "2026-03-12 -20000 B"], "{income}");
    }
    // All paid: it may be the state of bills.
    assert_eq!(plain("Data;Descrição;Valor;Conta\n12/03/2026;A;5,00;Pago\n"), ["2026-03-12 500 A"]);
}

#[test]
fn signs_in_parentheses_and_words_after_amounts_are_read() {
    for (amount, cents) in [
        ("1.100,00 (+)", 110_000),
        ("70,00 (-)", -7_000),
        ("(-) 10,00", -1_000),
        ("10,00 (D)", -1_000),
        ("10,00 (C)", 1_000),
        ("10,00 Débito", -1_000),
        ("10,00 CRÉDITO", 1_000),
    ] {
        assert_eq!(
            plain(&format!("Data;Histórico;Valor\n02/03/2026;Pix;{amount}\n")),
            [format!("2026-03-02 {cents} Pix")]
        );
    }
}

#[test]
fn a_text_stays_in_the_description_where_its_words_tell_the_sign_too() {
    let head = "Data,Nome,Detalhe,Valor (R$)\n";
    let ana = "2026-03-02,Pix ANA LIMA,Recebido,\"+R$ 60,00\"\n";
    let bia = "2026-03-03,Pix BIA SOUZA,Enviado,\"-R$ 275,00\"\n";
    let first = "2026-03-02 6000 Pix ANA LIMA Recebido";
    assert_eq!(plain(&format!("{head}{ana}")), [first]);
    // The file of a longer period says the same of its rows, so none of them is stored twice.
    assert_eq!(plain(&format!("{head}{ana}{bia}")), [first, "2026-03-03 -27500 Pix BIA SOUZA Enviado"]);
    let unsigned = format!("{head}{ana}{bia}").replace(['+', '-'], "/").replace("/R$", "R$");
    assert_eq!(plain(&unsigned), ["2026-03-02 6000 Pix ANA LIMA Recebido", "2026-03-03 -27500 Pix BIA SOUZA Enviado"]);
}

#[test]
fn how_a_purchase_is_paid_tells_no_sign() {
    let card = Options { on_card: true, ..Options::default() };
    for header in ["Tipo", "Tipo de compra", "Tipo da transação"] {
        let file = format!(
            "Data;Estabelecimento;{header};Valor\n02/03/2026;LOJA;Crédito à vista;50,00\n\
             03/03/2026;POSTO;Crédito parcelado;20,00\n"
        );
        let cents: Vec<i64> = read(file.as_bytes(), &card).unwrap().rows.iter().map(|row| row.cents).collect();
        assert_eq!(cents, [-5000, -2000], "{header}");
        let sales = format!(
            "Data;Descrição;{header};Valor\n01/02/2026;Venda 1;Crédito à vista;98,00\n02/02/2026;Venda 2;Débito à vista;49,00\n"
        );
        assert_eq!(plain(&sales), ["2026-02-01 9800 Venda 1", "2026-02-02 4900 Venda 2"], "{header}");
    }
}

#[test]
fn what_is_given_back_hides_no_direction_of_the_other_rows() {
    for header in ["Tipo", "Nat.", "Movimentação"] {
        let file =
            format!("Data;Histórico;Valor;{header}\n05/01/2026;PADARIA;30,00;Saída\n07/01/2026;LOJA;20,00;Estorno\n");
        let rows = read(file.as_bytes(), &Options::default()).unwrap().rows;
        assert_eq!(rows.iter().map(|row| row.cents).collect::<Vec<_>>(), [-3000, 2000], "{header}");
        // What was stored while one such word decided for all is known again.
        assert_eq!(rows[0].former.as_ref().map(|former| former.cents), Some(3000), "{header}");
    }
}

#[test]
fn a_column_without_a_header_beside_those_of_a_bank_tells_the_sign() {
    for head in ["Data;Lançamento;Valor (R$);", "Data;Lançamento;Valor (R$)", "Data;Hora;Descricao;Valor;;Saldo"] {
        let (hour, balance) = if head.contains("Hora") { ("10:00;", ";100,00") } else { ("", "") };
        let row = |day: &str, text: &str, amount: &str, letter: &str| {
            format!("{day};{hour}{text};{amount};{letter}{balance}\n")
        };
        let file =
            format!("{head}\n{}{}", row("05/01/2026", "LUZ", "10,00", "D"), row("06/01/2026", "PIX", "20,00", "C"));
        let rows = read(file.as_bytes(), &Options::default()).unwrap().rows;
        assert_eq!(rows.iter().map(|row| row.cents).collect::<Vec<_>>(), [-1000, 2000], "{file}");
        assert_eq!(rows[0].former.as_ref().map(|former| former.cents), Some(1000), "{file}");
    }
}

#[test]
fn the_kinds_of_purchases_below_the_header_of_directions_tell_no_sign() {
    let card = Options { on_card: true, ..Options::default() };
    let cents =
        |file: &str| -> Vec<i64> { read(file.as_bytes(), &card).unwrap().rows.iter().map(|row| row.cents).collect() };
    for header in ["Tipo de lançamento", "Tipo Lançamento", "Tipo"] {
        let head = format!("Data;Estabelecimento;{header};Valor\n");
        let purchases = "02/03/2026;LOJA;Compra nacional;50,00\n03/03/2026;POSTO;Compra parcelada;20,00\n";
        assert_eq!(cents(&format!("{head}{purchases}")), [-5000, -2000], "{header}");
        let refund = "04/03/2026;BAR;Estorno;-5,00\n";
        assert_eq!(cents(&format!("{head}{purchases}{refund}")), [-5000, -2000, 500], "{header}");
    }
    let credit = "Data;Estabelecimento;Tipo de lançamento;Valor\n02/03/2026;LOJA;Compra;50,00\n\
                  03/03/2026;POSTO;Compra;20,00\n05/03/2026;LOJA;Crédito;30,00\n";
    assert_eq!(cents(credit), [-5000, -2000, 3000]);
    let told = "Data;Estabelecimento;D/C;Valor\n02/03/2026;LOJA;D;50,00\n05/03/2026;LOJA;C;30,00\n";
    assert_eq!(cents(told), [-5000, 3000]);
}

#[test]
fn any_header_of_the_means_of_a_payment_tells_no_sign_unless_its_cells_are_other_words() {
    let card = Options {
        on_card: true,
        is_payment: Some(TextTest::new(|text| text.starts_with("Pagamento"))),
        ..Options::default()
    };
    let cents = |options: &Options, file: &str| -> Vec<i64> {
        read(file.as_bytes(), options).unwrap().rows.iter().map(|row| row.cents).collect()
    };
    for header in [
        "Método de pagamento",
        "Metodo",
        "Função",
        "Tipo de pagamento",
        "Tipo Pagamento",
        "Pagamento",
        "metodoPagamento",
        "Via",
        "Instrumento",
        "Payment type",
        "Modo de pagamento",
    ] {
        let bill = format!(
            "Data;Descrição;Valor;{header}\n05/10/2026;MERCADO;100,00;Crédito\n06/10/2026;LOJA;50,00;Crédito\n\
             07/10/2026;Pagamento recebido;-900,00;\n"
        );
        assert_eq!(cents(&card, &bill), [-10_000, -5_000, 90_000], "{header}");
        let sales = format!(
            "Data;Descrição;Valor;{header}\n08/10/2026;VENDA A;57,76;Débito\n08/10/2026;VENDA B;89,15;Crédito\n\
             09/10/2026;VENDA C;10,00;Pix\n"
        );
        let of_debit_cards: String = sales.lines().take(2).map(|line| format!("{line}\n")).collect();
        assert_eq!(cents(&Options::default(), &sales), [5_776, 8_915, 1_000], "{header}");
        assert_eq!(cents(&Options::default(), &of_debit_cards), [5_776], "{header}");
        let moves =
            format!("Data;Descrição;Valor;{header}\n08/10/2026;ANA;57,00;Enviado\n08/10/2026;BIA;89,00;Recebido\n");
        assert_eq!(cents(&Options::default(), &moves), [-5_700, 8_900], "{header}");
    }
    let infinite = "Data;Horário;Tipo de pagamento;Bandeira;Valor;Taxa %;Valor líquido\n\
        08/10/2026;12:41;Débito;Visa;58,90;1,94%;57,76\n08/10/2026;13:05;Crédito;Mastercard;92,00;3,10%;89,15\n";
    assert_eq!(cents(&Options::default(), infinite), [5_776, 8_915]);
}

#[test]
fn on_a_card_a_column_of_credits_tells_nothing_beside_other_amounts_with_a_minus() {
    let card = Options { on_card: true, ..Options::default() };
    let cents = |options: &Options, file: &str| -> Vec<i64> {
        read(file.as_bytes(), options).unwrap().rows.iter().map(|row| row.cents).collect()
    };
    for header in ["Operação", "Tipo", "xyz"] {
        let purchases = format!(
            "Data;Descrição;Valor;{header}\n05/10/2026;MERCADO;100,00;Crédito\n06/10/2026;LOJA;50,00;Crédito\n"
        );
        let bill = format!("{purchases}07/10/2026;Pagamento recebido;-900,00;\n");
        assert_eq!(cents(&card, &bill), [-10_000, -5_000, 90_000], "{header}");
        // A balance has a sign of its own.
        let credits = format!("{purchases}07/10/2026;SALDO ANTERIOR;-900,00;\n");
        assert_eq!(cents(&card, &credits), [10_000, 5_000], "{header}");
        // The caller knows of words for functions of a card what they are. A column of both is one of directions.
        let told = Options { card_sign: Some(CardSign::PurchasesPositive), ..card.clone() };
        assert_eq!(cents(&told, &purchases), [-10_000, -5_000], "{header}");
        let both = format!("{purchases}07/10/2026;BAR;10,00;Débito\n");
        assert_eq!(cents(&told, &both), [10_000, 5_000, -1_000], "{header}");
        assert_eq!(cents(&told, &purchases.replace("Crédito", "C")), [10_000, 5_000], "{header}");
    }
    let certain = "Data;Descrição;Valor;D/C\n05/10/2026;MERCADO;100,00;Crédito\n";
    let told = Options { card_sign: Some(CardSign::PurchasesPositive), ..card };
    assert_eq!(cents(&told, certain), [10_000]);
}

#[test]
fn a_column_of_directions_tells_the_sign_though_every_description_begins_with_such_a_word() {
    for header in ["", "Tp", "Nat.", "Movimentação", "Tipo do lançamento", "Tipo de Operação", "xyz", "Tipo", "D/C"]
    {
        for text in ["Histórico", "Texto do banco"] {
            for (debit, credit) in [("D", "C"), ("Débito", "Crédito"), ("Saída", "Entrada")] {
                let head = format!("Data;{text};Valor;{header}\n");
                let loan = format!("05/02/2026;CREDITO IMOBILIARIO CAIXA;1.446,93;{debit}\n");
                let card = format!("06/02/2026;DEBITO VISA;20,00;{debit}\n");
                let refund = format!("07/02/2026;DEBITO DEVOLVIDO;30,00;{credit}\n");
                let cents = |file: &str| -> Vec<i64> {
                    read(file.as_bytes(), &Options::default()).unwrap().rows.iter().map(|row| row.cents).collect()
                };
                assert_eq!(cents(&format!("{head}{loan}")), [-144_693], "{header} {text} {debit}");
                let all = format!("{head}{loan}{card}{refund}");
                assert_eq!(cents(&all), [-144_693, -2_000, 3_000], "{header} {text} {debit}");
            }
        }
        // Beside balances too, whose side it may be otherwise.
        let beside = format!(
            "Data;Histórico;Valor;Saldo;{header}\n05/02/2026;CREDITO IMOBILIARIO;10,00;500,00;D\n\
             06/02/2026;DEBITO DEVOLVIDO;20,00;520,00;C\n"
        );
        assert_eq!(
            plain(&beside),
            ["2026-02-05 -1000 CREDITO IMOBILIARIO", "2026-02-06 2000 DEBITO DEVOLVIDO"],
            "{header}"
        );
    }
    let second = "Data;Histórico;Detalhe;Valor;Nat.\n05/02/2026;CAIXA;CREDITO IMOBILIARIO;10,00;D\n";
    assert_eq!(plain(second), ["2026-02-05 -1000 CAIXA CREDITO IMOBILIARIO"]);
}

#[test]
fn the_letter_beside_the_balance_is_its_side_where_income_and_expenses_have_columns() {
    for header in ["D/C", "Sinal", ""] {
        let head = format!("Data;Histórico;Crédito;Débito;Saldo;{header}\n");
        assert_eq!(balances(&format!("{head}05/02/2026;TARIFA;;30,00;130,00;D\n")), [-13_000], "{header}");
        let two = format!("{head}05/02/2026;TARIFA;;30,00;130,00;D\n06/02/2026;TARIFA;;30,00;160,00;D\n");
        assert_eq!(balances(&two), [-13_000, -16_000], "{header}");
        let back = format!("{two}07/02/2026;SALARIO;500,00;;340,00;C\n08/02/2026;LUZ;;40,00;300,00;C\n");
        assert_eq!(balances(&back), [-13_000, -16_000, 34_000, 30_000], "{header}");
        let of_day = format!("{head}01/02/2026;LUZ;;10,00;;\n02/02/2026;SALDO DO DIA;;;90,00;D\n");
        assert_eq!(balances(&of_day), [-9_000], "{header}");
        // Letters of the rows say nothing of balances that add up without them.
        let of_rows = format!("{head}05/02/2026;LUZ;;30,00;470,00;D\n06/02/2026;PIX;100,00;;570,00;C\n");
        assert_eq!(balances(&of_rows), [47_000, 57_000], "{header}");
        let down = format!("{head}06/02/2026;PIX;100,00;;570,00;C\n05/02/2026;LUZ;;30,00;470,00;D\n");
        assert_eq!(balances(&down), [47_000, 57_000], "{header}");
    }
    // Beside the headers of a known bank too.
    let bradesco = "Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\n05/02/2026;TARIFA;1;;30,00;130,00;D\n";
    assert_eq!(balances(bradesco), [-13_000]);
}
