//! Exports of banks, and variations, of which there are no samples.

use encoding_rs::WINDOWS_1252;
use finance_statements::Options;

use super::{check, check_rows, check_with};

fn cp1252(text: &str) -> Vec<u8> {
    WINDOWS_1252.encode(text).0.into_owned()
}

#[test]
fn xp_account() {
    check(
        "Data;Hora;Descricao;Valor;Saldo\n\
         02/01/2025;10:15:00;PIX RECEBIDO FULANO;R$ 1.500,00;R$ 2.000,00\n\
         03/01/2025;08:00:00;TED ENVIADA;-R$ 300,00;R$ 1.700,00\n\
         03/01/2025;;SALDO DO DIA;;R$ 1.700,00\n",
        &["2 2025-01-02 150000 PIX RECEBIDO FULANO", "3 2025-01-03 -30000 TED ENVIADA"],
        &["4: linha de saldo"],
    );
}

#[test]
fn caixa_in_its_second_shape() {
    check(
        cp1252(
            "Data Mov.;Nr. Doc.;Histórico;Valor;Deb/Cred;Saldo\r\n\
             02/01/2025;000000;SALDO ANTERIOR;0,00;C;100,00\r\n\
             02/01/2025;020902;PAG BOLETO;1.234,56;D;-1.134,56\r\n\
             03/01/2025;030903;CRED PIX;2.000,00;C;865,44\r\n\
             04/01/2025;040904;ESTORNO;-10,00;C;875,44\r\n",
        ),
        &["3 2025-01-02 -123456 PAG BOLETO", "4 2025-01-03 200000 CRED PIX", "5 2025-01-04 1000 ESTORNO"],
        &["2: linha de saldo"],
    );
}

#[test]
fn caixa_with_comma_decimals_and_no_quotes() {
    check_rows(
        "Conta;Data_Mov;Nr_Doc;Historico;Valor;Deb_Cred\n001;20250102;1;DEP;1.000,00;C\n001;20250103;2;SAQUE;50,5;D\n",
        &["2 2025-01-02 100000 DEP", "3 2025-01-03 -5050 SAQUE"],
    );
}

#[test]
fn itau_of_the_app_and_without_header() {
    check_rows(
        "\u{feff}data;lançamento;valor (R$)\r\n03/02/2025;PIX TRANSF JOAO03/02;-120,00\r\n04/02/2025;SALARIO;5.000,00\r\n",
        &["2 2025-02-03 -12000 PIX TRANSF JOAO03/02", "3 2025-02-04 500000 SALARIO"],
    );
    check_rows(
        "03/02/2015;RSHOP-POSTO;-120,00\n04/02/2015;TBI 1234;1.234\n",
        &["1 2015-02-03 -12000 RSHOP-POSTO", "2 2015-02-04 123400 TBI 1234"],
    );
}

#[test]
fn itau_rows_that_have_not_happened_are_left_out_in_every_shape() {
    check(
        "data;lançamento;valor (R$)\n03/02/2025;IOF;-1,00\nSaídas Futuras (30 dias);;\n04/11/2025;IOF;-11,96\nTotal;;-11,96\n",
        &["2 2025-02-03 -100 IOF"],
        &["3: lançamento futuro", "4: lançamento futuro", "5: lançamento futuro"],
    );
    check_rows(
        "data;lançamento;valor (R$)\n03/02/2025;LANÇAMENTOS FUTUROS;-1,00\n04/02/2025;PAO;-2,00\n",
        &["2 2025-02-03 -100 LANÇAMENTOS FUTUROS", "3 2025-02-04 -200 PAO"],
    );
}

#[test]
fn bradesco_continues_a_row_over_lines() {
    let text = "Extrato de: Ag: 2 | Conta: 1-0 | Entre 01/07/2025 e 31/07/2025\r\
         Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\r\
         30/06/25;SALDO ANTERIOR;;;;\"1,76\"\r\
         ;Nada antes;;\r\
         06/07/25; Pix;1;\"1.234\";;\"1.235,76\"\r\
         ;Rem: Fulano;;\r\
         de Tal 06/07;;\r\
         07/07/25;Tarifa;2;;\"9,90\";\"1.225,86\"\r\
         Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\r\
         08/07/25;Estorno;3;;;\"1.225,86\"\r\
         09/07/25;Nada;3;\"0,00\";;\"1.225,86\"\r\
         ;Total;;\"1.234,00\";\"-9,90\";\"1.225,86\"\r\
         Os dados acima têm como base 10/08/2025 e estão sujeitos a alterações.";
    let rows = ["5 2025-07-06 123400 Pix Rem: Fulano de Tal 06/07", "8 2025-07-07 -990 Tarifa"];
    let rejected = [
        "3: linha de saldo",
        "4: linha sem data",
        "9: cabeçalho repetido",
        "10: linha sem valor",
        "11: valor zero",
        "12: linha de total",
        "13: data inválida: Os dados acima têm como base 10/08/2025…",
    ];
    check(cp1252(text), &rows, &rejected);
    check(text, &rows, &rejected);
    check(text.replace('\r', "\r\n"), &rows, &rejected);
    let options = Options { skip_negative: true, ..Options::default() };
    let without = [&rejected[..2], &["8: valor negativo ignorado"], &rejected[2..]].concat();
    check_with(&options, text, &rows[..1], &without);
}

