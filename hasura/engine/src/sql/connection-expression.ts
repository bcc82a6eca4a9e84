import { typeNameOf } from '../schema/permission-expression.ts'
import type {
  ConnectionField,
  ConnectionPlan,
  EdgeField,
  OrderTermPlan,
  PageField,
  SeekTerm,
} from '../plan/tree.ts'
import type { Expression, OrderTerm, Projection, Select } from './ast.ts'
import {
  and,
  binary,
  boolean,
  builtinType,
  call,
  cast,
  column,
  countRows,
  exists,
  integer,
  not,
  or,
  select,
  text,
} from './build.ts'
import { base64, type JsonEntry, type RowEntries, jsonObject, typeNameText, root } from './json-row.ts'
import { type RowScope, rowScope } from './predicate-expression.ts'
import { orderTerm, orderValue } from './order-value.ts'
import { rowCount, rowsFrom } from './rows-from.ts'
import { exactValue } from './exact-value.ts'
import { compared } from './spatial-expression.ts'
import { type Translation, withinRow } from './translation.ts'

/** The page's columns: a row's position in it, and its cursor. */
const position = 'position'
const cursor = 'cursor'

/**
 * A connection as JSON. It reads one row more than the page, in the page's direction, to know whether there are more
 * rows. Rows before an `after` are searched only if the client selects `hasPreviousPage`.
 */
export function connectionJson(
  plan: ConnectionPlan,
  parent: string | undefined,
  translation: Translation,
  rowEntries: RowEntries,
): Select {
  const alias = translation.aliases.next()
  const page = translation.aliases.next()
  const results = translation.aliases.next()
  const scope = rowScope(alias)
  const terms = plan.from === 'start' ? plan.rows.orderBy : plan.rows.orderBy.map(reversed)
  const edges: Projection[] = []
  const collected: Projection[] = []
  const collect = (value: Expression): Expression => {
    const name = `c${collected.length}`
    collected.push({ value, alias: name })
    return column(results, name)
  }
  const within =
    plan.count === undefined ? undefined : binary(column(page, position), '<=', rowCount(plan.count))
  const inPage = { page, within, from: plan.from }
  const node: EdgeRow = { plan, alias, translation, rowEntries }
  const beside: Beside = { plan, page, within, parent, translation, collect }

  const entry = (field: ConnectionField): JsonEntry => {
    const { key } = field
    switch (field.kind) {
      case 'text':
        return { key, value: typeNameText(field.text) }
      case 'edges': {
        const name = `edge${edges.length}`
        edges.push({
          value: jsonObject(field.fields.map((each) => edgeEntry(each, node))),
          alias: name,
        })
        return { key, value: collect(call('coalesce', inOrder(name, 'ASC', inPage), text('[]'))) }
      }
      case 'page':
        return { key, value: jsonObject(field.fields.map((each) => pageEntry(each, inPage, beside))) }
      default:
        return field satisfies never
    }
  }

  const entries = plan.fields.map(entry)
  if (collected.length === 0) collect(countRows)
  const order = terms.map((term) => orderTerm(term, scope, translation))
  const { clauses } = rowsFrom({ ...plan.rows, orderBy: terms }, alias, parent, translation, {
    condition: plan.seek === undefined ? boolean(true) : seekCondition(plan, scope, translation),
    ...(plan.count === undefined ? {} : { limit: binary(rowCount(plan.count), '+', integer(1)) }),
  })
  const numbered = select(
    [
      ...edges,
      { value: cursorExpression(plan.rows.orderBy, scope, translation), alias: cursor },
      { value: { kind: 'window', call: call('row_number'), orderBy: order }, alias: position },
    ],
    clauses,
  )
  return select([{ value: jsonObject(entries), alias: root }], {
    from: {
      kind: 'derived',
      select: select(collected, { from: { kind: 'derived', select: numbered, alias: page } }),
      alias: results,
    },
  })
}

interface InPage {
  readonly page: string
  /** Absent when the page has all rows. */
  readonly within: Expression | undefined
  readonly from: 'start' | 'end'
}

/** The values of a page's column as a JSON array, from the first row to the last or the reverse. */
function inOrder(name: string, direction: 'ASC' | 'DESC', { page, within, from }: InPage): Expression {
  const forward = (from === 'start') === (direction === 'ASC')
  const orderBy: OrderTerm[] = [
    { value: column(page, position), direction: forward ? 'ASC' : 'DESC', nulls: 'LAST' },
  ]
  return {
    ...call('json_agg', column(page, name)),
    orderBy,
    ...(within === undefined ? {} : { filter: within }),
  }
}

/** The row of an edge, and the parts that turn it into JSON. */
interface EdgeRow {
  readonly plan: ConnectionPlan
  readonly alias: string
  readonly translation: Translation
  readonly rowEntries: RowEntries
}

function edgeEntry(field: EdgeField, { plan, alias, translation, rowEntries }: EdgeRow): JsonEntry {
  const { key } = field
  switch (field.kind) {
    case 'text':
      return { key, value: typeNameText(field.text) }
    case 'cursor':
      return { key, value: cursorExpression(plan.rows.orderBy, rowScope(alias), translation) }
    case 'node':
      return { key, value: jsonObject(rowEntries(field.fields, alias, withinRow(plan.rows, translation))) }
    default:
      return field satisfies never
  }
}

