INSERT INTO site_member VALUES (1, 7, true), (1, 8, false), (2, 9, true);
INSERT INTO category VALUES
  ('top', 'Top'), ('top.news', 'News'), ('top.news.old', 'Archive'), ('other', 'Other');
INSERT INTO page VALUES
  (1, 1, NULL, 'top', 'Handbook', '{"lang": "en", "seo": {"title": "Hi"}, "draft": true}', '{a,b}', true, 10, 5, '2026-01-01'),
  (2, 1, 1, 'top.news', 'News of 2025', '{"lang": "de"}', '{a}', false, 3, 5, '2026-01-02'),
  (3, 1, 1, 'top.news.old', 'Old news', '[1, 2]', '{}', true, NULL, 5, NULL),
  (4, 2, NULL, 'other', 'Elsewhere', '{"lang": "en"}', '{c}', true, 7, 7, '2026-01-03');
SELECT setval(pg_get_serial_sequence('page', 'id'), 100);
INSERT INTO translation VALUES (1, 'de', 'Handbuch'), (1, 'fr', 'Manuel'), (2, 'de', 'Neues von 2025');
INSERT INTO media (id, page_id, file_name, bytes, meta) VALUES
  ('00000000-0000-4000-8000-000000000001', 1, 'cover.png', 9007199254740993, '{"width": 800, "height": 600}');
REFRESH MATERIALIZED VIEW page_count;