#[test]
fn bradesco_notes_and_titles_continue_no_row() {
    check(
        "Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\n\
         07/07/25;Tarifa;2;;\"9,90\";\"1.225,86\"\n\
         Últimos Lançamentos;;;;;\n\
         08/07/25;Tarifa;2;;\"9,90\";\"1.225,86\"\n\
         Nota sem separador\n\
         09/07/25;Tarifa;2;;\"9,90\";\"1.225,86\"\n\
         ;SALDO INVEST FACIL;;;;\n",
        &["2 2025-07-07 -990 Tarifa", "4 2025-07-08 -990 Tarifa", "6 2025-07-09 -990 Tarifa"],
        &["3: data inválida: Últimos Lançamentos", "5: data inválida: Nota sem separador", "7: linha de saldo"],
    );
}

#[test]
fn banco_do_brasil_before() {
    check(
        cp1252(
            "\"Data\",\"Dependencia Origem\",\"Histórico\",\"Data do Balancete\",\"Número do documento\",\"Valor\",\n\
             \"01/02/2017\",\"\",\"TED, transferência\",\"\",\"1\",\"1234.50\",\n\
             \"02/02/2017\",\"\",\"Saldobras Ltda\",\"\",\"1\",\"-1,234.50\",\n",
        ),
        &["2 2017-02-01 123450 TED, transferência", "3 2017-02-02 -123450 Saldobras Ltda"],
        &[],
    );
}

#[test]
fn banco_do_brasil_today() {
    check(
        "\"Data\",\"Lançamento\",\"Detalhes\",\"Nº documento\",\"Valor\",\"Tipo Lançamento\"\n\
         \"12/03/2025\",\"Tarifa\",\"\",\"1\",\"1.000,00\",\"Saída\"\n\
         \"00/00/0000\",\"Juros\",\"\",\"\",\"1,00\",\"\"\n",
        &["2 2025-03-12 -100000 Tarifa"],
        &["3: data inválida: 00/00/0000"],
    );
}

#[test]
fn inter_with_quotes_inside_and_separators_quoted() {
    check(
        "Extrato Conta Corrente \nConta ;1\nPeríodo ;02/06/2025 a 02/07/2025\nSaldo: ;665,25\n\n\
         Data Lançamento;Descrição;Valor;Saldo\n\
         02/06/2025;Pix: \"Cp :1;0;0\n\
         03/06/2025;\"Compra; no débito\";-1.000,00;0\n\
         04/06/2025;\"Sem fim;-2,00;0\n\
         05/06/2025;Depois;3,00;0\n",
        &["8 2025-06-03 -100000 Compra; no débito", "9 2025-06-04 -200 \"Sem fim", "10 2025-06-05 300 Depois"],
        &["7: valor zero"],
    );
}

#[test]
fn inter_card_instalments() {
    check_rows(
        "\u{feff}\"Data\",\"Lançamento\",\"Categoria\",\"Tipo\",\"Valor\"\r\n\
         \"12/06/2025\",\"LOJA 2/12\",\"OUTROS\",\"Parcela 2/12\",\"R$ 1.166,50\"\r\n\
         \"13/06/2025\",\"BAR\",\"OUTROS\",\"Parcela 1/1\",\"R$\u{a0}10,00\"\r\n",
        &["2 2025-06-12 -116650 LOJA 2/12", "3 2025-06-13 -1000 BAR"],
    );
}

