update pending_bills bill
set row_count = row_count - stored.count
from (
    select profile_id, pending_bill_id, count(*) as count from pending_bill_rows where is_stored group by profile_id, pending_bill_id
) stored
where bill.profile_id = stored.profile_id and bill.id = stored.pending_bill_id;
delete from pending_bill_rows where is_stored;
alter table pending_bill_rows drop column is_stored;
