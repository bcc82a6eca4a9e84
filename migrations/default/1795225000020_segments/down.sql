DROP VIEW crm.segment_member;
DROP TABLE crm.segment;
