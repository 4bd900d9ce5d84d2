//! Turns of senders that a kill has interrupted.

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use finance_domain::webhooks::LEASE_SECONDS;
use finance_tests::rows;

/// The present instant of a database. After a kill, [`end_lost`] ends the turns that were taken before it.
pub(crate) fn instant(database_url: &str) -> String {
    let mut connection = PgConnection::establish(database_url).expect("a connection");
    rows(&mut connection, "select now()::text as at")[0]["at"].as_str().expect("an instant").to_string()
}

/// Ends the turns that a process had taken before that instant of the database, at which it was killed or lost its connections.
/// Otherwise what they were to send waits for the end of their lease.
pub(crate) fn end_lost(database_url: &str, killed_at: &str) {
    let lost = |column: &str| format!("{column} <= '{killed_at}'::timestamptz + interval '{LEASE_SECONDS} seconds'");
    let deliveries = ["notice_deliveries", "webhook_deliveries"].map(|table| {
        format!("update {table} set next_attempt_at = now() where state = 'pending' and {};", lost("next_attempt_at"))
    });
    let leases = format!("update profiles set webhooks_leased_until = now() where {}", lost("webhooks_leased_until"));
    let mut connection = PgConnection::establish(database_url).expect("a connection");
    connection.batch_execute(&format!("{}{leases}", deliveries.concat())).expect("the turns end");
}
