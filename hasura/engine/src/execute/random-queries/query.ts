import type { TableName, Value } from './library.ts'

/** A query: the generator creates it, the interpreter answers it, and the printer writes it. */
export type RootField =
  | {
      readonly kind: 'rows'
      readonly table: TableName
      readonly args: SelectArgs
      readonly selection: Selection
    }
  | {
      readonly kind: 'aggregate'
      readonly table: TableName
      readonly args: SelectArgs
      readonly aggregate: Aggregate
    }
  | { readonly kind: 'by-key'; readonly table: TableName; readonly id: number; readonly selection: Selection }

/** By response key. */
export type Selection = Readonly<Record<string, Field>>

export type Field =
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'object'; readonly relationship: string; readonly selection: Selection }
  | {
      readonly kind: 'array'
      readonly relationship: string
      readonly args: SelectArgs
      readonly selection: Selection
    }
  | {
      readonly kind: 'aggregate'
      readonly relationship: string
      readonly args: SelectArgs
      readonly aggregate: Aggregate
    }

export interface Aggregate {
  readonly count: { readonly column?: string | undefined; readonly distinct: boolean }
  /** Columns by function, at least one for each. */
  readonly of: readonly { readonly name: AggregateName; readonly columns: readonly string[] }[]
  readonly nodes: Selection | undefined
}

export type AggregateName = 'sum' | 'avg' | 'min' | 'max'

export interface SelectArgs {
  readonly where: BoolExp
  readonly distinctOn: readonly string[]
  /** Begins with the columns of `distinctOn` and ends with the key, so that the order is unique. */
  readonly orderBy: readonly OrderBy[]
  readonly limit: number | undefined
  readonly offset: number | undefined
}

export const directions = [
  'asc',
  'desc',
  'asc_nulls_first',
  'asc_nulls_last',
  'desc_nulls_first',
  'desc_nulls_last',
] as const
type Direction = (typeof directions)[number]

/** A path of object relationships to a column, or to an aggregate of an array relationship. */
export interface OrderBy {
  readonly path: readonly string[]
  readonly target:
    | { readonly kind: 'column'; readonly column: string }
    | { readonly kind: 'count'; readonly relationship: string }
    | {
        readonly kind: 'aggregate'
        readonly relationship: string
        readonly name: AggregateName
        readonly column: string
      }
  readonly direction: Direction
}

export type BoolExp =
  | { readonly kind: 'and' | 'or'; readonly of: readonly BoolExp[] }
  | { readonly kind: 'not'; readonly of: BoolExp }
  | { readonly kind: 'compare'; readonly column: string; readonly operator: string; readonly value: Value }
  | { readonly kind: 'null'; readonly column: string; readonly is: boolean }
  /** Only in permissions, like the next two. */
  | { readonly kind: 'session'; readonly column: string; readonly variable: string }
  /** Compares a column with another one, of the same row or of the permission's root. */
  | {
      readonly kind: 'columns'
      readonly column: string
      readonly operator: ColumnOperator
      readonly of: 'row' | 'root'
      readonly other: string
    }
  | { readonly kind: 'exists'; readonly table: TableName; readonly where: BoolExp }
  | { readonly kind: 'related'; readonly relationship: string; readonly where: BoolExp }
  | {
      readonly kind: 'count'
      readonly relationship: string
      readonly column: string | undefined
      readonly distinct: boolean
      readonly filter: BoolExp
      readonly operator: string
      readonly value: number
    }
  /** Compares an aggregate over related rows with a value. */
  | {
      readonly kind: 'aggregate'
      readonly relationship: string
      readonly name: AggregateName | 'bool_and' | 'bool_or'
      readonly column: string
      readonly filter: BoolExp
      readonly operator: string
      readonly value: number | boolean
    }

export const columnOperators = ['_ceq', '_cne', '_cgt', '_clt', '_cgte', '_clte'] as const
export type ColumnOperator = (typeof columnOperators)[number]

