import type { Node } from '@pgsql/types'

/** A statement of the source. */
export interface Statement {
  /** Relative to the source's folder: `ordering/functions/place_order.sql`. */
  readonly file: string
  readonly text: string
  /** The comment before it, which is not sent to Postgres. */
  readonly comment: string
  readonly node: Node
}

/**
 * The object that a statement creates and others may name: `ordering.order`, `ordering.place_order()`, `ordering`.
 * Null: none.
 */
export function definedBy({ node }: Statement): string | null {
  if ('CreateSchemaStmt' in node) return node.CreateSchemaStmt.schemaname ?? null
  if ('CreateStmt' in node) return qualified(node.CreateStmt.relation)
  if ('ViewStmt' in node) return qualified(node.ViewStmt.view)
  if ('CompositeTypeStmt' in node) return qualified(node.CompositeTypeStmt.typevar)
  if ('CreateFunctionStmt' in node) return `${functionName(node)}()`
  return null
}

/** The names that have to exist when the statement runs, as far as its text has them. Aliases may look like one. */
export function namedIn({ node, text }: Statement): ReadonlySet<string> {
  const runs = 'CreateFunctionStmt' in node && !isCheckedWhenCreated(node) ? signatureOf(text) : text
  const bare = runs.replace(/--[^\n]*/g, '')
  const names = [...bare.matchAll(/\b(([a-z_]+)\.[a-z_][a-z_0-9]*)(\s*\()?/g)]
  // A name before a bracket may be a table, too: INSERT INTO ordering.order (id) …
  return new Set(
    names.flatMap(([, name = '', schema = '', bracket]) => [
      schema,
      name,
      ...(bracket === undefined ? [] : [`${name}()`]),
    ]),
  )
}

type FunctionNode = Extract<Node, { CreateFunctionStmt: unknown }>

/** The body of a function in SQL is looked at when it is created; that of one in PL/pgSQL when it runs. */
const isCheckedWhenCreated = ({ CreateFunctionStmt: { options = [] } }: FunctionNode): boolean =>
  options.some(
    (option) =>
      'DefElem' in option &&
      option.DefElem.defname === 'language' &&
      option.DefElem.arg !== undefined &&
      'String' in option.DefElem.arg &&
      option.DefElem.arg.String.sval === 'sql',
  )

const signatureOf = (text: string): string => text.split(/\bAS\s+\$/)[0] ?? text

const qualified = (
  relation: { readonly schemaname?: string; readonly relname?: string } | undefined,
): string | null =>
  relation?.schemaname !== undefined && relation.relname !== undefined
    ? `${relation.schemaname}.${relation.relname}`
    : null

export const functionName = ({ CreateFunctionStmt: { funcname = [] } }: FunctionNode): string =>
  funcname.map((part) => ('String' in part ? (part.String.sval ?? '') : '')).join('.')
