//! The names of payees and the goods of shops: `config/payees.toml` and `config/merchants.toml`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use finance_domain::suggestions::{DisplayLists, Lexicon, MerchantGroup, Merchants, MethodWords, PayeeLists, Payees};
use finance_domain::transactions::Kind;
use serde::Deserialize;

use crate::catalogs::categories::{colors, icons, standard_categories};
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
    display: DisplaySection,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DisplaySection {
    particles: Vec<String>,
    endings: Vec<String>,
    spellings: Vec<String>,
    names: BTreeMap<String, String>,
    method: Vec<MethodEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MethodEntry {
    method: String,
    in_phrase: Vec<String>,
    first: Vec<String>,
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

/// The known payees, what is bought at shops, and the icons and colors of categories.
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
        colors: colors()?,
    })
}

fn payees(text: &str) -> Result<Payees> {
    let PayeesFile { phrases, acquirers, shops, company_words, stop_words, display } =
        toml::from_str(text).context(PAYEES)?;
    let DisplaySection { particles, endings, spellings, names, method } = display;
    let mut methods = Vec::with_capacity(method.len());
    for MethodEntry { method, in_phrase, first } in method {
        let method = method.parse().with_context(|| format!("{PAYEES}: method {method:?}"))?;
        methods.push(MethodWords { method, in_phrase, first });
    }
    let names = names.into_iter().collect();
    let display = DisplayLists { spellings, particles, endings, names, methods };
    Payees::new(PayeeLists { phrases, acquirers, shops, company_words, stop_words, display }).context(PAYEES)
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

    /// Texts as banks write them, and what is shown of them.
    const SHOWN: [(&str, &str, Option<&str>); 30] = [
        ("PIX ENVIADO - MARIA APARECIDA DOS SANTOS", "Maria Aparecida dos Santos", Some("pix")),
        (
            "Transferência enviada pelo Pix - MARIA APARECIDA DOS SANTOS - •••.123.456-•• - NU PAGAMENTOS - IP (0260) Agência: 1 Conta: 1-2",
            "Maria Aparecida dos Santos",
            Some("pix"),
        ),
        ("Transferência Recebida - ANA SOUZA - ***.123.456-**", "Ana Souza", Some("transfer")),
        ("Pix enviado: Cp :18236120-JOAO DA SILVA", "João da Silva", Some("pix")),
        ("PIX TRANSF MARIA05/03", "Maria", Some("pix")),
        ("PIX QRS PADARIA NOV10/05", "Padaria Nov", Some("pix")),
        (
            "COMPRA NO DEBITO - PADARIA E CONFEITARIA NOVA ESPERANCA LTDA",
            "Padaria e Confeitaria Nova Esperança",
            Some("debit"),
        ),
        ("PADARIA E CONFEITARIA NOVA ESPERANCA LTDA ME", "Padaria e Confeitaria Nova Esperança", None),
        ("COMPRA CARTAO 05/03 12:30 POSTO SAO JORGE", "Posto São Jorge", None),
        ("PAGAMENTO DE BOLETO EFETUADO - CONDOMINIO EDIFICIO SOL", "Condomínio Edificio Sol", Some("boleto")),
        ("PAGTO CONTA LUZ ENEL", "Luz ENEL", Some("boleto")),
        ("DEB AUT CEMIG DISTRIBUICAO SA", "CEMIG Distribuição", Some("debit")),
        ("DEBITO AUTOMATICO - VIVO MOVEL", "Vivo Movel", Some("debit")),
        ("RSHOP-FARMACIA PAGUE-05/03", "Farmácia Pague", Some("debit")),
        ("TED 237 MARIA OLIVEIRA", "Ted 237 Maria Oliveira", Some("transfer")),
        ("SAQUE 24H 00123", "Saque 24h", Some("cash")),
        ("PAG*JoseDaSilva", "JoseDaSilva", None),
        ("MERCADOPAGO *TOTAL", "Total", None),
        ("UBER *TRIP HELP.UBER.COM", "Uber", None),
        ("UBER *TRIP", "Uber", None),
        ("IFD*CANTINA ROMA LTDA", "Ifd Cantina Roma", None),
        ("Loja Centro - Parcela 3/10", "Loja Centro", None),
        ("MAGAZINE LUIZA PARC 01/12", "Magazine Luiza", None),
        ("Amazon.Com.Br", "Amazon", None),
        ("DROGA RAIA 0034 SAO PAULO BR", "Droga Raia 0034 São Paulo", None),
        ("CPFL PAULISTA", "CPFL Paulista", None),
        ("Padaria da Ana", "Padaria da Ana", None),
        ("mercado", "mercado", None),
        ("AÇAÍ DO ZÉ", "Açaí do Zé", None),
        ("PIX", "Pix", Some("pix")),
    ];

    #[test]
    fn names_are_shown_as_a_person_writes_them() {
        let lexicon = lexicon().unwrap();
        for (text, name, method) in SHOWN {
            let shown = lexicon.payees.display(text, None);
            assert_eq!((shown.name.as_str(), shown.method.map(|method| method.as_str())), (name, method), "{text}");
        }
    }

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
            ("academia", Some("Lazer")),
            ("ana", None),
        ] {
            assert_eq!(lexicon.merchants.category(word, Kind::Expense), expected, "{word}");
        }
        assert_eq!(lexicon.merchants.category("salario", Kind::Income), Some("Salário"));
        assert_eq!(lexicon.merchants.category("posto", Kind::Income), None);
    }

    /// The texts of fifty common payees of all Brazil, bills of a house and weekly errands, as statements have them, and the
    /// category that a household gives each.
    const COMMON: [(&str, &str); 50] = [
        ("ENEL DISTRIBUICAO SAO PAULO", "Moradia"),
        ("CEMIG DISTRIBUICAO SA", "Moradia"),
        ("LIGHT SERVICOS DE ELETRICIDADE", "Moradia"),
        ("COPEL DISTRIBUICAO", "Moradia"),
        ("EQUATORIAL PARA", "Moradia"),
        ("EDP SAO PAULO", "Moradia"),
        ("NEOENERGIA COELBA", "Moradia"),
        ("CONTA DE LUZ", "Moradia"),
        ("CIA DE ENERGIA DO AMAZONAS", "Moradia"),
        ("SABESP", "Moradia"),
        ("COPASA MG", "Moradia"),
        ("AGUAS DO RIO", "Moradia"),
        ("CONTA DE AGUA", "Moradia"),
        ("BRK AMBIENTAL", "Moradia"),
        ("DEPTO MUNICIPAL DE AGUA E ESGOTO", "Moradia"),
        ("COMGAS", "Moradia"),
        ("ULTRAGAZ", "Moradia"),
        ("LIQUIGAS DISTRIBUIDORA", "Moradia"),
        ("SUPERGASBRAS ENERGIA", "Moradia"),
        ("GAS E AGUA DO ZE", "Moradia"),
        ("CONDOMINIO ED SOLAR", "Moradia"),
        ("VIVO FIBRA", "Assinaturas"),
        ("CLARO NET RESIDENCIAL", "Assinaturas"),
        ("TIM S A", "Assinaturas"),
        ("OI FIBRA", "Assinaturas"),
        ("BRISANET SERVICOS", "Assinaturas"),
        ("ALGAR TELECOM", "Assinaturas"),
        ("INTERNET RESIDENCIAL", "Assinaturas"),
        ("NETFLIX.COM", "Assinaturas"),
        ("PADARIA PAO QUENTE", "Mercado"),
        ("PANIFICADORA REAL", "Mercado"),
        ("CONFEITARIA ESPERANCA", "Mercado"),
        ("CARREFOUR HIPER", "Mercado"),
        ("ASSAI ATACADISTA", "Mercado"),
        ("HORTIFRUTI DA VILA", "Mercado"),
        ("PETZ SA", "Compras"),
        ("COBASI CENTRO", "Compras"),
        ("PET SHOP AMIGO FIEL", "Compras"),
        ("PETLOVE", "Compras"),
        ("ESCOLA ARCO IRIS", "Educação"),
        ("COLEGIO SANTA CRUZ", "Educação"),
        ("KUMON VILA NOVA", "Educação"),
        ("SMARTFIT ESCOLA DE GINASTICA", "Lazer"),
        ("ACADEMIA CORPO E ALMA", "Lazer"),
        ("BLUEFIT ACADEMIAS", "Lazer"),
        ("DROGASIL 1234", "Saúde"),
        ("FARMACIA PAGUE MENOS", "Saúde"),
        ("POSTO IPIRANGA", "Transporte"),
        ("UBER TRIP", "Transporte"),
        ("IFOOD", "Restaurantes"),
    ];
    /// Common payees that the dictionary may leave without a category: bakeries, which households file in different ways, and two
    /// more.
    const COMMON_MISSES_MAX: usize = 5;
    /// As many had none, or a wrong one, before it had the bills of a house.
    const COMMON_MISSES_BEFORE: usize = 29;

    /// The category that more than half of the known words of a text stand for.
    fn category_of<'m>(merchants: &'m Merchants, key: &str) -> Option<&'m str> {
        let found: Vec<&str> = key.split(' ').filter_map(|word| merchants.category(word, Kind::Expense)).collect();
        found.iter().copied().find(|one| found.iter().filter(|other| *other == one).count() * 2 > found.len())
    }

    #[test]
    fn the_dictionary_knows_fifty_common_payees() {
        let lexicon = lexicon().unwrap();
        let (earlier, _) = SHIPPED_MERCHANTS.split_once("# The bills and the weekly errands of a house.").unwrap();
        let earlier = merchants(earlier).unwrap();
        let known = |merchants| {
            let found =
                COMMON.map(|(text, expected)| (category_of(merchants, &lexicon.payees.key(text)), expected, text));
            assert!(found.iter().all(|(found, expected, _)| found.is_none_or(|found| found == *expected)), "{found:?}");
            found.iter().filter(|(found, ..)| found.is_some()).count()
        };
        let misses = COMMON.len() - known(&lexicon.merchants);
        assert!(misses <= COMMON_MISSES_MAX, "{misses} of {} have no category", COMMON.len());
        // SmartFit's company is a school of gymnastics, and was filed as a school.
        let was_known =
            |(text, expected): &&(&str, &str)| category_of(&earlier, &lexicon.payees.key(text)) == Some(*expected);
        let before = COMMON.len() - COMMON.iter().filter(was_known).count();
        assert_eq!(before, COMMON_MISSES_BEFORE);
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
