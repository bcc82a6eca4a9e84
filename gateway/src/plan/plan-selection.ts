import { type SelectionSetNode } from 'graphql'
import { type Complete, rowShape } from '../shape/shape.ts'
import { printSelection } from './hasura-document.ts'
import { type FieldSelection, planFields, planRow, type RowPlan } from './plan-row.ts'
import { type PlanScope } from './plan-scope.ts'

/**
 * What to select of a record that a mutation answers, as text for its Hasura document. The variables it uses are
 * declared in the scope, whose binders give them their values, and whose permissions are the ones it needs.
 */
export interface SelectionPlan {
  /** `{ id name }` */
  readonly text: string
  /** Makes the contract's object of Hasura's row, in place; undefined where they are the same. */
  readonly complete: Complete<unknown> | undefined
}

/** Plans what a client selects of a record. */
export function planSelection(
  scope: PlanScope,
  projection: string,
  selectionSets: readonly SelectionSetNode[],
): SelectionPlan {
  return selectionPlan(planRow(scope, projection, selectionSets))
}

/** Plans single fields of a record, under keys of the caller's. */
export function planSelectedFields(
  scope: PlanScope,
  projection: string,
  fields: readonly FieldSelection[],
): SelectionPlan {
  return selectionPlan(planFields(scope, projection, fields))
}

const selectionPlan = ({ fields, shapes }: RowPlan): SelectionPlan => ({
  text: printSelection(fields),
  complete: rowShape(shapes),
})
