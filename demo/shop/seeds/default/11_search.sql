-- Alder & Pine's articles; one of Kestrel's as well.

INSERT INTO search.article (merchant_id, id, name, slug, excerpt, body, status, tags) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0040-7000-8000-000000000001', 'How to choose a sleeping bag', 'how-to-choose-a-sleeping-bag', 'Down or synthetic, and how warm is warm enough.', 'Look at the comfort rating, not the limit. Down packs smaller and lasts longer; synthetic forgives a wet night. Sleep in it in the shop: we don''t mind.', 'PUBLISHED', '{guide,sleep}'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0040-7000-8000-000000000002', 'Care for your rain jacket', 'care-for-your-rain-jacket', 'Wash it. Really.', 'Dirt keeps a membrane from breathing. Wash at thirty degrees without softener, rinse twice, and tumble it warm for twenty minutes to bring the finish back.', 'PUBLISHED', '{care}'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0040-7000-8000-000000000003', 'Three days on the Olympic coast', 'three-days-on-the-olympic-coast', NULL, 'Tide tables first. Then boots that may get wet, a tent that may not, and a stove that lights in wind.', 'PUBLISHED', '{story}'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0040-7000-8000-000000000004', 'Spring sale plan', 'spring-sale-plan', NULL, 'Tents first, then packs. Not before the trail day.', 'DRAFT', '{}'),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0040-7000-8000-000000000901', 'Brewing by weight', 'brewing-by-weight', NULL, 'Sixty grams a litre, and a scale.', 'PUBLISHED', '{guide}')
ON CONFLICT DO NOTHING;
