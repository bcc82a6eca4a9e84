import fc from 'fast-check'
import {
  type ColumnType,
  type TableName,
  type Value,
  days,
  documents,
  library,
  libraryRows,
  tableNames,
  tags,
  words,
} from './library.ts'
import type { Permission, Role } from './roles.ts'
import {
  type Aggregate,
  type AggregateName,
  type BoolExp,
  type Field,
  type OrderBy,
  type RootField,
  type SelectArgs,
  type Selection,
  directions,
} from './query.ts'

/** The greatest depth of selections and conditions below the root. */
const deepest = 3

/** Any query that the role's schema allows. */
export const queryOf = (role: Role): fc.Arbitrary<RootField> =>
  fc.constantFrom(...tableNames.filter((table) => role[table] !== undefined)).chain((table) => {
    const from = new Site(role, table, deepest)
    const rows: fc.Arbitrary<RootField> = fc.record({
      kind: fc.constant('rows'),
      table: fc.constant(table),
      args: from.args(),
      selection: from.selection(),
    })
    const byKey: fc.Arbitrary<RootField> = fc.record({
      kind: fc.constant('by-key'),
      table: fc.constant(table),
      id: fc.integer({ min: 1, max: libraryRows[table].length + 1 }),
      selection: from.selection(),
    })
    if (!from.permission.aggregations) return fc.oneof(rows, byKey)
    const aggregate: fc.Arbitrary<RootField> = fc.record({
      kind: fc.constant('aggregate'),
      table: fc.constant(table),
      args: from.args(),
      aggregate: from.aggregate(),
    })
    return fc.oneof({ weight: 4, arbitrary: rows }, { weight: 2, arbitrary: aggregate }, byKey)
  })

/** Types that sort the same here and in Postgres. */
const orderedTypes = ['int', 'float', 'text', 'date', 'bool'] as const

/** A table that a role reads, at some depth of a query. */
class Site {
  readonly #role: Role
  readonly #table: TableName
  readonly #depth: number
  readonly permission: Permission

  constructor(role: Role, table: TableName, depth: number) {
    const permission = role[table]
    if (permission === undefined) throw new Error(`The role has no ${table}`)
    this.#role = role
    this.#table = table
    this.#depth = depth
    this.permission = permission
  }

