import { expect, test } from 'vitest'
import { inlineParameters } from './inline-parameters.ts'

test('values replace the parameters, as literals or NULL', () => {
  expect(inlineParameters('select ($1)::"text", ($2)::"int4", ($1)::"text"', ["it's", null])).toBe(
    `select ('it''s')::"text", (NULL)::"int4", ('it''s')::"text"`,
  )
  expect(inlineParameters('select ($1)::"text"', [`\\' or '`])).toBe(`select (E'\\\\'' or ''')::"text"`)
})

test.each([
  `'costs $1'`,
  `'it''s $1'`,
  `E'it\\'s $1'`,
  `'a\\' || 'costs $1'`,
  `"a $1 ""column"""`,
  `$$it's $1$$`,
  `$body$ $$ it's $1 $body$`,
  `1 -- it's $1\n`,
  `/* it's\n$1 */ 1`,
])('%j stays unchanged, and a parameter after it is replaced', (sql) => {
  expect(inlineParameters(`select ${sql}, ($1)::"text"`, ['value'])).toBe(`select ${sql}, ('value')::"text"`)
})
