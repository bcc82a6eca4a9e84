import { isUnicodeText, unicodeText } from '@commerce-graph/contract/input'
import { isNonNullType, type OperationDefinitionNode } from 'graphql'
import { type CatalogueError, invalidFormat } from '@commerce-graph/contract/errors'
import type { Stream } from '../projection/types.ts'
import { type FieldShape, type Row, rowShape } from '../shape/shape.ts'
import type { Binder, Request } from './binding.ts'
import { collectFields, selectionSetsOf } from './collect-fields.ts'
import { fatalRefusals, type SelectedField } from './field-access.ts'
import { type HasuraField, printOperation } from './hasura-document.ts'
import { planLookup } from './plan-query.ts'
import { planRow, projectionNamed } from './plan-row.ts'
import { PlanScope, type PlanScopeOptions } from './plan-scope.ts'

/** A subscription of the contract, as one for Hasura and what to do with its answers. */
export interface SubscriptionPlan {
  /** Why the subscription is refused; empty where the rest of the selection can still be answered. */
  readonly refusals: readonly CatalogueError[]
  readonly binders: readonly Binder[]
  readonly document: string
  /** The variables that the document uses. */
  readonly variables: ReadonlySet<string>
  /** The response key of its one field. */
  readonly key: string
  readonly source: SubscriptionSource
}

export type SubscriptionSource =
  /** Each answer is the whole state. */
  | { readonly kind: 'live'; readonly shape: FieldShape | undefined }
  /** Each answer holds the rows that came after the last one. */
  | {
      readonly kind: 'stream'
      /** Makes an answer of a row, which stands under the response key. */
      readonly shape: FieldShape
      /** The variable that says after which value to begin. */
      readonly variable: string
      /** Where a client says it; undefined where it doesn't. */
      readonly after: (request: Request) => unknown
      /** Asks for the last row that there is now. */
      readonly latest: string
      /** The keys of Hasura's answers under which the rows stand, and of each row under which its place does. */
      readonly rows: string
      readonly place: string
    }

/** Rows of a stream that come at once. More of them come with the next answers, as fast as they are taken. */
const batchSize = 20

/**
 * Plans a validated subscription. What is thrown is a bug.
 *
 * @returns null when its only field is skipped, which validation can't know
 */
export function planSubscription(
  operation: OperationDefinitionNode,
  options: PlanScopeOptions,
): SubscriptionPlan | null {
  const scope = new PlanScope(options)
  const type = scope.schema.getSubscriptionType()
  if (!type) throw new Error('the contract has no root of subscriptions')
  const [selected] = collectFields(scope, type, [operation.selectionSet])
  const definition = selected && type.getFields()[selected[1][0].name.value]
  if (!selected || !definition) return null
  const [key, group] = selected
  const field = { key, type: type.name, definition, group }
  const { fields, source } = scope.below(key, () => {
    // A subscription has this one field: without it there is nothing to tell.
    scope.refusalOfRoot(field, true)
    return planSource(scope, field)
  })
  return {
    refusals: fatalRefusals(scope),
    binders: scope.binders,
    ...printOperation('subscription', fields, scope.hasuraVariables),
    key,
    source,
  }
}

interface SourcePlan {
  readonly fields: readonly HasuraField[]
  readonly source: SubscriptionSource
}

function planSource(scope: PlanScope, field: SelectedField): SourcePlan {
  const projection = scope.projections.subscriptions.get(field.definition.name)
  if (!projection) throw new Error(`${field.type}.${field.definition.name} has no projection`)
  switch (projection.kind) {
    case 'lookup': {
      const { fields, shapes } = planLookup(scope, projection, field)
      return { fields, source: { kind: 'live', shape: shapes[0] } }
    }
    case 'stream':
      return planStream(scope, projection, field)
    default:
      return projection satisfies never
  }
}

function planStream(scope: PlanScope, { projection, cursor }: Stream, field: SelectedField): SourcePlan {
  const args = scope.arguments(field.definition, field.group)
  scope.binders.push((request, { errors }) => {
    if (!isUnicodeText(String(args.in(request)[cursor.argument])))
      errors.push(invalidFormat(cursor.argument, unicodeText))
  })
  const { table } = projectionNamed(scope, projection)
  const row = planRow(scope, projection, selectionSetsOf(field.group))
  const after = scope.variable(cursor.type)
  const [rows, place] = [scope.hiddenKey(), scope.hiddenKey()]
  const shape: FieldShape = {
    key: field.key,
    field: `${field.type}.${field.definition.name}`,
    nonNull: isNonNullType(field.definition.type),
    complete: rowShape(row.shapes),
  }
  const asked: HasuraField = {
    alias: rows,
    name: `${table}_stream`,
    args: { stream: { batchSize, column: cursor.column, after } },
    selection: [...row.fields, { alias: place, name: cursor.column }],
  }
  const latest: HasuraField = {
    alias: rows,
    name: table,
    args: { orderBy: [{ path: [cursor.column], direction: 'desc' }], limit: 1 },
    selection: [{ alias: place, name: cursor.column }],
  }
  return {
    fields: [asked],
    source: {
      kind: 'stream',
      shape,
      variable: after.name,
      after: (request) => args.in(request)[cursor.argument],
      latest: printOperation('query', [latest], []).document,
      rows,
      place,
    },
  }
}

/** The rows of a stream's answer, and where each stands in it. */
export const streamedRows = (
  answer: Row,
  { rows, place }: Extract<SubscriptionSource, { kind: 'stream' }>,
): readonly { readonly row: Row; readonly place: unknown }[] =>
  (answer[rows] as readonly Row[]).map((row) => {
    const value = row[place]
    row[place] = undefined
    return { row, place: value }
  })
