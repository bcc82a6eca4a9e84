import { categoryName } from '@commerce-graph/contract/input'
import type { MutationDefinition, Values } from '../../mutation/definition.ts'
import {
  byId,
  change,
  creation,
  deletion,
  insertOne,
  pick,
  present,
  remove,
  update,
  valueOf,
} from '../../mutation/rows.ts'
import { boundedText, type Fields, object, optionalLine, optionalText, slug } from '../../mutation/rules.ts'
import { toUuid } from '../../projection/filter.ts'
import { categoryTable, position, seo, slugTaken } from './tables.ts'

const categoryColumns = ['name', 'slug', 'description', 'position', 'seoTitle', 'seoDescription'] as const

interface CategoryInput {
  readonly slug?: string | null
  readonly parentId?: string | null
  readonly image?: { readonly url: string; readonly alt?: string | null } | null
}

const categoryRules: Fields = {
  name: boundedText(categoryName),
  slug,
  description: optionalText({ max: 5000 }),
  image: object({ alt: optionalLine({ max: 500 }) }),
  position,
  ...seo,
}

const categoryRow = ({ image, parentId }: CategoryInput): Values => ({
  ...(image !== undefined && { imageUrl: image?.url ?? null, imageAlt: image?.alt ?? null }),
  ...(parentId !== undefined && { parentId: parentId === null ? null : toUuid(parentId) }),
})

export const categoryMutations: Readonly<Record<string, MutationDefinition>> = {
  createCategory: creation<CategoryInput>({
    record: 'Category',
    what: 'Category',
    rules: categoryRules,
    lookUps: (input) => [
      slugTaken(categoryTable, input.slug),
      present(categoryTable, valueOf('parentId', input.parentId), 'Category'),
    ],
    write: (input) =>
      insertOne(categoryTable, {
        ...pick(input as Values, categoryColumns, 'left out'),
        ...categoryRow(input),
      }),
  }),
  updateCategory: change<CategoryInput>({
    record: 'Category',
    what: 'Category',
    rules: categoryRules,
    required: ['name', 'slug', 'position'],
    lookUps: (input, { id }) => [
      slugTaken(categoryTable, input.slug, id as string),
      present(categoryTable, valueOf('parentId', input.parentId), 'Category'),
    ],
    write: (input, { id }) =>
      update(categoryTable, byId(id), { ...pick(input as Values, categoryColumns), ...categoryRow(input) }),
  }),
  deleteCategory: deletion('Category', (id) => remove(categoryTable, byId(id))),
}
