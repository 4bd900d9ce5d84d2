//! Transfers: a row that ties two transactions.

use diesel::prelude::*;
use finance_domain::transactions::Kind;
use finance_domain::transfers::{Transfer, TransferRepo};
use finance_domain::{Error, Result, TransferId};

use crate::constraints::error;
use crate::repo::PgRepo;
use crate::schema::transfers;
use crate::transactions::Doomed;

impl TransferRepo for PgRepo<'_> {
    fn transfer_insert(&mut self) -> Result<TransferId> {
        diesel::insert_into(transfers::table)
            .values(transfers::profile_id.eq(self.profile_id.0))
            .returning(transfers::id)
            .get_result(self.connection)
            .map(TransferId)
            .map_err(error)
    }

    fn transfer_get(&mut self, id: TransferId) -> Result<Option<Transfer>> {
        let (mut from, mut to) = (None, None);
        for leg in self.transfer_legs(id)? {
            match leg.kind {
                Kind::Expense => from = Some(leg),
                Kind::Income => to = Some(leg),
            }
        }
        match (from, to) {
            (Some(from), Some(to)) => Ok(Some(Transfer { id, from, to })),
            (None, None) => Ok(None),
            _ => Err(Error::Internal(format!("transfer {id} has one leg").into())),
        }
    }

    fn transfer_delete(&mut self, id: TransferId) -> Result<bool> {
        Ok(self.delete_transactions(Doomed::Legs(&[id.0]))? > 0)
    }
}
