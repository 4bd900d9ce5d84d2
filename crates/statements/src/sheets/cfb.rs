//! Compound Files: streams in chains of sectors, written by old versions of Office.

/// The first bytes of a Compound File.
pub(super) const MAGIC: [u8; 8] = *b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
/// Sector numbers from this one on are special values.
const MARKS_FROM: u32 = 0xFFFF_FFFA;
/// The size of an entry in the directory, in bytes.
const ENTRY_BYTES: usize = 128;
/// Streams shorter than this are in small sectors.
const SMALL_STREAM_BYTES: usize = 4096;
const SMALL_SECTOR_BYTES: usize = 64;

/// A file with its tables of sectors. The tables are part of the file, so they need no more memory than the file.
#[derive(Debug)]
pub(super) struct Compound<'a> {
    bytes: &'a [u8],
    sector_bytes: usize,
    /// The next sector, for each sector.
    next: Vec<u32>,
    /// The next small sector, for each small sector.
    small_next: Vec<u32>,
    small: Vec<u8>,
    entries: Vec<Entry>,
}

/// A stream in the directory.
#[derive(Debug)]
struct Entry {
    name: String,
    start: u32,
    length: usize,
}

impl<'a> Compound<'a> {
    /// Opens a file. None if it is damaged.
    pub(super) fn open(bytes: &'a [u8]) -> Option<Self> {
        let sector_bytes = match u16_at(bytes, 30)? {
            9 => 512,
            12 => 4096,
            _ => return None,
        };
        let mut file = Compound {
            bytes,
            sector_bytes,
            next: Vec::new(),
            small_next: Vec::new(),
            small: Vec::new(),
            entries: vec![],
        };
        let sectors_max = bytes.len() / sector_bytes + 1;
        // The numbers of the sectors with the table: the first 109 are in the header, further ones in separate sectors.
        let mut tables: Vec<u32> = (0..109).map_while(|at| u32_at(bytes, 76 + 4 * at)).collect();
        let mut more = u32_at(bytes, 68)?;
        for _ in 0..sectors_max {
            let Some(sector) = file.sector(more) else { break };
            let mut numbers = numbers(sector);
            more = numbers.pop()?;
            tables.extend(numbers);
        }
        for number in tables.into_iter().filter(|number| *number < MARKS_FROM).take(sectors_max) {
            let sector = file.sector(number)?;
            file.next.extend(numbers(sector));
        }
        let directory = file.chain(u32_at(bytes, 48)?, usize::MAX)?;
        file.entries = directory.chunks_exact(ENTRY_BYTES).filter_map(Entry::read).collect();
        let root = file.entries.first()?;
        if u32_at(bytes, 64)? > 0 {
            file.small = file.chain(root.start, root.length)?;
            file.small_next = numbers(&file.chain(u32_at(bytes, 60)?, usize::MAX)?);
        }
        Some(file)
    }

    /// Whether there is a stream with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    /// The bytes of a stream. None if its chain is broken, or if there is no such stream.
    pub(super) fn stream(&self, name: &str) -> Option<Vec<u8>> {
        let entry = self.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))?;
        let stream = if entry.length < SMALL_STREAM_BYTES {
            let sector = |at: u32| self.small.chunks(SMALL_SECTOR_BYTES).nth(at as usize);
            let sectors_max = self.small.len() / SMALL_SECTOR_BYTES + 1;
            chain(entry.start, entry.length, &self.small_next, sectors_max, sector)
        } else {
            self.chain(entry.start, entry.length)
        };
        stream.filter(|stream| stream.len() == entry.length)
    }

    /// A sector. The last sector of a file may be short.
    fn sector(&self, number: u32) -> Option<&'a [u8]> {
        let start = (number as usize).checked_add(1)?.checked_mul(self.sector_bytes)?;
        let rest = self.bytes.get(start..).filter(|rest| !rest.is_empty())?;
        Some(&rest[..rest.len().min(self.sector_bytes)])
    }

    fn chain(&self, start: u32, length: usize) -> Option<Vec<u8>> {
        let sectors_max = self.bytes.len() / self.sector_bytes + 1;
        chain(start, length, &self.next, sectors_max, |number| self.sector(number))
    }
}

