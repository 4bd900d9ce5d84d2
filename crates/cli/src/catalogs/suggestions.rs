//! The names of payees and the goods of shops: `config/payees.toml` and `config/merchants.toml`.

use anyhow::{Context, Result, bail};
use finance_domain::suggestions::{Lexicon, MerchantGroup, Merchants, PayeeLists, Payees};
use finance_domain::transactions::Kind;
use serde::Deserialize;

use crate::catalogs::categories::{icons, standard_categories};
use crate::catalogs::entries::grammar;

const PAYEES: &str = "config/payees.toml";
const SHIPPED_PAYEES: &str = include_str!("../../../../config/payees.toml");
const MERCHANTS: &str = "config/merchants.toml";
const SHIPPED_MERCHANTS: &str = include_str!("../../../../config/merchants.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PayeesFile {
    phrases: Vec<String>,
    acquirers: Vec<String>,
    shops: Vec<String>,
    company_words: Vec<String>,
    stop_words: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MerchantsFile {
    group: Vec<GroupEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupEntry {
    category: String,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    /// For readers of the file: the reason for the words.
    basis: String,
    words: Vec<String>,
}

/// The known payees, what is bought at shops, and the icons of categories.
///
/// # Errors
///
/// If one of the files is invalid. The message names the file, the list and the text.
pub fn lexicon() -> Result<Lexicon> {
    Ok(Lexicon {
        payees: payees(SHIPPED_PAYEES)?,
        merchants: merchants(SHIPPED_MERCHANTS)?,
        icons: icons()?,
        grammar: grammar()?,
    })
}

fn payees(text: &str) -> Result<Payees> {
    let PayeesFile { phrases, acquirers, shops, company_words, stop_words } = toml::from_str(text).context(PAYEES)?;
    Payees::new(PayeeLists { phrases, acquirers, shops, company_words, stop_words }).context(PAYEES)
}

fn merchants(text: &str) -> Result<Merchants> {
    let file: MerchantsFile = toml::from_str(text).context(MERCHANTS)?;
    let standard = standard_categories()?;
    let mut groups = Vec::with_capacity(file.group.len());
    for GroupEntry { category, kind, basis, words } in file.group {
        if !standard.iter().any(|known| known.name == category) {
            bail!("{MERCHANTS}: {category:?} is no standard category");
        }
        if basis.trim().is_empty() {
            bail!("{MERCHANTS}: a group of {category:?} has no basis");
        }
        let kind = kind.map_or(Ok(Kind::Expense), |kind| kind.parse());
        let kind = kind.with_context(|| format!("{MERCHANTS}: type of a group of {category:?}"))?;
        groups.push(MerchantGroup { category, kind, words });
    }
    Merchants::new(groups).context(MERCHANTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts as banks and acquirers write them, and the payees that they name.
    const KEYS: [(&str, &str); 46] = [
        // Acquirers, and shops that look like them.
        ("PAG*CasaMaria", "casamaria"),
        ("Pag*Jose da Silva", "jose da silva"),
        ("Pg *Intershop Intersho 7/10", "intershop intersho"),
        ("MP *LANCHONETE", "lanchonete"),
        ("Mercpago*Barbearia Central", "barbearia central"),
        ("MERCADOPAGO *TOTAL", "total"),
        ("ZOOP*FEIRA LIVRE", "feira livre"),
        ("Dm *Spotify", "spotify"),
        ("EC *BAR DO ZE", "bar do ze"),
        ("SumUp  *Ana Doces", "ana doces"),
        ("PAYPAL *STEAM GAMES", "steam games"),
        ("PagSeguro*Oficina do Tiao", "oficina do tiao"),
        ("UBER *TRIP", "uber trip"),
        ("Uber * Eats Pending", "uber eats pending"),
        ("IFD*Cantina Roma", "ifd cantina roma"),
        ("IFD*52.123 CANTINA ROMA LTDA", "ifd cantina roma"),
        ("AMAZON *Marketplace", "amazon marketplace"),
        ("Amazon.Com.Br", "amazon"),
        ("Mercadolivre*Vendedor - Parcela 2/10", "mercadolivre vendedor"),
        ("Google *Youtubepremium", "google youtubepremium"),
        ("Apple.Com/Bill", "apple bill"),
        // Payment methods.
        ("COMPRA NO DEBITO - PADARIA CENTRAL", "padaria central"),
        ("Compra no débito - Padaria Central", "padaria central"),
        ("COMPRA CARTAO 05/03 12:30 POSTO SOL", "posto sol"),
        ("COMPRA CARTAO - PAG*Quitanda Boa", "quitanda boa"),
        ("PIX ENVIADO - Maria de Souza", "maria de souza"),
        ("Pix recebido: JOAO PEREIRA", "joao pereira"),
        ("PIX TRANSF MARIA D05/03", "maria d05"),
        ("Transferência enviada pelo Pix - Ana Souza - •••.123.456-••", "ana souza"),
        ("TRANSFERENCIA RECEBIDA PELO PIX - Loja do Bairro", "do bairro"),
        ("Transferência Recebida - Carlos Lima", "carlos lima"),
        ("Pagamento de boleto efetuado - CIA DE AGUA", "cia de agua"),
        ("RSHOP-TREVO -10/09", "trevo"),
        ("DEBITO AUTOMATICO ENEL", "enel"),
        ("PIXEL STORE", "pixel store"),
        // Instalments.
        ("Saraiva Com 1/11", "saraiva"),
        ("NETSHOES PARC 03/12 SOROCABA    BR", "netshoes sorocaba"),
        ("Ótica   Visão  (2/3)", "otica visao"),
        ("Curso parcela 4 de 12", "curso"),
        // Company suffixes, and numbers.
        ("SUPERMERCADO BOM PRECO LTDA ME", "supermercado bom preco"),
        ("Lojas Alfa S/A Lj 0123", "lojas alfa s a"),
        ("POSTO 7 ESTRELAS EIRELI", "posto estrelas"),
        ("99APP *99APP", "99app 99app"),
        ("Drogaria São João EPP 1189", "drogaria sao joao"),
        // No payee.
        ("PIX ENVIADO", ""),
        ("Loja 12", ""),
    ];

    #[test]
    fn the_shipped_lists_find_who_was_paid() {
        let lexicon = lexicon().unwrap();
        for (text, key) in KEYS {
            assert_eq!(lexicon.payees.key(text), key, "{text}");
        }
    }

    #[test]
    fn the_dictionary_knows_trades_and_chains() {
        let lexicon = lexicon().unwrap();
        for (word, expected) in [
            ("supermercado", Some("Mercado")),
            ("carrefour", Some("Mercado")),
            ("restaurante", Some("Restaurantes")),
            ("posto", Some("Transporte")),
            ("drogasil", Some("Saúde")),
            ("colegio", Some("Educação")),
            ("cinemark", Some("Lazer")),
            ("iptu", Some("Impostos")),
            ("padaria", None),
            ("ana", None),
        ] {
            assert_eq!(lexicon.merchants.category(word, Kind::Expense), expected, "{word}");
        }
        assert_eq!(lexicon.merchants.category("salario", Kind::Income), Some("Salário"));
        assert_eq!(lexicon.merchants.category("posto", Kind::Income), None);
    }

    #[test]
    fn what_is_wrong_is_named_by_file_and_text() {
        for (from, to, part) in [
            ("stop_words", "stopwords", "stopwords"),
            ("\"pag\",", "\"uber\",", "uber"),
            ("\"ltda\"", "\"Ltda\"", "Ltda"),
        ] {
            let error = format!("{:#}", payees(&SHIPPED_PAYEES.replacen(from, to, 1)).unwrap_err());
            assert!(error.contains(PAYEES) && error.contains(part), "{error}");
        }
        for (from, to, part) in [
            ("category = \"Mercado\"", "category = \"Feira\"", "Feira"),
            ("\"sacolao\"", "\"sacolão\"", "sacolão"),
            ("type = \"income\"", "type = \"wages\"", "Salário"),
            ("basis = \"Taxes", "basis = \"\" # \"", "Impostos"),
            ("\"cinema\"", "\"posto\"", "posto"),
        ] {
            let error = format!("{:#}", merchants(&SHIPPED_MERCHANTS.replacen(from, to, 1)).unwrap_err());
            assert!(error.contains(MERCHANTS) && error.contains(part), "{error}");
        }
    }
}
