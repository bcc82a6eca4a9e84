import { describe, expect, test } from 'vitest'
import { type FieldLookup, mapExpression, referencesOf } from './boolean-expression.ts'

const table = (name: string) => ({ schema: 'public', name })

/** author -> articles -> author; `best` is a computed field with rows of article. */
const lookup: FieldLookup = ({ name }, field) => {
  if (name === 'author' && field === 'articles') return { kind: 'relationship', target: table('article') }
  if (name === 'author' && field === 'best') return { kind: 'computed-field', target: table('article') }
  if (name === 'article' && field === 'author') return { kind: 'relationship', target: table('author') }
  return ['id', 'name', 'title', 'data'].includes(field) ? { kind: 'column' } : undefined
}

describe('referencesOf', () => {
  test.each([
    [{ id: 1, name: { _like: 'a%' } }, ['author.id', 'author.name']],
    [
      { _and: [{ articles: { title: { _eq: 'x' } } }, { _not: { best: { id: 1 } } }] },
      ['author.articles', 'article.title', 'author.best', 'article.id'],
    ],
    [{ articles: { author: { name: 'a' } } }, ['author.articles', 'article.author', 'author.name']],
    [{ _exists: { _table: { schema: 'public', name: 'article' }, _where: { id: 1 } } }, ['article.id']],
    [{ articles: { title: { _ceq: ['$', 'name'] } } }, ['author.articles', 'article.title', 'author.name']],
    [
      { articles: { title: { _cgt: ['author', 'name'] } } },
      ['author.articles', 'article.title', 'article.author', 'author.name'],
    ],
    [{ data: { _contains: { id: 1, gone: 2 } } }, ['author.data']],
    [{ gone: 1 }, ['author.gone']],
    [{}, []],
  ])('finds the names of %o with their tables', (expression, names) => {
    const { fields } = referencesOf(expression, table('author'), lookup)
    expect(fields.map((each) => `${each.table.name}.${each.name}`)).toEqual(names)
  })
})

describe('mapExpression', () => {
  test('renames names, but neither values nor their content', () => {
    const renamed = mapExpression(
      {
        _or: [
          { name: 'name', articles: { title: { _ceq: ['$', 'name'] }, data: { _contains: { name: 1 } } } },
          { _exists: { _table: 'article', _where: { title: 'x' } } },
        ],
      },
      table('author'),
      lookup,
      {
        field: ({ table: { name: owner }, name }) =>
          owner === 'author' && name === 'name' ? 'full_name' : name,
        table: ({ schema, name }) => ({ schema, name: name === 'article' ? 'post' : name }),
      },
    )
    expect(renamed).toEqual({
      _or: [
        {
          full_name: 'name',
          articles: { title: { _ceq: ['$', 'full_name'] }, data: { _contains: { name: 1 } } },
        },
        { _exists: { _table: { schema: 'public', name: 'post' }, _where: { title: 'x' } } },
      ],
    })
  })
})
