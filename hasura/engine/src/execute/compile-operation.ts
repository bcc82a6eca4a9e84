import type { Operation } from '../plan/document.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { type RootField, planOperation } from '../plan/plan-operation.ts'
import type { SelectScope } from '../plan/plan-select.ts'
import type { RoleSchema } from '../schema/role-schema.ts'
import { type CompiledField, compileMutation, compileSelect, statementsOf } from './compile.ts'
import { introspect } from './introspect.ts'

/** An operation, compiled: its root fields in the order of the answer. */
export interface CompiledOperation {
  readonly kind: 'query' | 'mutation'
  readonly fields: readonly CompiledRootField[]
  /** Whether it serves other requests with the same signature. */
  readonly reusable: boolean
  /** Characters of SQL. */
  readonly textLength: number
}

export type CompiledRootField = { readonly key: string } & (
  | { readonly kind: 'text'; readonly json: string }
  | { readonly kind: 'database'; readonly field: CompiledField }
  | {
      readonly kind: 'action'
      readonly action: Extract<RootField, { kind: 'action' | 'action-result' }>
      readonly scope: SelectScope
    }
)

/** What holds this request's values: an action's input, an introspection's answer. */
const isBound: ReadonlySet<RootField['kind']> = new Set(['action', 'action-result', 'introspection'])

export const compileOperation = (
  operation: Operation,
  variables: Readonly<Record<string, JsonValue>>,
  roleSchema: RoleSchema,
  stringifyNumbers: boolean,
): CompiledOperation => {
  const { kind, fields, scope } = planOperation(operation, variables, roleSchema)
  if (kind === 'subscription') throw new Error('A subscription is compiled for a batch')
  const compiled = fields.map((field) => compileRootField(field, operation, scope, stringifyNumbers))
  const statements = compiled.flatMap((field) => (field.kind === 'database' ? statementsOf(field.field) : []))
  return {
    kind,
    fields: compiled,
    textLength: statements.reduce((length, { text }) => length + text.length, 0),
    reusable: fields.every((field) => !isBound.has(field.kind)),
  }
}

const compileRootField = (
  field: RootField,
  operation: Operation,
  scope: SelectScope,
  stringifyNumbers: boolean,
): CompiledRootField => {
  const { key } = field
  switch (field.kind) {
    case 'text':
      return { key, kind: 'text', json: JSON.stringify(field.text) }
    case 'introspection':
      return { key, kind: 'text', json: introspect(field.node, operation, scope, field.path) }
    case 'select':
      return { key, kind: 'database', field: compileSelect(field.select, stringifyNumbers) }
    case 'stream':
      throw new Error('A stream is compiled for a batch')
    case 'mutation':
      return { key, kind: 'database', field: compileMutation(field, field.mutation, stringifyNumbers) }
    case 'action':
    case 'action-result':
      return { key, kind: 'action', action: field, scope }
    default:
      return field satisfies never
  }
}
