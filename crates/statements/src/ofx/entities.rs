//! Character entities such as `&amp;`.

use std::borrow::Cow;

use memchr::memchr;

/// The most bytes between `&` and `;` of an entity.
const NAME_BYTES_MAX: usize = 10;

/// Decodes entities once: `&amp;lt;` becomes `&lt;`. Any other `&` is kept.
pub(super) fn decode(text: &str) -> Cow<'_, str> {
    let Some(first) = memchr(b'&', text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut decoded = String::with_capacity(text.len());
    let (before, mut rest) = text.split_at(first);
    decoded.push_str(before);
    while let Some(after) = rest.strip_prefix('&') {
        rest = match entity(after) {
            Some((character, after)) => {
                decoded.push(character);
                after
            }
            None => {
                decoded.push('&');
                after
            }
        };
        let (plain, next) = rest.split_at(memchr(b'&', rest.as_bytes()).unwrap_or(rest.len()));
        decoded.push_str(plain);
        rest = next;
    }
    Cow::Owned(decoded)
}

/// The character of the entity at the start of the text, and the text after its `;`.
fn entity(text: &str) -> Option<(char, &str)> {
    let end = text.bytes().take(NAME_BYTES_MAX + 1).position(|byte| byte == b';')?;
    let (name, rest) = (&text[..end], &text[end + 1..]);
    let character = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(hexadecimal) => numbered(hexadecimal, 16),
            None => numbered(number, 10),
        },
        None => named(name),
    }?;
    Some((character, rest))
}

fn numbered(digits: &str, radix: u32) -> Option<char> {
    if !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)
}

/// The five entities of XML, `&nbsp;`, and HTML's for the letters of Portuguese.
fn named(name: &str) -> Option<char> {
    Some(match name {
        "amp" | "AMP" => '&',
        "lt" | "LT" => '<',
        "gt" | "GT" => '>',
        "quot" | "QUOT" => '"',
        "apos" | "APOS" => '\'',
        "nbsp" | "NBSP" => '\u{A0}',
        "ordf" => 'ª',
        "ordm" => 'º',
        "deg" => '°',
        _ => return accented(name),
    })
}

fn accented(name: &str) -> Option<char> {
    let capital = name.starts_with(|first: char| first.is_ascii_uppercase());
    let letter = match (name.get(..1)?.to_ascii_lowercase().as_str(), name.get(1..)?) {
        ("a", "acute") => 'á',
        ("a", "grave") => 'à',
        ("a", "circ") => 'â',
        ("a", "tilde") => 'ã',
        ("c", "cedil") => 'ç',
        ("e", "acute") => 'é',
        ("e", "circ") => 'ê',
        ("i", "acute") => 'í',
        ("o", "acute") => 'ó',
        ("o", "circ") => 'ô',
        ("o", "tilde") => 'õ',
        ("u", "acute") => 'ú',
        ("u", "uml") => 'ü',
        _ => return None,
    };
    if capital { letter.to_uppercase().next() } else { Some(letter) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_decoded_once_and_a_lone_ampersand_stays() {
        for (text, decoded) in [
            ("PADARIA", "PADARIA"),
            ("TOK &amp; STOK", "TOK & STOK"),
            ("AMAZON & CLOUD", "AMAZON & CLOUD"),
            ("A&B&", "A&B&"),
            ("&amp;lt;LOJA&amp;gt;", "&lt;LOJA&gt;"),
            ("&lt;X&gt; &quot;&apos;", "<X> \"'"),
            ("a&nbsp;b", "a\u{A0}b"),
            ("&#231;&#xE7;&#XE7;", "ççç"),
            ("P&atilde;o &Ccedil;", "Pão Ç"),
            ("&#xD800;&#99999999;&#;&#x;&;&foo;", "&#xD800;&#99999999;&#;&#x;&;&foo;"),
            ("&#+65;", "&#+65;"),
            ("&ç;&áá;", "&ç;&áá;"),
            ("AT&T; LTDA", "AT&T; LTDA"),
            ("&&amp;&", "&&&"),
        ] {
            assert_eq!(decode(text), decoded, "{text}");
        }
    }
}
