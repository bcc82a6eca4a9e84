import type { Catalog } from './catalog-of.ts'
import { orderStatements } from './order-statements.ts'
import { definedBy, type Statement } from './statement.ts'

export interface NextMigration {
  readonly up: string
  /** Differences that need a decision, such as a column that goes: their author writes the SQL. */
  readonly byHand: readonly string[]
}

/**
 * The statements that bring a database from the sum of the migrations to the source.
 *
 * @param before the sum of the migrations
 * @param after the source
 */
export function nextMigration(
  before: Catalog,
  after: Catalog,
  statements: readonly Statement[],
): NextMigration {
  const changed = [...after].filter(([object, definition]) => before.get(object) !== definition)
  const gone = [...before.keys()].filter((object) => !after.has(object))
  const dropped = gone.map((object) => [object, dropOf(object, gone)] as const)
  const altered = changed.map(
    ([object, definition]) => [object, alterationOf(object, definition, before)] as const,
  )
  const fromSource = new Set(
    altered.flatMap(([object, change]) => (change === 'from the source' ? [object] : [])),
  )
  const created = orderStatements(statements)
    .filter((statement) => objectsOf(statement).some((name) => [...fromSource].some(isNamed(name))))
    .map(({ text }) => orReplace(text))
  const sqlOf = (changes: readonly (readonly [string, Change])[]) =>
    changes.flatMap(([, change]) => (typeof change === 'object' ? [change.sql] : []))
  return {
    up: [...sqlOf(dropped), ...sqlOf(altered), ...created].map((sql) => `${sql}\n`).join('\n'),
    byHand: [...dropped, ...altered].flatMap(([object, change]) => (change === 'by hand' ? [object] : [])),
  }
}

type Change =
  | { readonly sql: string }
  /** The source's own statement makes it. */
  | 'from the source'
  | 'by hand'
  /** It comes and goes with another object. */
  | 'with another'

/** The statement that drops an object that the source no longer has. Rows and columns are dropped by hand only. */
function dropOf(object: string, gone: readonly string[]): Change {
  const [kind, name, part] = partsOf(object)
  if (kind !== 'table' && gone.includes(`table ${name}`)) return 'with another'
  switch (kind) {
    case 'function':
    case 'view':
    case 'index':
    case 'type':
      return { sql: `DROP ${kind.toUpperCase()} ${object.slice(kind.length + 1)};` }
    case 'trigger':
      return { sql: `DROP TRIGGER ${part} ON ${name};` }
    case 'constraint':
      return { sql: `ALTER TABLE ${name} DROP CONSTRAINT ${part};` }
    default:
      return 'by hand'
  }
}

/** The statements that create or change an object to the source's definition. */
function alterationOf(object: string, definition: string, before: Catalog): Change {
  const [kind, name, part] = partsOf(object)
  const isNew = !before.has(object)
  switch (kind) {
    case 'function':
    case 'view':
    case 'trigger':
      return 'from the source'
    case 'schema':
    case 'extension':
    case 'table':
    case 'type':
      return isNew ? 'from the source' : 'by hand'
    case 'index': {
      if (before.has(`constraint ${name}`)) return 'with another'
      return isNew ? 'from the source' : { sql: `DROP INDEX ${name};\n${definition};` }
    }
    case 'column': {
      const table = name.slice(0, name.lastIndexOf('.'))
      if (!before.has(`table ${table}`)) return 'with another'
      return isNew
        ? { sql: `ALTER TABLE ${table} ADD COLUMN ${name.slice(table.length + 1)} ${definition};` }
        : 'by hand'
    }
    case 'constraint': {
      if (!before.has(`table ${name}`)) return 'with another'
      const drop = isNew ? '' : `DROP CONSTRAINT ${part}, `
      return { sql: `ALTER TABLE ${name} ${drop}ADD CONSTRAINT ${part} ${definition};` }
    }
    default:
      return 'by hand'
  }
}

/** `trigger ordering.order touch` is the trigger `touch` of `ordering.order`. */
function partsOf(object: string): readonly [kind: string, name: string, part: string] {
  const [kind = '', name = '', part = ''] = object.split(' ')
  return [kind, name, part]
}

/** The beginnings of the names under which the catalog has what the statement makes. */
function objectsOf(statement: Statement): readonly string[] {
  const { node } = statement
  if ('CreateTrigStmt' in node) {
    const { relation, trigname } = node.CreateTrigStmt
    return [`trigger ${relation?.schemaname ?? ''}.${relation?.relname ?? ''} ${trigname ?? ''}`]
  }
  if ('IndexStmt' in node)
    return [`index ${node.IndexStmt.relation?.schemaname ?? ''}.${node.IndexStmt.idxname ?? ''}`]
  if ('CreateExtensionStmt' in node) return [`extension ${node.CreateExtensionStmt.extname ?? ''}`]
  const name = definedBy(statement)
  if (name === null) return []
  if ('CreateFunctionStmt' in node) return [`function ${name.slice(0, -1)}`]
  return ['schema', 'table', 'type', 'view'].map((kind) => `${kind} ${name}`)
}

const isNamed =
  (name: string) =>
  (object: string): boolean =>
    name.endsWith('(') ? object.startsWith(name) : object === name

const orReplace = (text: string): string =>
  text.replace(/^CREATE (FUNCTION|VIEW|TRIGGER)\b/m, 'CREATE OR REPLACE $1')
