alter table categories drop column color;
alter table accounts drop column is_spendable;
