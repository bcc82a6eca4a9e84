import type { CreateCategoryInput, UpdateCategoryInput } from '@commerce-graph/contract'
import type { MutationDefinition, Values } from '../../mutation/definition.ts'
import {
  byId,
  change,
  creation,
  deletion,
  externalIdTaken,
  insertOne,
  keptFields,
  pick,
  present,
  remove,
  update,
  valueOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'
import { categoryTable, slugTaken } from './tables.ts'

const categoryColumns = [
  'name',
  'slug',
  'description',
  'position',
  'seoTitle',
  'seoDescription',
  ...keptFields,
] as const

const categoryRow = ({ image, parentId }: CreateCategoryInput | UpdateCategoryInput): Values => ({
  ...(image !== undefined && {
    image_url: image?.url ?? null,
    image_alt: image?.alt ?? null,
    // The database finds the uploaded image that is at the URL.
    image_file_id: null,
  }),
  ...(parentId !== undefined && { parent_id: parentId === null ? null : toUuid(parentId) }),
})

export const categoryMutations: Readonly<Record<string, MutationDefinition>> = {
  createCategory: creation<'createCategory'>({
    record: 'Category',
    what: 'Category',
    lookUps: (input) => [
      slugTaken(categoryTable, 'Category', input.slug),
      externalIdTaken(categoryTable, 'Category', input.externalId),
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
      externalIdTaken(categoryTable, 'Category', input.externalId, id),
      present(categoryTable, valueOf('parentId', input.parentId), 'Category'),
    ],
    write: (input, { id }) =>
      update(categoryTable, byId(id), { ...pick(input, categoryColumns), ...categoryRow(input) }),
  }),
  deleteCategory: deletion('Category', (id) => remove(categoryTable, byId(id))),
}
