import type { CreateCategoryInput, UpdateCategoryInput } from '@commerce-graph/contract'
import type { UserError } from '@commerce-graph/contract/input'
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
import { categoryTable, filesPresent, pictureFaults, slugTaken } from './tables.ts'

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
    // The database takes the URL of a file from the file.
    image_url: image?.url ?? null,
    image_alt: image?.alt ?? null,
    image_file_id: image?.fileId == null ? null : toUuid(image.fileId),
  }),
  ...(parentId !== undefined && { parent_id: parentId === null ? null : toUuid(parentId) }),
})

const imageFaults = ({ image }: CreateCategoryInput | UpdateCategoryInput): readonly UserError[] =>
  image == null ? [] : pictureFaults(image, 'image.')

export const categoryMutations: Readonly<Record<string, MutationDefinition>> = {
  createCategory: creation<'createCategory'>({
    record: 'Category',
    what: 'Category',
    check: imageFaults,
    lookUps: (input) => [
      slugTaken(categoryTable, 'Category', input.slug),
      externalIdTaken(categoryTable, 'Category', input.externalId),
      present(categoryTable, valueOf('parentId', input.parentId), 'Category'),
      filesPresent(valueOf('image.fileId', input.image?.fileId)),
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
    check: imageFaults,
    lookUps: (input, { id }) => [
      slugTaken(categoryTable, 'Category', input.slug, id),
      externalIdTaken(categoryTable, 'Category', input.externalId, id),
      present(categoryTable, valueOf('parentId', input.parentId), 'Category'),
      filesPresent(valueOf('image.fileId', input.image?.fileId)),
    ],
    write: (input, { id }) =>
      update(categoryTable, byId(id), { ...pick(input, categoryColumns), ...categoryRow(input) }),
  }),
  deleteCategory: deletion('Category', (id) => remove(categoryTable, byId(id))),
}
