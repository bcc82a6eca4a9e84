import { describe, expect, test } from 'vitest'
import { splitStatements } from './sql-statements.ts'

describe('splitStatements', () => {
  test.each([
    ['statements', 'select 1;\n\nselect 2;', [1, 3]],
    ['a last one without its semicolon', 'select 1;\nselect 2', [1, 2]],
    ['semicolons in texts and names', `select ';', "a;b", 'it''s;';\nselect 2;`, [1, 2]],
    ['escapes in E-texts', `select E'\\';';\nselect 2;`, [1, 2]],
    ['comments, nested ones too', '-- a;\n/* b; /* c; */ d; */ select 1;\nselect 2;', [2, 3]],
    ['dollar quotes', 'do $$ begin; end $$;\nselect $a$ $$;$$ $a$;\nselect 3;', [1, 2, 3]],
    [
      'bodies in standard SQL',
      'create function f() returns int begin atomic\n  select case when true then 1 end;\n  select 2;\nend;\nselect 3;',
      [1, 5],
    ],
    ['begin and commit', 'begin;\nselect 1;\ncommit;', [1, 2, 3]],
    ['nothing', ' -- only a comment\n;', []],
  ])('finds the first line of %s', (_, file, lines) => {
    expect(splitStatements(file).map(({ line }) => line)).toEqual(lines)
  })

  test('loses no character of a statement', () => {
    const file = `insert into t values ('a;b'); select $$x$$;`
    expect(
      splitStatements(file)
        .map(({ sql }) => sql)
        .join(''),
    ).toBe(file)
  })
})
