//! A limited number of places for what takes memory or connections, of which no requester has more than a share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::blocking::{Requester, WAIT_MAX};
use crate::problems::Problem;

/// Places, given out in the order they were asked for.
pub(crate) struct Places {
    all: Arc<Semaphore>,
    share: usize,
    /// Of those who have a place or wait for one.
    shares: Mutex<HashMap<Requester, Weak<Semaphore>>>,
}

/// A place, free again when this is dropped.
pub(crate) struct Place {
    // A requester waits for its own share first, so that what it waits for keeps no place from others.
    _share: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
}

impl Places {
    /// So many places, of which one requester has at most a share.
    pub(crate) fn new(places: usize, share: usize) -> Self {
        Places { all: Arc::new(Semaphore::new(places)), share, shares: Mutex::default() }
    }

    /// A place, once there is one.
    pub(crate) async fn take(&self, requester: Requester) -> Result<Place, Problem> {
        let share = self.share_of(requester);
        let taken = timeout(WAIT_MAX, async {
            let share = share.acquire_owned().await.ok()?;
            let place = Arc::clone(&self.all).acquire_owned().await.ok()?;
            Some(Place { _share: share, _place: place })
        });
        taken.await.ok().flatten().ok_or_else(Problem::overloaded)
    }

    fn share_of(&self, requester: Requester) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.get(&requester).and_then(Weak::upgrade) {
            return share;
        }
        shares.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(self.share));
        shares.insert(requester, Arc::downgrade(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    use finance_domain::ProfileId;

    use super::*;

    const ANA: Requester = Requester::Profile(ProfileId(1));
    const BIA: Requester = Requester::Profile(ProfileId(2));

    #[tokio::test(start_paused = true)]
    async fn a_requester_with_its_share_waits_and_others_do_not() {
        let places = Places::new(3, 2);
        let first = places.take(ANA).await.unwrap();
        let _second = places.take(ANA).await.unwrap();
        assert!(places.take(ANA).await.is_err());
        let _other = places.take(BIA).await.unwrap();
        // All places are taken: even a requester without any waits.
        assert!(places.take(Requester::Profile(ProfileId(3))).await.is_err());
        drop(first);
        assert!(places.take(ANA).await.is_ok());
    }

    #[tokio::test]
    async fn requesters_without_a_place_are_forgotten() {
        let places = Places::new(3, 2);
        drop(places.take(ANA).await.unwrap());
        let _kept = places.take(BIA).await.unwrap();
        assert_eq!(places.shares.lock().unwrap().len(), 1);
    }
}
