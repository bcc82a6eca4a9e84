import type { GraphQLObjectType, SelectionSetNode } from 'graphql'
import type { TableModel } from '../schema/source-model.ts'
import type { DocumentScope } from './collect-fields.ts'
import type { PlanScope } from './plan-scope.ts'
import type { RowField } from './tree.ts'

/** The parts that planning a selection needs: the document, the schema's tables and the role's access to them. */
export interface SelectScope extends PlanScope, DocumentScope {
  /**
   * Plans the selection of a row. A parameter, because fields of rows lead to connections, aggregates and joins with
   * rows in them.
   */
  readonly planRowFields: PlanRowFields
}

export type PlanRowFields = (
  type: GraphQLObjectType,
  selections: readonly SelectionSetNode[],
  table: TableModel,
  scope: SelectScope,
  path: string,
) => readonly RowField[]
