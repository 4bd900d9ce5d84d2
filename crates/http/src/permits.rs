//! A limited number of permits for work that uses memory or connections, shared fairly between requesters.

use std::time::Duration;

use finance_domain::Result;
use tokio::sync::oneshot;

use crate::fair_queue::{FairQueue, Place, Requester, Turn, WAIT_MAX};

/// Permits.
pub(crate) struct Permits {
    queue: FairQueue<Grant>,
    /// How long a requester waits.
    wait_max: Duration,
}

/// Gives a permit to who waits for it.
struct Grant(oneshot::Sender<Permit>);

/// A permit, returned when this is dropped.
pub(crate) struct Permit(Option<Place<Grant>>);

impl Permits {
    /// `permits` permits, of which one requester has at most `share`.
    pub(crate) fn new(permits: usize, share: usize) -> Self {
        Permits { queue: FairQueue::new(permits, share), wait_max: WAIT_MAX }
    }

    /// Waits for a permit.
    pub(crate) async fn acquire(&self, requester: Requester) -> Result<Permit> {
        let (grant, granted) = oneshot::channel();
        let (waiting, is_free) = self.queue.push(requester, Turn::Shared, Grant(grant))?;
        if is_free {
            give(self.queue.take());
        }
        waiting.receive(granted, self.wait_max).await
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        give(self.0.take().and_then(Place::pass_on));
    }
}

fn give(next: Option<(Place<Grant>, Grant)>) {
    if let Some((place, Grant(sender))) = next {
        // Who waited may have hung up just now: the permit that comes back is dropped, which gives it to the next one.
        let _ = sender.send(Permit(Some(place)));
    }
}

#[cfg(test)]
mod tests {
    use finance_domain::ProfileId;
    use futures_util::future::poll_immediate;

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
    async fn a_returned_permit_goes_to_the_next_one_that_still_waits() {
        let permits = Permits::new(1, 1);
        let first = permits.acquire(ANA).await.unwrap();
        let mut gone = Box::pin(permits.acquire(BIA));
        let mut next = Box::pin(permits.acquire(Requester::Profile(ProfileId(3))));
        assert!(poll_immediate(gone.as_mut()).await.is_none());
        assert!(poll_immediate(next.as_mut()).await.is_none());
        // Granted, and dropped before it is looked at.
        drop(first);
        drop(gone);
        assert!(next.await.is_ok());
        assert_eq!((permits.queue.in_use(), permits.queue.waiting()), (0, 0));
    }
}
