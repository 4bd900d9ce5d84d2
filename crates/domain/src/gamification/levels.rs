//! Levels: thresholds of XP, each with a title and a sprite.

/// How many levels there are.
pub const LEVELS: u8 = 15;

/// A level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// 1 to 15.
    pub number: u8,
    /// The XP at which it is reached.
    pub xp: u64,
    /// Its title, in the users' language.
    pub title: String,
    /// The name of its sprite.
    pub sprite: String,
}

/// The level that an amount of XP has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The level reached.
    pub level: &'a Level,
    /// XP earned since that level.
    pub xp_into_level: u64,
    /// XP needed for the next level; 0 on the last one.
    pub xp_to_next_level: u64,
}

/// The curve: levels 1 to 15, each above the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels(Vec<Level>);

impl Levels {
    /// Checks the levels and makes a curve of them.
    ///
    /// ```
    /// use finance_domain::gamification::{LEVELS, Level, Levels};
    ///
    /// let level = |number: u8| Level {
    ///     number, xp: u64::from(number - 1) * 100, title: "Aprendiz".into(), sprite: "semente".into(),
    /// };
    /// let levels = Levels::new((1..=LEVELS).map(level).collect())?;
    ///
    /// let progress = levels.progress(230);
    /// assert_eq!(progress.level.number, 3);
    /// assert_eq!((progress.xp_into_level, progress.xp_to_next_level), (30, 70));
    /// assert_eq!(levels.progress(9_999).xp_to_next_level, 0, "there is nothing after the last level");
    ///
    /// assert!(Levels::new(vec![level(1)]).is_err());
    /// # Ok::<(), (String, &'static str)>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The key of the first error, and its message.
    pub fn new(levels: Vec<Level>) -> Result<Self, (String, &'static str)> {
        for (at, level) in levels.iter().enumerate() {
            if usize::from(level.number) != at + 1 {
                return Err((format!("level[{at}].number"), "must count up from 1"));
            }
            if at == 0 && level.xp != 0 {
                return Err((format!("level[{at}].xp"), "must be 0 on the first level"));
            }
            if at > 0 && level.xp <= levels[at - 1].xp {
                return Err((format!("level[{at}].xp"), "must be above that of the previous level"));
            }
        }
        if levels.len() != usize::from(LEVELS) {
            return Err(("level".to_string(), "must be 15 levels"));
        }
        Ok(Levels(levels))
    }

    /// The level that this much XP has reached.
    pub fn progress(&self, xp: u64) -> Progress<'_> {
        // The first threshold is 0, so at least one level is reached.
        let reached = self.0.partition_point(|level| level.xp <= xp);
        let level = &self.0[reached - 1];
        let xp_to_next_level = self.0.get(reached).map_or(0, |next| next.xp - xp);
        Progress { level, xp_into_level: xp - level.xp, xp_to_next_level }
    }

    /// The levels, the first one first.
    pub fn iter(&self) -> impl Iterator<Item = &Level> {
        self.0.iter()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Level n at 50 · n · (n − 1) XP.
    pub(crate) fn curve() -> Vec<Level> {
        let level = |number: u8| Level {
            number,
            xp: 50 * u64::from(number) * u64::from(number - 1),
            title: format!("Nível {number}"),
            sprite: "semente".into(),
        };
        (1..=LEVELS).map(level).collect()
    }

    #[test]
    fn a_level_is_reached_at_its_threshold_and_not_before() {
        let levels = Levels::new(curve()).unwrap();
        for level in levels.iter().filter(|level| level.number > 1) {
            assert_eq!(levels.progress(level.xp).level.number, level.number);
            let before = levels.progress(level.xp - 1);
            assert_eq!((before.level.number, before.xp_to_next_level), (level.number - 1, 1));
        }
    }

    #[test]
    fn a_curve_that_is_none_is_refused_by_its_key() {
        type Spoil = fn(&mut Vec<Level>);
        let cases: [(Spoil, &str); 5] = [
            (|levels| levels[0].xp = 1, "level[0].xp"),
            (|levels| levels[4].xp = levels[3].xp, "level[4].xp"),
            (|levels| levels[4].number = 9, "level[4].number"),
            (|levels| levels.truncate(14), "level"),
            (|levels| levels.clear(), "level"),
        ];
        for (spoil, key) in cases {
            let mut levels = curve();
            spoil(&mut levels);
            assert_eq!(Levels::new(levels).unwrap_err().0, key);
        }
    }

    proptest! {
        #[test]
        fn xp_into_the_level_and_the_threshold_add_up(xp in 0u64..20_000) {
            let levels = Levels::new(curve()).unwrap();
            let progress = levels.progress(xp);
            prop_assert_eq!(progress.level.xp + progress.xp_into_level, xp);
            let next = levels.progress(xp + progress.xp_to_next_level).level.number;
            prop_assert_eq!(next, (progress.level.number + 1).min(LEVELS));
        }
    }
}