export interface Request {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** The request, with all values in the document or with the values of the root field's arguments as variables. */
export function requestOf(root: RootField, form: 'inline' | 'variables'): Request {
  const isInline = form === 'inline'
  switch (root.kind) {
    case 'rows': {
      const query = `${root.table}${isInline ? printArgs(root.args) : variableArgs} ${printSelection(root.selection)}`
      return isInline ? inline(query) : withVariables(root, query)
    }
    case 'aggregate': {
      const query = `${root.table}_aggregate${isInline ? printArgs(root.args) : variableArgs} ${printAggregate(root.aggregate)}`
      return isInline ? inline(query) : withVariables(root, query)
    }
    case 'by-key':
      return isInline
        ? inline(`${root.table}_by_pk(id: ${root.id}) ${printSelection(root.selection)}`)
        : {
            query: `query ($id: Int!) { answer: ${root.table}_by_pk(id: $id) ${printSelection(root.selection)} }`,
            variables: { id: root.id },
          }
    default:
      return root satisfies never
  }
}

const inline = (field: string): Request => ({ query: `{ answer: ${field} }`, variables: {} })

const variableArgs =
  '(where: $where, distinct_on: $distinct, order_by: $order, limit: $limit, offset: $offset)'

const withVariables = (
  { table, args }: Extract<RootField, { readonly args: SelectArgs }>,
  field: string,
): Request => ({
  query:
    `query ($where: ${table}_bool_exp, $distinct: [${table}_select_column!], $order: [${table}_order_by!], ` +
    `$limit: Int, $offset: Int) { answer: ${field} }`,
  variables: JSON.parse(
    JSON.stringify({
      where: whereObject(args.where),
      ...(args.distinctOn.length === 0 ? {} : { distinct: args.distinctOn }),
      order: args.orderBy.map(orderObject),
      limit: args.limit,
      offset: args.offset,
    }).replaceAll('"@', '"'),
  ) as Request['variables'],
})

const printSelection = (selection: Selection): string =>
  `{ ${Object.entries(selection)
    .map(([key, field]) => `${key}: ${printField(field)}`)
    .join(' ')} }`

function printField(field: Field): string {
  switch (field.kind) {
    case 'column':
      return field.column
    case 'object':
      return `${field.relationship} ${printSelection(field.selection)}`
    case 'array':
      return `${field.relationship}${printArgs(field.args)} ${printSelection(field.selection)}`
    case 'aggregate':
      return `${field.relationship}_aggregate${printArgs(field.args)} ${printAggregate(field.aggregate)}`
    default:
      return field satisfies never
  }
}

function printAggregate({ count, of, nodes }: Aggregate): string {
  const column = count.column === undefined ? '' : `(columns: ${count.column}, distinct: ${count.distinct})`
  const functions = of.map(({ name, columns }) => `${name} { ${columns.join(' ')} }`)
  return `{ aggregate { count${column} ${functions.join(' ')} } ${nodes === undefined ? '' : `nodes ${printSelection(nodes)}`} }`
}

function printArgs({ where, distinctOn, orderBy, limit, offset }: SelectArgs): string {
  const order = orderBy.map((each) => literal(orderObject(each)))
  const args = [
    `where: ${literal(whereObject(where))}`,
    ...(distinctOn.length === 0 ? [] : [`distinct_on: [${distinctOn.join(', ')}]`]),
    `order_by: [${order.join(', ')}]`,
    ...(limit === undefined ? [] : [`limit: ${limit}`]),
    ...(offset === undefined ? [] : [`offset: ${offset}`]),
  ]
  return `(${args.join(', ')})`
}

function orderObject({ path, target, direction }: OrderBy): unknown {
  const name = `@${direction}`
  const last = (): unknown => {
    switch (target.kind) {
      case 'column':
        return { [target.column]: name }
      case 'count':
        return { [`${target.relationship}_aggregate`]: { count: name } }
      case 'aggregate':
        return { [`${target.relationship}_aggregate`]: { [target.name]: { [target.column]: name } } }
      default:
        return target satisfies never
    }
  }
  return path.reduceRight<unknown>((inner, relationship) => ({ [relationship]: inner }), last())
}

/** A condition in Hasura's form, which `where` and metadata share. */
export function whereObject(where: BoolExp): Readonly<Record<string, unknown>> {
  switch (where.kind) {
    case 'and':
    case 'or':
      return { [`_${where.kind}`]: where.of.map(whereObject) }
    case 'not':
      return { _not: whereObject(where.of) }
    case 'compare':
      return { [where.column]: { [where.operator]: where.value } }
    case 'null':
      return { [where.column]: { _is_null: where.is } }
    case 'session':
      return { [where.column]: { _eq: where.variable } }
    case 'columns':
      return {
        [where.column]: { [where.operator]: where.of === 'root' ? ['$', where.other] : [where.other] },
      }
    case 'exists':
      return { _exists: { _table: where.table, _where: whereObject(where.where) } }
    case 'related':
      return { [where.relationship]: whereObject(where.where) }
    case 'aggregate':
      return {
        [`${where.relationship}_aggregate`]: {
          [where.name]: {
            arguments: `@${where.column}`,
            filter: whereObject(where.filter),
            predicate: { [where.operator]: where.value },
          },
        },
      }
    case 'count':
      return {
        [`${where.relationship}_aggregate`]: {
          count: {
            ...(where.column === undefined ? {} : { arguments: [`@${where.column}`] }),
            distinct: where.distinct,
            filter: whereObject(where.filter),
            predicate: { [where.operator]: where.value },
          },
        },
      }
    default:
      return where satisfies never
  }
}

/** A value in GraphQL's notation: keys are names, and a text that begins with @ is a name, too. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, member]) => `${key}: ${literal(member)}`)
    return `{${fields.join(', ')}}`
  }
  return typeof value === 'string' && value.startsWith('@') ? value.slice(1) : JSON.stringify(value)
}
