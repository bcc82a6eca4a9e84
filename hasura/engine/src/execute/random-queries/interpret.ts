import { type Row, type TableName, type Value, library, libraryRows } from './library.ts'
import { type Role, sessionVariables } from './roles.ts'
import type {
  Aggregate,
  AggregateName,
  BoolExp,
  ColumnOperator,
  Field,
  OrderBy,
  RootField,
  SelectArgs,
  Selection,
} from './query.ts'

/** The value of a condition in SQL: true, false, or null for unknown. */
type Truth = boolean | null

/**
 * The author of a condition. In a client's condition, relationships lead only to rows that the role may see. A
 * permission's condition is evaluated over all rows, and has a root: the row that it decides about.
 */
type Speaker = { readonly kind: 'client' } | { readonly kind: 'permission'; readonly root: Row }

function rootOf(by: Speaker): Row {
  if (by.kind === 'client') throw new Error('A condition of a client has no root')
  return by.root
}

/** Answers a query in the simplest way, from the rows in memory: without index, join or plan. */
export function interpret(root: RootField, role: Role): unknown {
  const scope = new Interpreter(role)
  const { table } = root
  const rows = libraryRows[table]
  switch (root.kind) {
    case 'rows':
      return scope
        .select(table, rows, root.args, role[table]?.limit)
        .map((row) => scope.object(table, row, root.selection))
    case 'aggregate':
      return scope.aggregate(table, rows, root.args, root.aggregate)
    case 'by-key': {
      const [row] = scope.visible(table, rows).filter(({ id }) => id === root.id)
      return row === undefined ? null : scope.object(table, row, root.selection)
    }
    default:
      return root satisfies never
  }
}

class Interpreter {
  readonly #role: Role

  constructor(role: Role) {
    this.#role = role
  }

  /** The rows that the role may see. The permission itself is evaluated over all rows. */
  visible(table: TableName, rows: readonly Row[]): readonly Row[] {
    const permission = this.#role[table]
    if (permission === undefined) throw new Error(`The role has no ${table}`)
    return rows.filter(
      (row) => this.#holds(table, row, permission.filter, { kind: 'permission', root: row }) === true,
    )
  }

