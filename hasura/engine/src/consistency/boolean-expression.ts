import type { Json, JsonObject } from '../metadata/parse.ts'
import { type QualifiedName, qualifiedName } from '../metadata/qualified-name.ts'

/** The meaning of a name in a boolean expression. */
export type Field =
  | { readonly kind: 'column' }
  | { readonly kind: 'relationship'; readonly target: QualifiedName }
  /** `target` is set when the computed field returns rows of a table. */
  | { readonly kind: 'computed-field'; readonly target: QualifiedName | undefined }

export type FieldLookup = (table: QualifiedName, name: string) => Field | undefined

/** A name in an expression. `operand` is the value that a column is compared with. */
export interface FieldReference {
  readonly table: QualifiedName
  readonly name: string
  readonly field: Field | undefined
  readonly operand: Json | undefined
}

/** Called for every name. The result replaces the name. */
export interface Renaming {
  readonly field: (reference: FieldReference) => string
  readonly table: (table: QualifiedName) => QualifiedName
}

const columnOperators = /^[_$]c(eq|ne|neq|gt|lt|gte|lte)$/

/**
 * Walks a permission's expression with the table that each name belongs to. The same walk finds unknown names, collects
 * the objects that an expression depends on, and renames.
 */
export function mapExpression(
  expression: JsonObject,
  table: QualifiedName,
  lookup: FieldLookup,
  renaming: Renaming,
): JsonObject {
  const root = table
  const walk = (value: Json, current: QualifiedName): Json => {
    if (Array.isArray(value)) return (value as readonly Json[]).map((item) => walk(item, current))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, operand]) => entry(key, operand, current)))
  }

  const entry = (key: string, operand: Json, current: QualifiedName): [string, Json] => {
    switch (key) {
      case '_and':
      case '$and':
      case '_or':
      case '$or':
      case '_not':
      case '$not':
        return [key, walk(operand, current)]
      case '_exists':
      case '$exists':
        return [key, exists(operand)]
      default:
        return fieldEntry(key, operand, current)
    }
  }

  const exists = (operand: Json): Json => {
    if (!isObject(operand)) return operand
    const named = qualifiedName.safeParse(operand['_table'])
    if (!named.success) return operand
    return {
      ...operand,
      _table: { ...renaming.table(named.data) },
      _where: walk(operand['_where'] ?? {}, named.data),
    }
  }

  const fieldEntry = (name: string, operand: Json, current: QualifiedName): [string, Json] => {
    const field = lookup(current, name)
    const renamed = renaming.field({ table: current, name, field, operand })
    if (field?.kind === 'relationship') return [renamed, walk(operand, field.target)]
    if (field?.kind === 'computed-field' && field.target) return [renamed, walk(operand, field.target)]
    return [renamed, operators(operand, current)]
  }

  /** Most operands are values; those of `_ceq` and its like name another column. */
  const operators = (operand: Json, current: QualifiedName): Json =>
    isObject(operand)
      ? Object.fromEntries(
          Object.entries(operand).map(([key, value]) => [
            key,
            columnOperators.test(key) ? columnPath(value, current) : value,
          ]),
        )
      : operand

  const columnPath = (path: Json, current: QualifiedName): Json => {
    if (typeof path === 'string') return column(path, current)
    if (!Array.isArray(path)) return path
    const names = path as readonly Json[]
    let at = names[0] === '$' ? root : current
    return names.map((name, index) => {
      if (typeof name !== 'string' || (name === '$' && index === 0)) return name
      const from = at
      const field = lookup(from, name)
      if (field?.kind === 'relationship') at = field.target
      return renaming.field({ table: from, name, field, operand: undefined })
    })
  }

  const column = (name: string, current: QualifiedName): string =>
    renaming.field({ table: current, name, field: lookup(current, name), operand: undefined })

  return walk(expression, table) as JsonObject
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** All names of an expression, in order. */
export function referencesOf(
  expression: JsonObject,
  table: QualifiedName,
  lookup: FieldLookup,
): { readonly fields: readonly FieldReference[]; readonly tables: readonly QualifiedName[] } {
  const fields: FieldReference[] = []
  const tables: QualifiedName[] = []
  mapExpression(expression, table, lookup, {
    field: (reference) => {
      fields.push(reference)
      return reference.name
    },
    table: (name) => {
      tables.push(name)
      return name
    },
  })
  return { fields, tables }
}
