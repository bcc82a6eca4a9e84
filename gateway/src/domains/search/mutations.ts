import type { MutationDefinition } from '../../mutation/definition.ts'
import {
  absent,
  byId,
  change,
  creation,
  deletion,
  insertOne,
  pick,
  remove,
  table,
  update,
  valueOf,
} from '../../mutation/rows.ts'

const articleTable = table('search_article')

const columns = ['slug', 'excerpt', 'body', 'status', 'tags', 'seoTitle', 'seoDescription'] as const

export const searchMutations: Readonly<Record<string, MutationDefinition>> = {
  createArticle: creation<'createArticle'>({
    record: 'Article',
    what: 'Article',
    lookUps: ({ slug }) => [absent(articleTable, 'slug', valueOf('slug', slug), 'Article')],
    write: (input) =>
      insertOne(articleTable, {
        name: input.title,
        ...pick(input, columns, 'left out'),
      }),
  }),
  updateArticle: change<'updateArticle'>({
    record: 'Article',
    what: 'Article',
    lookUps: ({ slug }, { id }) => [absent(articleTable, 'slug', valueOf('slug', slug), 'Article', byId(id))],
    write: (input, { id }) =>
      update(articleTable, byId(id), {
        ...(input.title !== undefined && { name: input.title }),
        ...pick(input, columns),
      }),
  }),
  deleteArticle: deletion('Article', (id) => remove(articleTable, byId(id))),
}
