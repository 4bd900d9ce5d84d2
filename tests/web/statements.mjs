// The files of banks that the tests choose.

/** @param {string} name @param {string | Buffer} content */
export const file = (name, content) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });

/**
 * An OFX file of an account. An amount below zero is an expense.
 * @param {[string, string, string, string?][]} rows Date, amount, text, id.
 */
export const ofx = rows => `OFXHEADER:100
DATA:OFXSGML
VERSION:102
ENCODING:UTF-8

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL<BANKTRANLIST>
${rows.map(([date, amount, text, id], index) => `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${date.replaceAll('-', '')}120000<TRNAMT>${amount}<FITID>${id ?? `${date}-${index}`}<MEMO>${text}</STMTTRN>`).join('\n')}
</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
`;

/**
 * An OFX file with the statements of several accounts of one bank.
 * @param {Record<string, [string, string, string][]>} statements The rows by the number of the account.
 */
export const ofxOfAccounts = statements => `OFXHEADER:100
DATA:OFXSGML
VERSION:102
ENCODING:UTF-8

<OFX><BANKMSGSRSV1>${Object.entries(statements)
  .map(
    ([number, rows]) =>
      `<STMTTRNRS><STMTRS><CURDEF>BRL<BANKACCTFROM><BANKID>341<ACCTID>${number}<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>
${rows.map(([date, amount, text], index) => `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${date.replaceAll('-', '')}120000<TRNAMT>${amount}<FITID>${number}-${date}-${index}<MEMO>${text}</STMTTRN>`).join('\n')}
</BANKTRANLIST></STMTRS></STMTTRNRS>`,
  )
  .join('\n')}</BANKMSGSRSV1></OFX>
`;

/** A card's CSV file. Purchases are positive. @param {[string, string, string][]} rows Date, text, amount. */
export const cardCsv = rows => `date,title,amount\n${rows.map(row => row.join(',')).join('\n')}\n`;

export const march = ofx([
  ['2026-03-01', '4000.00', 'SALARIO'],
  ['2026-03-02', '-32.70', 'UBER TRIP'],
  ['2026-03-04', '-18.20', 'UBER TRIP'],
  ['2026-03-05', '-412.35', 'SUPERMERCADO BOM PRECO'],
  ['2026-03-06', '-25.90', 'UBER TRIP'],
  ['2026-03-07', '-64.90', 'FARMACIA CENTRAL'],
]);

/** Rows with names that neither the history of a household nor the dictionary knows. */
export const unfiled = ofx([
  ['2026-03-01', '4000.00', 'CREDITO XYZ'],
  ['2026-03-02', '-32.70', 'LOJA NORTE'],
  ['2026-03-04', '-18.20', 'LOJA NORTE'],
  ['2026-03-05', '-412.35', 'OFICINA SUL'],
  ['2026-03-06', '-25.90', 'LOJA NORTE'],
  ['2026-03-07', '-64.90', 'CASA AZUL'],
]);

/**
 * February of a household, as its banks export it. There are two kinds of spending on food: 312.45 + 248.90 + 178.20 +
 * 120.00 =
 * 859.55 at the market, and 86.30 + 92.40 + 64.75 = 243.45 in restaurants.
 */
export const february = {
  account: ofx([
    ['2026-02-05', '4200.00', 'SALARIO EMPRESA'],
    ['2026-02-06', '-1500.00', 'ALUGUEL APTO'],
    ['2026-02-09', '-312.45', 'ARMAZEM BOM PRECO'],
    ['2026-02-14', '-86.30', 'RESTAURANTE SABOR'],
    ['2026-02-21', '-248.90', 'ARMAZEM BOM PRECO'],
    ['2026-03-02', '-58.00', 'POSTO SHELL'],
  ]),
  other: `Data,Valor,Identificador,Descrição
10/02/2026,-120.00,66f1,Compra no débito - Feira da Praça
18/02/2026,300.00,66f2,Transferência recebida pelo Pix - JOAO SILVA
27/02/2026,-64.75,66f3,Compra no débito - Restaurante Vila
`,
  card: cardCsv([
    ['2026-02-07', 'Mercado Extra', '178.20'],
    ['2026-02-12', 'Ifood Pizzaria', '92.40'],
    ['2026-02-16', 'Livraria Cultura', '75.00'],
    ['2026-02-20', 'Uber', '33.10'],
  ]),
};