  selection(): fc.Arbitrary<Selection> {
    const columns: fc.Arbitrary<Field> = this.#column().map((column) => ({ kind: 'column', column }))
    const related = this.#related().map(({ name, kind, site }): fc.Arbitrary<Field> => {
      const relationship = fc.constant(name)
      if (kind === 'object')
        return fc.record({ kind: fc.constant('object'), relationship, selection: site.selection() })
      const rows: fc.Arbitrary<Field> = fc.record({
        kind: fc.constant('array'),
        relationship,
        args: site.args(),
        selection: site.selection(),
      })
      if (!site.permission.aggregations) return rows
      const aggregate: fc.Arbitrary<Field> = fc.record({
        kind: fc.constant('aggregate'),
        relationship,
        args: site.args(),
        aggregate: site.aggregate(),
      })
      return fc.oneof(rows, aggregate)
    })
    return fc
      .array(fc.oneof({ weight: 3, arbitrary: columns }, ...related), { minLength: 1, maxLength: 4 })
      .map((fields) => Object.fromEntries(fields.map((field, index) => [`f${index}`, field])))
  }

  args(): fc.Arbitrary<SelectArgs> {
    const page = fc.option(fc.nat({ max: 6 }), { nil: undefined, freq: 2 })
    const distinct = fc.oneof(
      { weight: 3, arbitrary: fc.constant<string[]>([]) },
      fc.uniqueArray(this.#scalarColumn(), { minLength: 1, maxLength: 2 }),
    )
    const orders = fc.array(this.orderBy(), { maxLength: 2 })
    return fc
      .record({
        where: fc.oneof(fc.constant<BoolExp>({ kind: 'and', of: [] }), this.where()),
        distinct,
        orders,
        directions: fc.array(fc.constantFrom(...directions), { minLength: 3, maxLength: 3 }),
        limit: page,
        offset: page,
      })
      .map(({ where, distinct: distinctOn, orders: others, directions: chosen, limit, offset }) => {
        const byColumn = (column: string, index: number): OrderBy => ({
          path: [],
          target: { kind: 'column', column },
          direction: chosen[index] ?? 'asc',
        })
        const orderBy = [...distinctOn.map(byColumn), ...others, byColumn('id', 2)]
        return { where, distinctOn, orderBy, limit, offset }
      })
  }

  aggregate(): fc.Arbitrary<Aggregate> {
    const of = (name: AggregateName, columns: readonly string[]) =>
      columns.length === 0
        ? fc.constant([])
        : fc.subarray([...columns]).map((chosen) => (chosen.length === 0 ? [] : [{ name, columns: chosen }]))
    return fc
      .record({
        count: fc.oneof(
          fc.constant({ distinct: false }),
          fc.record({ column: this.#column(), distinct: fc.boolean() }),
        ),
        sum: of('sum', this.#columnsOf(['int', 'float'])),
        avg: of('avg', this.#columnsOf(['int', 'float'])),
        min: of('min', this.#columnsOf(['int', 'float', 'text', 'date'])),
        max: of('max', this.#columnsOf(['int', 'float', 'text', 'date'])),
        nodes: fc.option(this.#depth > 0 ? this.#below().selection() : this.selection(), { nil: undefined }),
      })
      .map(({ count, sum, avg, min, max, nodes }) => ({ count, of: [...sum, ...avg, ...min, ...max], nodes }))
  }

  orderBy(): fc.Arbitrary<OrderBy> {
    const direction = fc.constantFrom(...directions)
    const column: fc.Arbitrary<OrderBy['target']> = this.#scalarColumn().map((name) => ({
      kind: 'column',
      column: name,
    }))
    const own: readonly fc.Arbitrary<OrderBy>[] = [
      column,
      ...this.#related()
        .filter(({ kind, site }) => kind === 'array' && site.permission.aggregations)
        .map(({ name, site }): fc.Arbitrary<OrderBy['target']> =>
          fc.oneof(
            fc.constant<OrderBy['target']>({ kind: 'count', relationship: name }),
            fc.record({
              kind: fc.constant('aggregate'),
              relationship: fc.constant(name),
              name: fc.constantFrom<AggregateName[]>('sum', 'avg', 'min', 'max'),
              column: fc.constantFrom(...site.#columnsOf(['int'])),
            }),
          ),
        ),
    ].map((target) => fc.record({ path: fc.constant<string[]>([]), target, direction }))
    const through = this.#related()
      .filter(({ kind }) => kind === 'object')
      .map(({ name, site }) =>
        site.orderBy().map((order): OrderBy => ({ ...order, path: [name, ...order.path] })),
      )
    return fc.oneof(...own, ...through)
  }

  where(): fc.Arbitrary<BoolExp> {
    const leaves: readonly fc.Arbitrary<BoolExp>[] = [
      this.#column().chain((column) => comparisonOf(column, this.#typeOf(column))),
      fc.record({ kind: fc.constant('null'), column: this.#column(), is: fc.boolean() }),
    ]
    if (this.#depth === 0) return fc.oneof(...leaves)
    const below = this.#below().where()
    const many = fc.array(below, { maxLength: 3 })
    const related = this.#related().flatMap(({ name, kind, site }): fc.Arbitrary<BoolExp>[] => {
      const relationship = fc.constant(name)
      const some: fc.Arbitrary<BoolExp> = fc.record({
        kind: fc.constant('related'),
        relationship,
        where: site.where(),
      })
      if (kind === 'object' || !site.permission.aggregations) return [some]
      const count: fc.Arbitrary<BoolExp> = fc
        .record({
          relationship,
          column: fc.option(site.#scalarColumn(), { nil: undefined }),
          isDistinct: fc.boolean(),
          filter: fc.oneof(fc.constant<BoolExp>({ kind: 'and', of: [] }), site.where()),
          operator: fc.constantFrom('_eq', '_neq', '_gt', '_lte'),
          value: fc.nat({ max: 3 }),
        })
        .map(({ isDistinct, ...counted }) => ({
          kind: 'count',
          ...counted,
          distinct: isDistinct && counted.column !== undefined,
        }))
      return [some, count, ...site.#aggregatePredicates(name)]
    })
    return fc.oneof(
      { weight: 4, arbitrary: fc.oneof(...leaves) },
      fc.record({ kind: fc.constantFrom('and' as const, 'or' as const), of: many }),
      fc.record({ kind: fc.constant('not'), of: below }),
      ...related,
    )
  }

  /** Conditions on aggregates of this table's rows, reached through a relationship. */
  #aggregatePredicates(relationship: string): readonly fc.Arbitrary<BoolExp>[] {
    const predicate = (
      names: readonly Extract<BoolExp, { kind: 'aggregate' }>['name'][],
      type: ColumnType,
      value: fc.Arbitrary<number | boolean>,
    ): readonly fc.Arbitrary<BoolExp>[] => {
      const columns = this.#columnsOf([type])
      if (columns.length === 0) return []
      return [
        fc.record({
          kind: fc.constant('aggregate'),
          relationship: fc.constant(relationship),
          name: fc.constantFrom(...names),
          column: fc.constantFrom(...columns),
          filter: fc.oneof(fc.constant<BoolExp>({ kind: 'and', of: [] }), this.where()),
          operator: fc.constantFrom('_eq', '_neq', '_gt', '_lte'),
          value,
        }),
      ]
    }
    return [
      ...predicate(['bool_and', 'bool_or'], 'bool', fc.boolean()),
      ...predicate(['avg', 'max', 'min', 'sum'], 'float', fc.constantFrom(0.5, 1, 3.75)),
    ]
  }

  #below(): Site {
    return new Site(this.#role, this.#table, this.#depth - 1)
  }

  /** The tables that the role may reach through relationships, one step deeper. */
  #related() {
    if (this.#depth === 0) return []
    return Object.entries(library[this.#table].relationships).flatMap(([name, { kind, table }]) =>
      this.#role[table] === undefined
        ? []
        : [{ name, kind, site: new Site(this.#role, table, this.#depth - 1) }],
    )
  }

  #typeOf(column: string): ColumnType {
    const type = library[this.#table].columns[column]
    if (type === undefined) throw new Error(`${this.#table} has no ${column}`)
    return type
  }

  #columnsOf(types: readonly ColumnType[]): readonly string[] {
    return this.permission.columns.filter((column) => types.includes(this.#typeOf(column)))
  }

  #column(): fc.Arbitrary<string> {
    return fc.constantFrom(...this.permission.columns)
  }

  #scalarColumn(): fc.Arbitrary<string> {
    return fc.constantFrom(...this.#columnsOf(orderedTypes))
  }
}

const patterns = {
  like: ['%', 'e%', '%t', '_ee', '%n%', 'gn__', '', 'cat'],
  similar: ['(ant|bee)', '%(n|e)%', 'g%', '_n%'],
  regex: ['^e', 't$', 'e{2}', '[aeiou]{2}', 'g|b', '^.n'],
} as const

const comparisonOf = (column: string, type: ColumnType): fc.Arbitrary<BoolExp> =>
  fc.oneof(...operatorsOf(type)).map(([operator, value]) => ({ kind: 'compare', column, operator, value }))

type Comparison = readonly [operator: string, value: Value]

function operatorsOf(type: ColumnType): readonly fc.Arbitrary<Comparison>[] {
  const pairs = (operators: readonly string[], values: fc.Arbitrary<Value>): fc.Arbitrary<Comparison> =>
    fc.tuple(fc.constantFrom(...operators), values)
  const ordered = ['_eq', '_neq', '_gt', '_gte', '_lt', '_lte']
  const general = (values: fc.Arbitrary<Value>): readonly fc.Arbitrary<Comparison>[] => [
    pairs(ordered, values),
    pairs(['_in', '_nin'], fc.array(values, { maxLength: 3 }) as fc.Arbitrary<Value>),
  ]
  const someTags = fc.array(fc.constantFrom(...tags), { maxLength: 3 })
  switch (type) {
    case 'int':
      return general(fc.integer({ min: -1, max: 25 }))
    case 'float':
      return general(fc.constantFrom(0.25, 0.5, 1, 2, 2.5))
    case 'date':
      return general(fc.constantFrom(...days))
    case 'bool':
      return general(fc.boolean())
    case 'text':
      return [
        ...general(fc.constantFrom(...words)),
        pairs(['_like', '_nlike', '_ilike', '_nilike'], fc.constantFrom(...patterns.like)),
        pairs(['_similar', '_nsimilar'], fc.constantFrom(...patterns.similar)),
        pairs(['_regex', '_nregex', '_iregex', '_niregex'], fc.constantFrom(...patterns.regex)),
      ]
    case 'texts':
      return [pairs([...ordered, '_contains', '_contained_in'], someTags)]
    case 'jsonb':
      return [
        pairs(['_eq', '_neq', '_contains', '_contained_in'], fc.constantFrom(...documents)),
        pairs(['_has_key'], fc.constantFrom('pages', 'cover', 'none')),
        pairs(
          ['_has_keys_any', '_has_keys_all'],
          fc.array(fc.constantFrom('pages', 'cover', 'none'), { maxLength: 2 }),
        ),
      ]
    default:
      return type satisfies never
  }
}
