import type { MutationDefinition, Values } from '../../mutation/definition.ts'
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
import { type Fields, list, optionalLine, optionalText, slug, text } from '../../mutation/rules.ts'

const articleTable = table('Article', 'articles')

const articleRules: Fields = {
  title: text({ max: 200 }),
  slug,
  excerpt: optionalText({ max: 5000 }),
  body: optionalText({ max: 100_000 }),
  tags: list(text({ max: 100 }), { max: 100 }),
  seoTitle: optionalLine({ max: 200 }),
  seoDescription: optionalText({ max: 5000 }),
}

const columns = ['title', 'slug', 'excerpt', 'body', 'status', 'tags', 'seoTitle', 'seoDescription'] as const

interface ArticleInput {
  readonly slug?: string | null
}

export const searchMutations: Readonly<Record<string, MutationDefinition>> = {
  createArticle: creation<ArticleInput>({
    record: 'Article',
    what: 'Article',
    rules: articleRules,
    lookUps: ({ slug }) => [absent(articleTable, 'slug', valueOf('slug', slug), 'Article')],
    write: (input) => insertOne(articleTable, pick(input as Values, columns, 'left out')),
  }),
  updateArticle: change<ArticleInput>({
    record: 'Article',
    what: 'Article',
    rules: articleRules,
    required: ['title', 'slug', 'body', 'status', 'tags'],
    lookUps: ({ slug }, { id }) => [absent(articleTable, 'slug', valueOf('slug', slug), 'Article', byId(id))],
    write: (input, { id }) => update(articleTable, byId(id), pick(input as Values, columns)),
  }),
  deleteArticle: deletion('Article', (id) => remove(articleTable, byId(id))),
}
