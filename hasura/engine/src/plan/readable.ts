import type { Operand, ComputedCall } from '../schema/predicate.ts'
import type { ColumnModel, ComputedFieldModel, TableModel } from '../schema/source-model.ts'
import type { PlanScope } from './plan-scope.ts'

/** A column as the role may read it: null for an inherited role in rows where none of its roles may read it. */
export const readableColumn = (
  { name }: Pick<ColumnModel, 'name'>,
  table: TableModel,
  { access }: PlanScope,
): Operand => masked({ kind: 'column', name }, access.table(table).select?.masks.columns.get(name))

/** A scalar computed field as the role may read it. */
export const readableComputedField = (
  { name }: ComputedFieldModel,
  call: ComputedCall,
  table: TableModel,
  { access }: PlanScope,
): Operand => masked({ kind: 'computed', call }, access.table(table).select?.masks.computedFields.get(name))

const masked = (operand: Operand, when: Extract<Operand, { kind: 'masked' }>['when'] | undefined): Operand =>
  when === undefined ? operand : { kind: 'masked', operand, when }
