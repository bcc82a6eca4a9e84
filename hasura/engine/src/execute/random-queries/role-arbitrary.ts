import fc from 'fast-check'
import { type ColumnType, type TableName, days, library, tableNames, words } from './library.ts'
import type { Permission, Role } from './roles.ts'
import { type BoolExp, columnOperators } from './query.ts'

/** The greatest depth of a permission's expression. */
const deepest = 3

const permissionOn = (table: TableName): fc.Arbitrary<Permission> =>
  fc.record({
    columns: fc.constant(Object.keys(library[table].columns)),
    filter: expression(table, table, deepest),
    aggregations: fc.constant(true),
  })

/** An expression about rows of `table`, in the permission of `root`. */
function expression(table: TableName, root: TableName, depth: number): fc.Arbitrary<BoolExp> {
  const leaves = [
    comparison(table),
    ...(['row', 'root'] as const).map((of) => columnComparison(table, of, of === 'row' ? table : root)),
  ]
  if (depth === 0) return fc.oneof(...leaves)
  const below = expression(table, root, depth - 1)
  const related = Object.entries(library[table].relationships).map(([relationship, { table: other }]) =>
    fc.record({
      kind: fc.constant('related' as const),
      relationship: fc.constant(relationship),
      where: expression(other, root, depth - 1),
    }),
  )
  const existing = fc.constantFrom(...tableNames).chain((other) =>
    fc.record({
      kind: fc.constant('exists' as const),
      table: fc.constant(other),
      where: expression(other, root, depth - 1),
    }),
  )
  const many = fc.array(below, { minLength: 1, maxLength: 2 })
  return fc.oneof(
    ...leaves,
    fc.record({ kind: fc.constantFrom('and' as const, 'or' as const), of: many }),
    fc.record({ kind: fc.constant('not' as const), of: below }),
    ...related,
    existing,
  )
}

const columnsOf = (table: TableName, type: ColumnType): readonly string[] =>
  Object.entries(library[table].columns).flatMap(([name, own]) => (own === type ? [name] : []))

const comparedTypes = ['int', 'text', 'date'] as const

function columnComparison(table: TableName, of: 'row' | 'root', other: TableName): fc.Arbitrary<BoolExp> {
  const types = comparedTypes.filter(
    (type) => columnsOf(table, type).length > 0 && columnsOf(other, type).length > 0,
  )
  return fc.constantFrom(...types).chain((type) =>
    fc.record({
      kind: fc.constant('columns' as const),
      column: fc.constantFrom(...columnsOf(table, type)),
      operator: fc.constantFrom(...columnOperators),
      of: fc.constant(of),
      other: fc.constantFrom(...columnsOf(other, type)),
    }),
  )
}

function comparison(table: TableName): fc.Arbitrary<BoolExp> {
  const values = {
    int: fc.integer({ min: 0, max: 10 }),
    text: fc.constantFrom(...words),
    date: fc.constantFrom(...days),
  }
  const types = comparedTypes.filter((type) => columnsOf(table, type).length > 0)
  return fc.constantFrom(...types).chain((type) =>
    fc.record({
      kind: fc.constant('compare' as const),
      column: fc.constantFrom(...columnsOf(table, type)),
      operator: fc.constantFrom('_eq', '_neq', '_gt', '_lte'),
      value: values[type],
    }),
  )
}

/** A role that may read all tables, each under a permission over any rows and columns. */
export const anyRole: fc.Arbitrary<Role> = fc.record({
  author: permissionOn('author'),
  book: permissionOn('book'),
  review: permissionOn('review'),
})
