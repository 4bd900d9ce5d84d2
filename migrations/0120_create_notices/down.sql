drop table notice_kinds;
drop table notice_preferences;
drop table notices;
