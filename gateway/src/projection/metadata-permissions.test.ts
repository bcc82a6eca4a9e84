import { readMetadataDirectory } from '../../../hasura/engine/src/metadata/read-directory.ts'
import { expect, test } from 'vitest'
import { columnName, loadContract } from '@commerce-graph/contract'
import { projections } from './projections.ts'

/** The part of a table's metadata that defines who sees what. */
interface TrackedTable {
  readonly table: { readonly schema: string; readonly name: string }
  readonly select_permissions?: readonly {
    readonly role: string
    readonly permission: { readonly filter: unknown; readonly columns: readonly string[] }
  }[]
}

const metadata = (await readMetadataDirectory(
  new URL('../../../metadata', import.meta.url).pathname,
)) as unknown as { readonly sources: readonly { readonly tables: readonly TrackedTable[] }[] }
const tables: ReadonlyMap<string, TrackedTable> = new Map(
  metadata.sources.flatMap(({ tables }) =>
    tables.map((tracked) => [`${tracked.table.schema}_${tracked.table.name}`, tracked] as const),
  ),
)
const { permissions, schema } = loadContract()

const selectOf = (table: TrackedTable, role: string) =>
  table.select_permissions?.find((one) => one.role === role)?.permission

/** The permissions that a row filter needs: `_exists` over merchant.permission. */
function askedFor(filter: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof filter !== 'object' || filter === null) return found
  if ('_where' in filter && '_table' in filter) {
    const { _table: table, _where: where } = filter as {
      _table: { name?: string }
      _where: { name?: { _eq?: string } }
    }
    if (table.name === 'permission' && where.name?._eq !== undefined) found.add(where.name._eq)
  }
  for (const value of Object.values(filter)) askedFor(value, found)
  return found
}

/** Where the two APIs are meant to differ. */
const exceptions: Readonly<Record<string, string>> = {
  PromotionConditions: 'shoppers see promotions of theirs, and no column of the conditions',
  LowStock: 'shoppers pass the type’s rule and see none of its rows',
}

const typed = [...projections.types].flatMap(([name, { type, table: tableName }]) => {
  const rule = permissions.ofType(type)
  const table = tables.get(tableName)
  return rule === undefined || table === undefined ? [] : [{ name, type, rule, table }]
})

test('the types of the contract are found in the metadata', () => {
  expect(typed.length).toBeGreaterThan(40)
  expect(Object.keys(exceptions).filter((name) => !projections.types.has(name))).toEqual([])
})

test.each(typed.filter(({ name }) => !(name in exceptions)))(
  '$name needs the same permissions in /graphql and in Hasura’s own API',
  ({ rule, table }) => {
    expect([...askedFor(selectOf(table, 'merchant')?.filter)]).toEqual([rule.name])
    expect(selectOf(table, 'customer') !== undefined).toBe(rule.customer)
    // A table can have more types than one, and guests see some of them.
    if (rule.guest) expect(selectOf(table, 'guest')).toBeDefined()
  },
)

test('a field that is hidden from shoppers is a column that Hasura hides as well', () => {
  const shown = typed.flatMap(({ type, name, table }) => {
    const definition = schema.getType(type)
    const columns = new Set(selectOf(table, 'customer')?.columns)
    if (definition === undefined || !('getFields' in definition)) return []
    return Object.keys(definition.getFields())
      .filter((field) => {
        const rule = permissions.ofField(type, field)
        const special = projections.types.get(name)?.fields?.[field]
        if (rule === undefined || rule.customer || (special !== undefined && special.kind !== 'column'))
          return false
        return columns.has(special?.column ?? columnName(field))
      })
      .map((field) => `${name}.${field}`)
  })
  expect(shown).toEqual([])
})
