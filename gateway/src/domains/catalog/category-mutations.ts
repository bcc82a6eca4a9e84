import type { CreateCategoryInput, UpdateCategoryInput } from '@commerce-graph/contract'
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
import { toUuid } from '../../projection/filter.ts'
import { categoryTable, slugTaken } from './tables.ts'

const categoryColumns = ['name', 'slug', 'description', 'position', 'seoTitle', 'seoDescription'] as const

const categoryRow = ({ image, parentId }: CreateCategoryInput | UpdateCategoryInput): Values => ({
  ...(image !== undefined && { image_url: image?.url ?? null, image_alt: image?.alt ?? null }),
  ...(parentId !== undefined && { parent_id: parentId === null ? null : toUuid(parentId) }),
})

export const categoryMutations: Readonly<Record<string, MutationDefinition>> = {
  createCategory: creation<'createCategory'>({
    record: 'Category',
    what: 'Category',
    lookUps: (input) => [
      slugTaken(categoryTable, 'Category', input.slug),
      present(categoryTable, valueOf('parentId', input.parentId), 'Category'),
    ],
    write: (input) =>
      insertOne(categoryTable, {
        ...pick(input, categoryColumns, 'left out'),
        ...categoryRow(input),
      }),
  }),
  updateCategory: change<'updateCategory'>({
    record: 'Category',
    what: 'Category',
    lookUps: (input, { id }) => [
      slugTaken(categoryTable, 'Category', input.slug, id),
      present(categoryTable, valueOf('parentId', input.parentId), 'Category'),
    ],
    write: (input, { id }) =>
      update(categoryTable, byId(id), { ...pick(input, categoryColumns), ...categoryRow(input) }),
  }),
  deleteCategory: deletion('Category', (id) => remove(categoryTable, byId(id))),
}
