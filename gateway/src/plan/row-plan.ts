import { dateTime } from '../shape/date-time.ts'
import { isNonNullType, getNamedType } from 'graphql'
import type { FieldShape } from '../shape/shape.ts'
import type { SelectedField } from './field-access.ts'
import type { HasuraField } from './hasura-document.ts'

/** The selection of a row in Hasura's document, and the function that makes the contract's object of the row. */
export interface RowPlan {
  readonly fields: readonly HasuraField[]
  readonly shapes: readonly FieldShape[]
}

/** Timestamps have one form, wherever they come from. */
const inOneForm = ({ extract = (raw: unknown) => raw, ...shape }: FieldShape): FieldShape => ({
  ...shape,
  extract: (raw, row, context) => dateTime(extract(raw, row, context)),
})

/** A field that Hasura answers under its own key. */
export function plan(
  { key, type, definition }: SelectedField,
  fields: readonly HasuraField[],
  how: Pick<FieldShape, 'extract' | 'complete'> = {},
): RowPlan {
  const nonNull = isNonNullType(definition.type)
  const shape = { key, field: `${type}.${definition.name}`, nonNull, ...how }
  return { fields, shapes: [getNamedType(definition.type).name === 'DateTime' ? inOneForm(shape) : shape] }
}
