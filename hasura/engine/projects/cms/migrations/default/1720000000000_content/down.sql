DROP TABLE media, translation, page, category, site_member;
