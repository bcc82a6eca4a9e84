INSERT INTO platform.language (code, name, stemmer) VALUES
  ('ar', 'Arabic', 'arabic'), ('ca', 'Catalan', 'catalan'), ('da', 'Danish', 'danish'), ('de', 'German', 'german'),
  ('el', 'Greek', 'greek'), ('en', 'English', 'english'), ('es', 'Spanish', 'spanish'), ('eu', 'Basque', 'basque'),
  ('fi', 'Finnish', 'finnish'), ('fr', 'French', 'french'), ('ga', 'Irish', 'irish'), ('hi', 'Hindi', 'hindi'),
  ('hu', 'Hungarian', 'hungarian'), ('hy', 'Armenian', 'armenian'), ('id', 'Indonesian', 'indonesian'), ('it', 'Italian', 'italian'),
  ('lt', 'Lithuanian', 'lithuanian'), ('ne', 'Nepali', 'nepali'), ('nl', 'Dutch', 'dutch'), ('no', 'Norwegian', 'norwegian'),
  ('pt', 'Portuguese', 'portuguese'), ('ro', 'Romanian', 'romanian'), ('ru', 'Russian', 'russian'), ('sr', 'Serbian', 'serbian'),
  ('sv', 'Swedish', 'swedish'), ('ta', 'Tamil', 'tamil'), ('tr', 'Turkish', 'turkish'), ('yi', 'Yiddish', 'yiddish');