#[test]
fn nubank_card_sign_is_turned_and_options_look_at_the_written_one() {
    let file = "date,title,amount\n2025-08-03,Mercado,78.40\n2025-08-06,Estorno,-19.90\n";
    check_rows(file, &["2 2025-08-03 -7840 Mercado", "3 2025-08-06 1990 Estorno"]);
    let options = Options { skip_negative: true, all_expenses: true, ..Options::default() };
    check_with(&options, file, &["2 2025-08-03 -7840 Mercado"], &["3: valor negativo ignorado"]);
    let options = Options { all_expenses: true, ..Options::default() };
    check_with(&options, file, &["2 2025-08-03 -7840 Mercado", "3 2025-08-06 -1990 Estorno"], &[]);
}

#[test]
fn nubank_account_saved_again_by_a_spreadsheet() {
    check_rows(
        "Data;Valor;Identificador;Descrição\r\n01/08/2025;-50,00;0000;Transferência\r\n02/08/2025;1200;abc;Salário\r\n",
        &["2 2025-08-01 -5000 Transferência", "3 2025-08-02 120000 [abc] Salário"],
    );
}

#[test]
fn c6_account_with_titles_of_their_own() {
    check(
        "Data Lançamento,Data Contábil,Título,Descrição,Entrada(R$),Saída(R$),Saldo do Dia(R$)\n\
         23/08/2025,25/08/2025,Pix,Pix enviado para Ana,0.00,1000,100.00\n\
         23/08/2025,25/08/2025,,CDB,0.00,0.00,100.00\n\
         24/08/2025,25/08/2025,,CDB C6,\"1,500.25\",0.00,100.00\n",
        &["2 2025-08-23 -100000 Pix enviado para Ana", "4 2025-08-24 150025 CDB C6"],
        &["3: valor zero"],
    );
}

#[test]
fn c6_card_keeps_the_instalment_of_a_long_description() {
    let file = format!(
        "Data de Compra;Nome no Cartão;Final do Cartão;Categoria;Descrição;Parcela;Valor (em US$);Cotação (em R$);\
         Valor (em R$)\n13/07/2025;F;1;Casa;{};12/12;0;0;284.01\n",
        "x".repeat(300)
    );
    check_rows(&file, &[&format!("2 2025-07-13 -28401 {} 12/12", "x".repeat(249))]);
}

#[test]
fn mercado_pago_never_mistakes_its_summary_for_rows() {
    check(
        "INITIAL_BALANCE;CREDITS;DEBITS;FINAL_BALANCE\n0,00;1,00;-1,00;0,00\n\n\
         RELEASE_DATE;TRANSACTION_TYPE;REFERENCE_ID;TRANSACTION_NET_AMOUNT;PARTIAL_BALANCE\n\
         31-12-2025;Pagamento;9;-1.000,5;0,00\n;;;;\n",
        &["5 2025-12-31 -100050 [9] Pagamento"],
        &[],
    );
}

#[test]
fn pagbank_parted_by_commas() {
    check_rows(
        "CODIGO DA TRANSACAO,DATA,TIPO,DESCRICAO,VALOR\nA-1,01/10/2025 10:32,Pix enviado,Fulano,\"-1.000,00\"\n",
        &["2 2025-10-01 -100000 [A-1] Pix enviado Fulano"],
    );
}

#[test]
fn xp_card_instalments() {
    check_rows(
        "Data;Estabelecimento;Portador;Valor;Parcela\n\
         19/05/2025;LOJA;FULANO;R$ 1.590,00;10 de 10\n20/05/2025;LOJA;FULANO;R$ 90,00;1 de 1\n",
        &["2 2025-05-19 -159000 LOJA 10 de 10", "3 2025-05-20 -9000 LOJA"],
    );
}

#[test]
fn a_letter_of_the_amount_tells_more_than_the_column_of_the_phone_of_banco_do_brasil() {
    check_rows(
        "Data;Lançamento;Detalhes;N° documento;Valor;Tipo Lançamento\n\
         02/02/2026;Pix - Recebido;FULANO;1;1.067,79 C;Entrada\n\
         02/02/2026;Pix - Enviado;BELTRANO;2;1.000,00 D;Entrada\n",
        &["2 2026-02-02 106779 Pix - Recebido FULANO", "3 2026-02-02 -100000 Pix - Enviado BELTRANO"],
    );
}