/// The bytes of a chain, up to a length. None if it leads out of the file or in a circle, which has more sectors than the file.
/// The table may have more entries than the file has sectors.
fn chain<'s>(
    start: u32,
    length: usize,
    next: &[u32],
    sectors_max: usize,
    sector: impl Fn(u32) -> Option<&'s [u8]>,
) -> Option<Vec<u8>> {
    let (mut bytes, mut number) = (Vec::new(), start);
    for _ in 0..=next.len().min(sectors_max) {
        if number >= MARKS_FROM || bytes.len() >= length {
            bytes.truncate(length);
            return Some(bytes);
        }
        bytes.extend_from_slice(sector(number)?);
        number = *next.get(number as usize)?;
    }
    None
}

impl Entry {
    fn read(bytes: &[u8]) -> Option<Self> {
        let name_bytes = usize::from(u16_at(bytes, 64)?).min(64);
        let units = bytes.get(..name_bytes)?.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        let name = char::decode_utf16(units.take_while(|unit| *unit != 0)).map(|unit| unit.unwrap_or('?')).collect();
        Some(Entry { name, start: u32_at(bytes, 116)?, length: u32_at(bytes, 120)? as usize })
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|number| u32::from_le_bytes([number[0], number[1], number[2], number[3]])).collect()
}

/// The number in two bytes at a position.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// The number in four bytes at a position.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// The floating point number at a position.
pub(super) fn f64_at(bytes: &[u8], at: usize) -> Option<f64> {
    Some(f64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a header and sectors: the table, the directory, and what is given.
    fn file(table: &[u32], entries: &[(&str, u32, u32)], sectors: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 512];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[30] = 9;
        bytes[48..52].copy_from_slice(&1_u32.to_le_bytes());
        bytes[68..72].copy_from_slice(&u32::MAX.to_le_bytes());
        bytes[76..512].fill(0xFF);
        bytes[76..80].copy_from_slice(&0_u32.to_le_bytes());
        let mut sector: Vec<u8> = table.iter().flat_map(|number| number.to_le_bytes()).collect();
        sector.resize(512, 0xFF);
        bytes.extend(sector);
        let mut directory = Vec::new();
        for (name, start, length) in entries {
            let mut entry = vec![0; ENTRY_BYTES];
            for (at, unit) in name.encode_utf16().enumerate() {
                entry[2 * at..2 * at + 2].copy_from_slice(&unit.to_le_bytes());
            }
            entry[64] = 2 * (name.len() as u8 + 1);
            entry[116..120].copy_from_slice(&start.to_le_bytes());
            entry[120..124].copy_from_slice(&length.to_le_bytes());
            directory.extend(entry);
        }
        directory.resize(512, 0);
        bytes.extend(directory);
        bytes.extend(sectors);
        bytes
    }

    const END: u32 = 0xFFFF_FFFE;
    const TABLE: u32 = 0xFFFF_FFFD;

    #[test]
    fn a_stream_is_the_chain_of_its_sectors() {
        let sectors: Vec<u8> = (0..9).flat_map(|at| vec![at as u8; 512]).collect();
        let bytes =
            file(&[TABLE, END, 4, END, 3, 6, 7, 8, 9, 10, 2], &[("Root Entry", END, 0), ("Book", 5, 4500)], &sectors);
        let compound = Compound::open(&bytes).unwrap();
        assert!(compound.has("BOOK") && !compound.has("Other"));
        let stream = compound.stream("Book").unwrap();
        assert_eq!((stream.len(), stream[0], stream[512], stream[4499]), (4500, 3, 4, 1));
    }

    #[test]
    fn a_chain_in_a_circle_or_out_of_the_file_is_none() {
        for table in [[TABLE, END, 3, 2], [TABLE, END, 900, END], [TABLE, END, END, END]] {
            let bytes = file(&table, &[("Root Entry", END, 0), ("Book", 2, 100_000)], &[7; 1024]);
            let compound = Compound::open(&bytes).unwrap();
            assert_eq!(compound.stream("Book"), None, "{table:?}");
        }
        // The chain of the directory is a circle.
        assert!(Compound::open(&file(&[TABLE, 1], &[("Root Entry", END, 0)], &[])).is_none());
        for length in [0, 8, 40, 511, 600, 1030] {
            let bytes = file(&[TABLE, END], &[("Root Entry", END, 0)], &[]);
            assert!(Compound::open(&bytes[..length.min(bytes.len())]).is_none(), "{length}");
        }
    }
}