interface Beside {
  readonly plan: ConnectionPlan
  readonly page: string
  readonly within: Expression | undefined
  readonly parent: string | undefined
  readonly translation: Translation
  readonly collect: (value: Expression) => Expression
}

function pageEntry(field: PageField, inPage: InPage, beside: Beside): JsonEntry {
  const { key } = field
  switch (field.kind) {
    case 'text':
      return { key, value: typeNameText(field.text) }
    case 'startCursor':
    case 'endCursor': {
      const values = inOrder(cursor, field.kind === 'startCursor' ? 'ASC' : 'DESC', inPage)
      return { key, value: beside.collect(call('coalesce', binary(values, '->>', integer(0)), text(''))) }
    }
    case 'hasPreviousPage':
      return { key, value: hasMore('end', 'after', beside) }
    case 'hasNextPage':
      return { key, value: hasMore('start', 'before', beside) }
    default:
      return field satisfies never
  }
}

/** Whether there are more rows in the page's direction, or rows on the other side of the cursor. */
function hasMore(direction: 'start' | 'end', side: 'after' | 'before', beside: Beside): Expression {
  const { plan, within, parent, translation, collect } = beside
  const leftOver =
    plan.from === direction && within !== undefined
      ? collect(call('coalesce', call('bool_or', not(within)), boolean(false)))
      : boolean(false)
  if (plan.seek?.side !== side) return leftOver
  const alias = translation.aliases.next()
  const scope = rowScope(alias)
  const behind = not(call('coalesce', seekCondition(plan, scope, translation), boolean(false)))
  const rows = { ...plan.rows, orderBy: [], distinctOn: [] }
  return or([
    leftOver,
    exists(
      select(
        [{ value: integer(1) }],
        rowsFrom(rows, alias, parent, translation, { condition: behind }).clauses,
      ),
    ),
  ])
}

const reversed = (term: OrderTermPlan): OrderTermPlan => ({
  ...term,
  direction: term.direction === 'ASC' ? 'DESC' : 'ASC',
  nulls: term.nulls === 'FIRST' ? 'LAST' : 'FIRST',
})

/** Rows beyond the cursor: greater in the first term, or equal in it and greater in the second, and so on. */
function seekCondition({ seek }: ConnectionPlan, scope: RowScope, translation: Translation): Expression {
  if (seek === undefined) return boolean(true)
  const terms =
    seek.side === 'after'
      ? seek.terms
      : seek.terms.map(({ term, bound }) => ({ term: reversed(term), bound }))
  return or(
    terms.map((term, index) =>
      and([
        ...terms.slice(0, index).map((earlier) => equals(earlier, scope, translation)),
        beyond(term, scope, translation),
      ]),
    ),
  )
}

function withBound(value: Expression, operator: '=' | '<' | '>', { term, bound }: SeekTerm): Expression {
  const type = typeNameOf(term.type)
  const parameter: Expression = { kind: 'parameter', source: { kind: 'literal', text: bound }, type }
  return compared(value, operator, parameter, type)
}

function equals(seek: SeekTerm, scope: RowScope, translation: Translation): Expression {
  const value = orderValue(seek.term.value, scope, translation)
  return seek.bound === null ? isNull(value, false) : withBound(value, '=', seek)
}

function beyond(seek: SeekTerm, scope: RowScope, translation: Translation): Expression {
  const { direction, nulls, nullable, value: ordered } = seek.term
  const value = orderValue(ordered, scope, translation)
  // With nulls first, all values come after a null; with nulls last, none does.
  if (seek.bound === null) return nulls === 'FIRST' ? isNull(value, true) : boolean(false)
  const further = withBound(value, direction === 'ASC' ? '>' : '<', seek)
  return nulls === 'FIRST' || !nullable
    ? further
    : or([further, isNull(orderValue(ordered, scope, translation), false)])
}

const isNull = (operand: Expression, negated: boolean): Expression => ({ kind: 'is-null', operand, negated })

/** The row's sort values, nested as in `order_by`, as JSON in base64. */
const cursorExpression = (
  terms: readonly OrderTermPlan[],
  scope: RowScope,
  translation: Translation,
): Expression =>
  base64(
    nested(
      terms.map(({ path, value, type }) => ({
        path,
        value: exactValue(orderValue(value, scope, translation), type),
      })),
    ),
  )

interface PathValue {
  readonly path: readonly string[]
  readonly value: Expression
}

function nested(values: readonly PathValue[]): Expression {
  const heads = [...new Set(values.map(({ path }) => path[0] ?? ''))]
  return call(
    'json_build_object',
    ...heads.flatMap((head) => {
      const own = values.filter(({ path }) => path[0] === head)
      const [first] = own
      const value =
        first !== undefined && first.path.length === 1
          ? first.value
          : nested(own.map((each) => ({ ...each, path: each.path.slice(1) })))
      return [cast(text(head), builtinType('text')), value]
    }),
  )
}
