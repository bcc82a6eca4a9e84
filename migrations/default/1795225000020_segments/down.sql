DROP VIEW crm.segment_member;
DROP TABLE crm.segment;
DROP FUNCTION crm.check_segment_tiers();