#[test]
fn details_of_banco_do_brasil_are_part_of_the_text_whatever_other_rows_say() {
    let rows = [
        "02/02/2026;Pix - Enviado;45,90;D;02/02 11:00 FULANO\n",
        "03/02/2026;Tarifa Mensal;16,10;D;Cobrança exemplo\n",
        "04/02/2026;Pix - Enviado;20,00;D;04/02 12:00 BELTRANO\n",
        "05/02/2026;Pix - Recebido;30,00;C;05/02 09:00 CICLANO\n",
    ];
    let expected = [
        "2 2026-02-02 -4590 Pix - Enviado 02/02 11:00 FULANO",
        "3 2026-02-03 -1610 Tarifa Mensal Cobrança exemplo",
        "4 2026-02-04 -2000 Pix - Enviado 04/02 12:00 BELTRANO",
        "5 2026-02-05 3000 Pix - Recebido 05/02 09:00 CICLANO",
    ];
    for count in 1..=rows.len() {
        let file = format!("Data;Historico;Valor R$;Inf.;Detalhamento Hist.\n{}", rows[..count].concat());
        check_rows(&file, &expected[..count]);
    }
}

#[test]
fn purchases_abroad_of_itau_have_the_date_of_their_conversion() {
    check_with(
        &Options { on_card: true, ..Options::default() },
        "data;lançamento;;valor\n\
         10/02/2026;MERCADO;;120,50\n\
         14/02/2026;dólar de conversão;;5,62\n\
         ;OPENAI;20,00;112,45\n\
         IOF - transação internacional;;;3,94\n\
         15/02/2026;PADARIA;;10,00\n\
         ;SEM DATA;;1,00\n",
        &[
            "2 2026-02-10 -12050 MERCADO",
            "4 2026-02-14 -11245 OPENAI",
            "5 2026-02-14 -394 IOF - transação internacional",
            "6 2026-02-15 -1000 PADARIA",
        ],
        &["3: linha sem valor", "7: linha sem data"],
    );
}

#[test]
fn a_total_below_purchases_abroad_is_no_tax() {
    check_with(
        &Options { on_card: true, ..Options::default() },
        "data;lançamento;;valor\n\
         14/02/2026;dólar de conversão;;5,62\n\
         ;OPENAI;20,00;112,45\n\
         IOF - transação internacional;;;3,94\n\
         total lançamentos no exterior;;;116,39\n\
         encargos;;;1,00\n",
        &["3 2026-02-14 -11245 OPENAI", "4 2026-02-14 -394 IOF - transação internacional"],
        &["2: linha sem valor", "5: data inválida: total lançamentos no exterior", "6: data inválida: encargos"],
    );
}

#[test]
fn sicredi_names_the_holder_of_a_card_in_no_text() {
    check_with(
        &Options { on_card: true, ..Options::default() },
        "Data;Descrição;Parcela;Valor;Valor em Dólar;Adicional;Nome;\n\
         07/02/2026;LOJA X;(02/10);\"R$ 120,00\";;0219;BIA TAL;\n",
        &["2 2026-02-07 -12000 LOJA X (02/10)"],
        &[],
    );
}

#[test]
fn revolut_in_portuguese_is_dated_by_the_end_and_has_fees() {
    check_rows(
        "Tipo,Produto,Data de início,Data de conclusão,Descrição,Montante,Taxa,Moeda,Estado,Saldo\n\
         Pagamento,Atual,2026-01-31 22:00:00,2026-02-02 11:00:00,Padaria,-20.50,1.00,BRL,CONCLUÍDO,100.00\n",
        &["2 2026-02-02 -2050 Padaria", "2 2026-02-02 -100 Tarifa: Padaria"],
    );
}

#[test]
fn wise_shows_the_other_party_of_a_transfer() {
    let head = "ID,Status,Direction,\"Created on\",\"Finished on\",\"Source fee amount\",\"Source fee currency\",\
        \"Source name\",\"Source amount (after fees)\",\"Source currency\",\"Target name\",\"Target amount (after fees)\",\
        \"Target currency\",\"Exchange rate\"\n";
    let bob = "T-1,COMPLETED,IN,2026-02-01 10:00:00,2026-02-01 10:00:00,0,BRL,Bob,100.00,BRL,Ana,100.00,BRL,1\n";
    let shop = "T-2,COMPLETED,OUT,2026-02-02 10:00:00,2026-02-02 10:00:00,0,BRL,Ana,30.00,BRL,Padaria,30.00,BRL,1\n";
    check_rows(&format!("{head}{bob}{shop}"), &["2 2026-02-01 10000 Bob", "3 2026-02-02 -3000 Padaria"]);
    check_rows(
        &format!("{head}{bob}{shop}{bob}"),
        &["2 2026-02-01 10000 Bob", "3 2026-02-02 -3000 Padaria", "4 2026-02-01 10000 Bob"],
    );
}