  /** Filters, sorts, keeps one row of each distinct kind, then cuts the page. */
  select(
    table: TableName,
    rows: readonly Row[],
    args: SelectArgs,
    permitted: number | undefined,
  ): readonly Row[] {
    const found = this.visible(table, rows).filter(
      (row) => this.#holds(table, row, args.where, { kind: 'client' }) === true,
    )
    const sorted = found.toSorted((a, b) => this.#compare(table, a, b, args.orderBy))
    const seen = new Set<string>()
    const distinct = sorted.filter((row) => {
      const kind = JSON.stringify(args.distinctOn.map((column) => row[column]))
      if (args.distinctOn.length === 0) return true
      if (seen.has(kind)) return false
      seen.add(kind)
      return true
    })
    const limit = Math.min(args.limit ?? Infinity, permitted ?? Infinity)
    return distinct.slice(args.offset ?? 0).slice(0, limit)
  }

  object(table: TableName, row: Row, selection: Selection): unknown {
    return Object.fromEntries(
      Object.entries(selection).map(([key, field]) => [key, this.#field(table, row, field)]),
    )
  }

  /** A role's limit applies to shown rows; only the arguments limit what is counted. */
  aggregate(
    table: TableName,
    rows: readonly Row[],
    args: SelectArgs,
    { count, of, nodes }: Aggregate,
  ): unknown {
    const counted = this.select(table, rows, args, undefined)
    const answer = {
      aggregate: {
        count: countOf(counted, count.column, count.distinct),
        ...Object.fromEntries(
          of.map(({ name, columns }) => [
            name,
            Object.fromEntries(
              columns.map((column) => [column, aggregateOf(name, valuesOf(counted, column))]),
            ),
          ]),
        ),
      },
    }
    if (nodes === undefined) return answer
    const shown = this.select(table, rows, args, this.#role[table]?.limit)
    return { ...answer, nodes: shown.map((row) => this.object(table, row, nodes)) }
  }

  #field(table: TableName, row: Row, field: Field): unknown {
    switch (field.kind) {
      case 'column':
        return row[field.column]
      case 'object': {
        const other = relationshipOf(table, field.relationship).table
        const [related] = this.visible(other, relatedRows(table, row, field.relationship))
        return related === undefined ? null : this.object(other, related, field.selection)
      }
      case 'array': {
        const other = relationshipOf(table, field.relationship).table
        const related = relatedRows(table, row, field.relationship)
        return this.select(other, related, field.args, this.#role[other]?.limit).map((each) =>
          this.object(other, each, field.selection),
        )
      }
      case 'aggregate': {
        const other = relationshipOf(table, field.relationship).table
        return this.aggregate(other, relatedRows(table, row, field.relationship), field.args, field.aggregate)
      }
      default:
        return field satisfies never
    }
  }

  #holds(table: TableName, row: Row, where: BoolExp, by: Speaker): Truth {
    const related = (relationship: string): readonly Row[] => {
      const rows = relatedRows(table, row, relationship)
      return by.kind === 'client' ? this.visible(relationshipOf(table, relationship).table, rows) : rows
    }
    const some = (other: TableName, rows: readonly Row[], condition: BoolExp): readonly Row[] =>
      rows.filter((each) => this.#holds(other, each, condition, by) === true)
    switch (where.kind) {
      case 'and':
        return allOf(where.of.map((each) => this.#holds(table, row, each, by)))
      case 'or':
        return not(allOf(where.of.map((each) => not(this.#holds(table, row, each, by)))))
      case 'not':
        return not(this.#holds(table, row, where.of, by))
      case 'compare':
        return compareValue(row[where.column] ?? null, where.operator, where.value)
      case 'null':
        return (row[where.column] === null) === where.is
      case 'session':
        return compareValue(
          row[where.column] ?? null,
          '_eq',
          (sessionVariables as Readonly<Record<string, string>>)[where.variable] ?? null,
        )
      case 'columns': {
        const others = where.of === 'row' ? row : rootOf(by)
        return compareColumns(row[where.column] ?? null, where.operator, others[where.other] ?? null)
      }
      case 'exists':
        return some(where.table, libraryRows[where.table], where.where).length > 0
      case 'related': {
        const other = relationshipOf(table, where.relationship).table
        return some(other, related(where.relationship), where.where).length > 0
      }
      case 'count': {
        const other = relationshipOf(table, where.relationship).table
        const counted = some(other, related(where.relationship), where.filter)
        return compareValue(countOf(counted, where.column, where.distinct), where.operator, where.value)
      }
      case 'aggregate': {
        const other = relationshipOf(table, where.relationship).table
        const rows = some(other, related(where.relationship), where.filter)
        return compareValue(
          predicateValue(where.name, valuesOf(rows, where.column)),
          where.operator,
          where.value,
        )
      }
      default:
        return where satisfies never
    }
  }

  #compare(table: TableName, a: Row, b: Row, orderBy: readonly OrderBy[]): number {
    for (const order of orderBy) {
      const [left, right] = [this.#orderValue(table, a, order), this.#orderValue(table, b, order)]
      const difference = compareOrdered(left, right, order.direction)
      if (difference !== 0) return difference
    }
    return 0
  }

  #orderValue(table: TableName, row: Row, { path, target, direction }: OrderBy): Value {
    const [relationship, ...rest] = path
    if (relationship !== undefined) {
      const other = relationshipOf(table, relationship).table
      const [related] = this.visible(other, relatedRows(table, row, relationship))
      return related === undefined
        ? null
        : this.#orderValue(other, related, { path: rest, target, direction })
    }
    if (target.kind === 'column') return row[target.column] ?? null
    const other = relationshipOf(table, target.relationship).table
    const rows = this.visible(other, relatedRows(table, row, target.relationship))
    return target.kind === 'count' ? rows.length : aggregateOf(target.name, valuesOf(rows, target.column))
  }
}

function relationshipOf(table: TableName, name: string) {
  const relationship = library[table].relationships[name]
  if (relationship === undefined) throw new Error(`${table} has no relationship ${name}`)
  return relationship
}

function relatedRows(table: TableName, row: Row, name: string): readonly Row[] {
  const { table: other, own, other: column } = relationshipOf(table, name)
  return libraryRows[other].filter((each) => each[column] !== null && each[column] === row[own])
}

const not = (truth: Truth): Truth => (truth === null ? null : !truth)

const allOf = (truths: readonly Truth[]): Truth =>
  truths.includes(false) ? false : truths.includes(null) ? null : true

const valuesOf = (rows: readonly Row[], column: string): readonly Value[] =>
  rows.map((row) => row[column] ?? null).filter((value) => value !== null)

function countOf(rows: readonly Row[], column: string | undefined, distinct: boolean): number {
  if (column === undefined) return rows.length
  const values = valuesOf(rows, column)
  return distinct ? new Set(values.map((value) => canonical(value))).size : values.length
}

function aggregateOf(name: AggregateName, values: readonly Value[]): Value {
  if (values.length === 0) return null
  const total = (): number => values.reduce<number>((sum, value) => sum + Number(value), 0)
  switch (name) {
    case 'sum':
      return total()
    case 'avg':
      return total() / values.length
    case 'min':
      return values.toSorted(compareValues)[0] ?? null
    case 'max':
      return values.toSorted(compareValues).at(-1) ?? null
    default:
      return name satisfies never
  }
}

function predicateValue(name: AggregateName | 'bool_and' | 'bool_or', values: readonly Value[]): Value {
  if (name !== 'bool_and' && name !== 'bool_or') return aggregateOf(name, values)
  if (values.length === 0) return null
  return name === 'bool_and' ? !values.includes(false) : values.includes(true)
}

const plainOperators = {
  _ceq: '_eq',
  _cne: '_neq',
  _cgt: '_gt',
  _clt: '_lt',
  _cgte: '_gte',
  _clte: '_lte',
} satisfies Readonly<Record<ColumnOperator, string>>

const compareColumns = (value: Value, operator: ColumnOperator, other: Value): Truth =>
  other === null ? null : compareValue(value, plainOperators[operator], other)

/** Compares non-null values of one type: numbers, texts, dates as texts, booleans, arrays item by item. */
function compareValues(a: Value, b: Value): number {
  if (Array.isArray(a) && Array.isArray(b)) {
    const index = a.findIndex((item, at) => item !== b[at])
    if (index === -1) return a.length - b.length
    return index >= b.length ? 1 : compareValues(a[index] as Value, b[index] as Value)
  }
  const [left, right] = [a, b] as [number, number]
  return left < right ? -1 : left > right ? 1 : 0
}

/** NULL comes first in a descending order and last in an ascending one, unless the direction says otherwise. */
function compareOrdered(a: Value, b: Value, direction: OrderBy['direction']): number {
  const descending = direction.startsWith('desc')
  const nullsFirst = direction.endsWith('_nulls_first') || direction === 'desc'
  if (a === null || b === null) return a === b ? 0 : (a === null) === nullsFirst ? -1 : 1
  return descending ? compareValues(b, a) : compareValues(a, b)
}

/** The same text for values that Postgres holds equal: the order of an object's keys doesn't count. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )

/** A disjunction is true if one alternative is true, even when another is NULL. */
function compareValue(value: Value, operator: string, operand: Value): Truth {
  if (operator === '_in' || operator === '_nin') {
    const list = operand as readonly Value[]
    const found = not(allOf(list.map((each) => not(compareValue(value, '_eq', each)))))
    return operator === '_in' ? found : not(found)
  }
  if (value === null) return null
  const negative = /^_n(?:like|ilike|similar|regex|iregex)$/.exec(operator)
  if (negative) return not(compareValue(value, operator.replace('_n', '_'), operand))
  switch (operator) {
    case '_eq':
      return canonical(value) === canonical(operand)
    case '_neq':
      return canonical(value) !== canonical(operand)
    case '_gt':
      return compareValues(value, operand) > 0
    case '_gte':
      return compareValues(value, operand) >= 0
    case '_lt':
      return compareValues(value, operand) < 0
    case '_lte':
      return compareValues(value, operand) <= 0
    case '_like':
    case '_similar':
      return likePattern(operand as string, '').test(value as string)
    case '_ilike':
      return likePattern(operand as string, 'i').test(value as string)
    case '_regex':
      return new RegExp(operand as string).test(value as string)
    case '_iregex':
      return new RegExp(operand as string, 'i').test(value as string)
    case '_contains':
      return contains(value, operand)
    case '_contained_in':
      return contains(operand, value)
    case '_has_key':
      return hasKey(value, operand as string)
    case '_has_keys_any':
      return (operand as readonly string[]).some((key) => hasKey(value, key))
    case '_has_keys_all':
      return (operand as readonly string[]).every((key) => hasKey(value, key))
    default:
      throw new Error(`The interpreter does not know ${operator}`)
  }
}

/** SIMILAR TO also has alternatives, in the notation of regular expressions. */
const likePattern = (pattern: string, flags: string): RegExp =>
  new RegExp(`^(?:${pattern.replaceAll('%', '.*').replaceAll('_', '.')})$`, flags)

/** Arrays contain by items, documents by members. */
const contains = (whole: Value, part: Value): boolean =>
  Array.isArray(whole) && Array.isArray(part)
    ? part.every((item) => whole.includes(item))
    : Object.entries(part as object).every(
        ([key, member]) => hasKey(whole, key) && (whole as Readonly<Record<string, unknown>>)[key] === member,
      )

const hasKey = (value: Value, key: string): boolean => Object.hasOwn(value as object, key)
