import { isObjectType } from 'graphql'
import { encodeCursor } from '../cursor/cursor.ts'
import type { PresetLimit } from '../projection/types.ts'
import { newRow, type Row, type ShapeContext } from '../shape/shape.ts'
import { collectFields, type FieldGroup, selectionSetsOf } from './collect-fields.ts'
import type { FieldArguments, PlanScope } from './plan-scope.ts'

/** The page of the object's results, which the list and its page info share: Postgres finds it once. */
export interface SharedPage {
  /** Which of the context's page sizes is this one's, and which the number of results before it. */
  readonly size: number
  readonly offset: number
  readonly hasCursor: boolean
  /** Where the rows are in Hasura's answer. */
  readonly alias: string
  /** Whether a list reads the rows under this alias. Another one, under another key, selects other things. */
  isListed: boolean
}

export function planSharedPage(
  scope: PlanScope,
  { argument, preset }: PresetLimit,
  args: FieldArguments,
): SharedPage {
  const [size, offset] = [scope.page(), scope.page()]
  scope.binders.push((request, { pageSizes }) => {
    const given = args.in(request)
    pageSizes[size] = Number(given[argument] ?? preset)
    pageSizes[offset] = Number(given['offset'] ?? 0)
  })
  return { size, offset, hasCursor: args.now['after'] != null, alias: scope.hiddenKey(), isListed: false }
}

export const pageColumns = ['id', 'sort_by', 'sort_value'] as const

/** The fields of PageInfo, of rows with `pageColumns`: those of the page, and of the next one the first, if there is one. */
export function readPage(
  { size, offset, hasCursor }: SharedPage,
  list: string,
  rows: readonly Row[],
  { pageSizes }: ShapeContext,
): Readonly<Record<string, unknown>> {
  const first = pageSizes[size] ?? 0
  const onPage = rows.slice(0, first)
  const cursorOf = (row: Row | undefined) =>
    row === undefined
      ? null
      : encodeCursor({
          sort: `${list}.${String(row['sort_by'])}`,
          value: row['sort_value'],
          id: String(row['id']),
        })
  return {
    hasNextPage: rows.length > first,
    hasPreviousPage: hasCursor || (pageSizes[offset] ?? 0) > 0,
    startCursor: cursorOf(onPage.at(0)),
    endCursor: cursorOf(onPage.at(-1)),
  }
}

/** The fields of PageInfo that the client asks for. */
export function shapePageInfo(
  scope: PlanScope,
  group: FieldGroup,
  page: Readonly<Record<string, unknown>>,
): Row {
  const type = scope.schema.getType('PageInfo')
  if (!isObjectType(type)) throw new Error('the contract has no PageInfo')
  const info = { __typename: type.name, ...page }
  const shaped = newRow()
  for (const [key, [field]] of collectFields(scope, type, selectionSetsOf(group)))
    shaped[key] = info[field.name.value as keyof typeof info]
  return shaped
}
