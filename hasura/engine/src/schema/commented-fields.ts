import type { FieldConfigMap } from './row-field.ts'
import type { TableModel } from './source-model.ts'

/** A table's root fields, with the descriptions from metadata. */
export const commentedFields = (fields: FieldConfigMap, { rootFieldComments }: TableModel): FieldConfigMap =>
  Object.fromEntries(
    Object.entries(fields).map(([name, config]) => {
      const comment = rootFieldComments.get(name)
      return [name, comment === undefined ? config : { ...config, description: comment || null }]
    }),
  )
