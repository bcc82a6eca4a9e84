import { isDateTime } from '@commerce-graph/contract/input'
import { type Cursor, decodeCursor } from '../cursor/cursor.ts'
import { type Keyset, opposite } from '../cursor/keyset.ts'
import { cursorArgument, isBackward, readPageSize } from '../cursor/page.ts'
import { invalidFormat } from '@commerce-graph/contract/errors'
import type { VariableReference } from '../projection/condition.ts'
import { isUuid } from '../projection/filter.ts'
import type { ConnectionProjection, SortField } from '../projection/types.ts'
import type { FieldArguments, PlanScope } from './plan-scope.ts'

/** The page that the arguments ask for. Its size is known with the request; the rest is the plan's structure. */
export interface PagePlan {
  readonly number: number
  readonly backward: boolean
  readonly keyset: Keyset
  readonly sort: SortField
  /** `Projection.FIELD`, as cursors carry it. */
  readonly sortName: string
  readonly cursor: { readonly value: VariableReference; readonly id: VariableReference } | undefined
}

/** The order in which the page is read from its cursor on. */
export const ahead = ({ keyset: { column, direction }, backward }: PagePlan): Keyset => ({
  column,
  direction: backward ? opposite(direction) : direction,
})

/**
 * @param needsRows whether anything but a total is selected, so that the cursor matters beyond its being valid
 */
export function planPage(
  scope: PlanScope,
  connection: ConnectionProjection,
  args: FieldArguments,
  needsRows: boolean,
): PagePlan {
  const { sortBy: presetField, direction: presetDirection } = connection.preset
  const given = args.now['sortBy']
  const sortBy = typeof given === 'string' ? given : presetField
  const sort = connection.sortFields[sortBy]
  if (!sort) throw new Error(`${connection.projection} can't be sorted by ${sortBy}`)
  const order = args.now['sortOrder']
  const direction = order == null ? presetDirection : order === 'ASC' ? 'asc' : 'desc'
  const sortName = `${connection.projection}.${sortBy}`
  const argument = cursorArgument(args.now)
  return {
    number: scope.page(),
    backward: isBackward(args.now),
    keyset: { column: sort.column, direction },
    sort,
    sortName,
    cursor: argument && planCursor(scope, args, argument, { sort, sortName, needsRows }),
  }
}

/** A bad cursor is refused even where only the total is asked for, and no row is read from it on. */
function planCursor(
  scope: PlanScope,
  args: FieldArguments,
  argument: 'after' | 'before',
  { sort, sortName, needsRows }: Pick<PagePlan, 'sort' | 'sortName'> & { readonly needsRows: boolean },
): PagePlan['cursor'] {
  const variables = needsRows
    ? { value: scope.variable(`${sort.type}!`), id: scope.variable('uuid!') }
    : undefined
  scope.binders.push((request, bound) => {
    const cursor = decodeCursor(String(args.in(request)[argument]))
    if (cursor?.sort === sortName && isUuid(cursor.id) && isOfType(cursor, sort.type)) {
      if (!variables) return
      bound.variables[variables.value.name] = cursor.value
      bound.variables[variables.id.name] = cursor.id
    } else {
      const reason = cursor ? 'the cursor belongs to another list or another sort order' : 'this is no cursor'
      bound.errors.push(invalidFormat(argument, 'cursor of this list in this sort order', reason))
    }
  })
  return variables
}

/** Cursors are not signed, so what one says is checked like any other input before Postgres reads it. */
function isOfType({ value }: Cursor, type: string): boolean {
  switch (type) {
    case 'bigint':
    case 'Int':
      return Number.isSafeInteger(value) && (type === 'bigint' || Math.abs(Number(value)) < 2 ** 31)
    case 'timestamptz':
      return typeof value === 'string' && isDateTime(value)
    default:
      return typeof value === 'string' && !value.includes('\0')
  }
}

/** The number of rows to read: the page, and one more if the client selects whether another page exists. */
export function planLimit(
  scope: PlanScope,
  page: PagePlan,
  args: FieldArguments,
  needsRows: boolean,
  needsMore: boolean,
): VariableReference | undefined {
  const extra = needsMore ? 1 : 0
  const variable = needsRows ? scope.variable('Int!') : undefined
  scope.binders.push((request, { variables, pageSizes, errors }) => {
    const result = readPageSize(args.in(request))
    if ('error' in result) errors.push(result.error)
    const size = 'size' in result ? result.size : 0
    pageSizes[page.number] = size
    if (variable) variables[variable.name] = size + extra
  })
  return variable
}
