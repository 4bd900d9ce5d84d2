use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use finance_domain::ProfileId;
use futures_util::future::{join_all, poll_immediate};

use super::*;
use crate::fair_queue::WAITING_SHARE_MAX;

const ANA: Requester = Requester::Profile(ProfileId(1));
const BIA: Requester = Requester::Profile(ProfileId(2));

fn pool(size: usize, share: usize) -> Arc<BlockingPool> {
    Arc::new(BlockingPool::new("tested", size, share).unwrap())
}

/// The maximum number of these works that ran at once. The first ones go on until as many run as `expected`.
async fn most_at_once(
    pool: &BlockingPool,
    expected: usize,
    works: impl IntoIterator<Item = (Requester, Turn)>,
) -> usize {
    let (at_work, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let may_end = Arc::new(AtomicBool::new(false));
    let works = works.into_iter().map(|(requester, turn)| {
        let (at_work, most, may_end) = (Arc::clone(&at_work), Arc::clone(&most), Arc::clone(&may_end));
        pool.run(requester, turn, move || {
            most.fetch_max(at_work.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            while !may_end.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            at_work.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        })
    });
    let mut works = Box::pin(join_all(works));
    assert!(poll_immediate(works.as_mut()).await.is_none());
    while at_work.load(Ordering::SeqCst) < expected {
        tokio::task::yield_now().await;
    }
    assert_eq!(pool.in_use(), expected, "the others wait");
    may_end.store(true, Ordering::SeqCst);
    assert!(works.await.iter().all(std::result::Result::is_ok));
    idle(pool).await;
    most.load(Ordering::SeqCst)
}

/// Returns once nothing is at work. A result arrives before its thread records that the work is done.
async fn idle(pool: &BlockingPool) {
    while (pool.in_use(), pool.waiting()) != (0, 0) {
        tokio::task::yield_now().await;
    }
}

/// Occupies a thread until the returned sender releases it. Returns once the thread is occupied.
async fn occupy(
    pool: &Arc<BlockingPool>,
    requester: Requester,
    turn: Turn,
) -> (mpsc::Sender<()>, tokio::task::JoinHandle<Result<()>>) {
    let (release, released) = mpsc::channel::<()>();
    let in_use = pool.in_use();
    let running = tokio::spawn({
        let pool = Arc::clone(pool);
        let wait = move || released.recv().map_err(|gone| Error::Internal(Box::new(gone)));
        async move { pool.run(requester, turn, wait).await }
    });
    while pool.in_use() == in_use {
        tokio::task::yield_now().await;
    }
    (release, running)
}

#[tokio::test]
async fn no_more_is_done_at_once_than_there_are_threads() {
    let requesters = (1..=8).map(|id| (Requester::Profile(ProfileId(id)), Turn::Shared));
    assert_eq!(most_at_once(&pool(2, 2), 2, requesters).await, 2);
}

#[tokio::test]
async fn no_requester_has_more_than_its_share_at_work() {
    assert_eq!(most_at_once(&pool(8, 3), 3, vec![(ANA, Turn::Shared); 20]).await, 3);
}

#[tokio::test]
async fn exclusive_work_of_a_requester_is_done_one_at_a_time() {
    assert_eq!(most_at_once(&pool(8, 3), 1, vec![(ANA, Turn::Exclusive); 8]).await, 1);
    let two = (0..8).map(|at| (if at % 2 == 0 { ANA } else { BIA }, Turn::Exclusive));
    assert_eq!(most_at_once(&pool(8, 3), 2, two).await, 2);
}

#[tokio::test]
async fn reads_pass_a_write_that_waits_for_another_write() {
    let pool = pool(2, 2);
    let (release, writing) = occupy(&pool, ANA, Turn::Exclusive).await;
    let mut second = Box::pin(pool.run(ANA, Turn::Exclusive, || Ok("written")));
    assert!(poll_immediate(second.as_mut()).await.is_none());
    assert_eq!(pool.run(ANA, Turn::Shared, || Ok("read")).await.unwrap(), "read");
    assert!(poll_immediate(second.as_mut()).await.is_none());
    release.send(()).unwrap();
    assert!(writing.await.unwrap().is_ok());
    assert_eq!(second.await.unwrap(), "written");
}

#[tokio::test]
async fn turns_go_round_the_requesters_however_much_one_has_waiting() {
    let pool = pool(1, 1);
    let (release, busy) = occupy(&pool, ANA, Turn::Shared).await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let work = |requester: Requester, name: &'static str| {
        let order = Arc::clone(&order);
        pool.run(requester, Turn::Shared, move || {
            order.lock().unwrap().push(name);
            Ok(())
        })
    };
    let mut works = vec![work(ANA, "ana 1"), work(ANA, "ana 2"), work(ANA, "ana 3"), work(BIA, "bia 1")];
    works.push(work(Requester::Address("198.51.100.7".into()), "a stranger"));
    let mut all = Box::pin(join_all(works));
    assert!(poll_immediate(all.as_mut()).await.is_none());
    release.send(()).unwrap();
    assert!(all.await.iter().all(std::result::Result::is_ok));
    assert!(busy.await.unwrap().is_ok());
    assert_eq!(*order.lock().unwrap(), ["ana 1", "bia 1", "a stranger", "ana 2", "ana 3"]);
}

#[tokio::test]
async fn one_requester_cannot_fill_the_queue() {
    let pool = pool(1, 1);
    let (release, busy) = occupy(&pool, ANA, Turn::Shared).await;
    let mut waiting: Vec<_> =
        (0..WAITING_SHARE_MAX).map(|_| Box::pin(pool.run(ANA, Turn::Shared, || Ok(())))).collect();
    for work in &mut waiting {
        assert!(poll_immediate(work.as_mut()).await.is_none());
    }
    assert!(pool.run(ANA, Turn::Shared, || Ok(())).await.is_err());
    let mut other = Box::pin(pool.run(BIA, Turn::Shared, || Ok(())));
    assert!(poll_immediate(other.as_mut()).await.is_none());
    release.send(()).unwrap();
    assert!(other.await.is_ok() && busy.await.unwrap().is_ok());
    drop(waiting);
    assert_eq!(pool.waiting(), 0);
}

#[tokio::test]
async fn work_that_nobody_waits_for_any_more_never_begins() {
    let pool = pool(1, 1);
    let (release, busy) = occupy(&pool, ANA, Turn::Shared).await;
    let began = Arc::new(AtomicUsize::new(0));
    let mut given_up = Box::pin({
        let began = Arc::clone(&began);
        pool.run(BIA, Turn::Shared, move || Ok(began.fetch_add(1, Ordering::SeqCst)))
    });
    assert!(poll_immediate(given_up.as_mut()).await.is_none());
    assert_eq!(pool.waiting(), 1);
    drop(given_up);
    assert_eq!(pool.waiting(), 0);
    release.send(()).unwrap();
    assert!(busy.await.unwrap().is_ok());
    assert!(pool.run(ANA, Turn::Shared, || Ok(())).await.is_ok());
    assert_eq!(began.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn work_that_waits_too_long_is_given_up_and_work_that_has_begun_is_not() {
    // The first work begins within this time even on a busy machine.
    let wait_max = Duration::from_secs(1);
    let mut pool = BlockingPool::new("tested", 1, 1).unwrap();
    pool.wait_max = wait_max;
    let pool = Arc::new(pool);
    let (release, busy) = occupy(&pool, ANA, Turn::Shared).await;
    let arrived = Instant::now();
    let refused = pool.run(ANA, Turn::Shared, || Ok(())).await;
    assert!(refused.is_err());
    assert!(arrived.elapsed() >= wait_max);
    // The caller waits for work that has begun, however long it takes.
    release.send(()).unwrap();
    assert!(busy.await.unwrap().is_ok());
}

#[tokio::test]
async fn work_that_panics_is_an_error_and_its_thread_goes_on() {
    let pool = pool(1, 1);
    assert!(pool.run(ANA, Turn::Exclusive, || -> Result<()> { panic!("on purpose") }).await.is_err());
    assert!(pool.run(ANA, Turn::Exclusive, || Ok(())).await.is_ok());
    idle(&pool).await;
}
