//! A limited number of permits for work that uses memory or connections, shared fairly between requesters.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use finance_domain::Result;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::blocking::{Requester, WAIT_MAX, overloaded};

/// Permits, given out in the order of the requests.
pub(crate) struct Permits {
    all: Arc<Semaphore>,
    share: usize,
    /// The requesters that have a permit or wait for one.
    shares: Mutex<HashMap<Requester, Weak<Semaphore>>>,
    /// How long a requester waits.
    wait_max: Duration,
}

/// A permit, returned when this is dropped.
pub(crate) struct Permit {
    // A requester waits for its share first, so that it does not take a permit from others meanwhile.
    _share: OwnedSemaphorePermit,
    _permit: OwnedSemaphorePermit,
}

impl Permits {
    /// `count` permits, of which one requester has at most `share`.
    pub(crate) fn new(permits: usize, share: usize) -> Self {
        Permits { all: Arc::new(Semaphore::new(permits)), share, shares: Mutex::default(), wait_max: WAIT_MAX }
    }

    /// Waits for a permit.
    pub(crate) async fn acquire(&self, requester: Requester) -> Result<Permit> {
        let share = self.share_of(requester);
        let acquired = timeout(self.wait_max, async {
            let share = share.acquire_owned().await.ok()?;
            let permit = Arc::clone(&self.all).acquire_owned().await.ok()?;
            Some(Permit { _share: share, _permit: permit })
        });
        acquired.await.ok().flatten().ok_or_else(overloaded)
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

    #[tokio::test]
    async fn a_requester_with_its_share_waits_and_others_do_not() {
        let permits = Permits { wait_max: Duration::from_millis(20), ..Permits::new(3, 2) };
        let first = permits.acquire(ANA).await.unwrap();
        let _second = permits.acquire(ANA).await.unwrap();
        assert!(permits.acquire(ANA).await.is_err());
        let _other = permits.acquire(BIA).await.unwrap();
        // All permits are taken, so a requester without any waits too.
        assert!(permits.acquire(Requester::Profile(ProfileId(3))).await.is_err());
        drop(first);
        assert!(permits.acquire(ANA).await.is_ok());
    }

    #[tokio::test]
    async fn requesters_without_a_permit_are_forgotten() {
        let permits = Permits::new(3, 2);
        drop(permits.acquire(ANA).await.unwrap());
        let _kept = permits.acquire(BIA).await.unwrap();
        assert_eq!(permits.shares.lock().unwrap().len(), 1);
    }
}
