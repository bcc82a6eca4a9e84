import type { Operation } from '../plan/document.ts'
import type { InputValidation } from '../plan/input-validation.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { planOperation } from '../plan/plan-operation.ts'
import type { RootField, RootFieldPlace } from '../plan/root-field.ts'
import type { JoinRegistry } from '../plan/remote-joins.ts'
import type { SelectScope } from '../plan/select-scope.ts'
import type { RoleSchema } from '../schema/role-schema.ts'
import {
  type CompiledField,
  compileEntities,
  compileMutation,
  compileSelect,
  statementsOf,
} from './compile.ts'
import { createIntrospector } from './introspect.ts'

/** A compiled operation: its root fields in the order of the answer, grouped as they run. */
export interface CompiledOperation {
  readonly kind: 'query' | 'mutation'
  /** Requests to validating services, sent before any group runs. */
  readonly validations: readonly InputValidation[]
  readonly groups: readonly FieldGroup[]
  /** Relationships into other sources, filled in after the groups have run. Filling may add more. */
  readonly joins: JoinRegistry
  /** Whether the plan serves other requests with the same signature. */
  readonly reusable: boolean
  /** The SQL's length in characters. */
  readonly textLength: number
}

type CompiledRootField = Omit<RootFieldPlace, 'path'> &
  (
    | { readonly kind: 'text'; readonly json: string }
    | { readonly kind: 'database'; readonly field: CompiledField }
    | { readonly kind: 'remote'; readonly field: Extract<RootField, { kind: 'remote' }> }
    | {
        readonly kind: 'action'
        readonly action: Extract<RootField, { kind: 'action' | 'action-result' }>
        readonly scope: SelectScope
      }
  )

/** Fields whose compiled form holds this request's values, or an answer about the whole schema. */
const isBound: ReadonlySet<RootField['kind']> = new Set([
  'action',
  'action-result',
  'entities',
  'introspection',
  'remote',
  'service',
])

type ActionField = Extract<CompiledRootField, { kind: 'action' }>
type RemoteField = Extract<RootField, { kind: 'remote' }>
type TextField = Extract<CompiledRootField, { kind: 'text' }>
type DatabaseField = Extract<CompiledRootField, { kind: 'database' }>

/**
 * One action, or a run of neighbouring fields: those of the database share a connection if any of them needs one, and
 * those of remote schemas are sent together.
 */
export type FieldGroup =
  | { readonly kind: 'action'; readonly field: ActionField }
  | { readonly kind: 'remote'; readonly fields: readonly RemoteField[] }
  | { readonly kind: 'text'; readonly fields: readonly TextField[] }
  | {
      readonly kind: 'database'
      readonly fields: readonly (TextField | DatabaseField)[]
      readonly isolation: Isolation
    }

/**
 * The isolation of a group's statements on their connection: reading statements, one writing statement, or a
 * transaction of several.
 */
type Isolation = 'reads' | 'single-write' | 'transaction'

export function compileOperation(
  operation: Operation,
  variables: Readonly<Record<string, JsonValue>>,
  roleSchema: RoleSchema,
  stringifyNumbers: boolean,
): CompiledOperation {
  const { kind, fields, scope } = planOperation(operation, variables, roleSchema)
  if (kind === 'subscription') throw new Error('A subscription is compiled for a batch')
  const introspect = createIntrospector(operation, scope)
  const compiled = fields.map((field) => compileRootField(field, introspect, scope, stringifyNumbers))
  const statements = compiled.flatMap((field) => (field.kind === 'database' ? statementsOf(field.field) : []))
  const validations = fields.flatMap((field) => (field.kind === 'mutation' ? field.validations : []))
  return {
    kind,
    validations,
    groups: groupsOf(kind, compiled),
    joins: scope.joins,
    textLength: statements.reduce((length, { text }) => length + text.length, 0),
    reusable:
      validations.length === 0 &&
      scope.joins.joins.length === 0 &&
      fields.every((field) => !isBound.has(field.kind)),
  }
}

function groupsOf(kind: 'query' | 'mutation', fields: readonly CompiledRootField[]): readonly FieldGroup[] {
  const groups: FieldGroup[] = []
  let neighbours: (TextField | DatabaseField)[] = []
  let remote: RemoteField[] = []
  const close = (): void => {
    if (remote.length > 0) groups.push({ kind: 'remote', fields: remote })
    remote = []
    const database = neighbours.filter((field) => field.kind === 'database')
    const texts = neighbours.filter((field) => field.kind === 'text')
    if (database.length > 0)
      groups.push({ kind: 'database', fields: neighbours, isolation: isolationOf(kind, database) })
    else if (texts.length > 0) groups.push({ kind: 'text', fields: texts })
    neighbours = []
  }
  for (const field of fields) {
    switch (field.kind) {
      case 'action':
        close()
        groups.push({ kind: 'action', field })
        break
      case 'remote':
        if (neighbours.length > 0) close()
        remote.push(field.field)
        break
      default:
        if (remote.length > 0) close()
        neighbours.push(field)
    }
  }
  close()
  return groups
}

function isolationOf(kind: 'query' | 'mutation', fields: readonly DatabaseField[]): Isolation {
  if (kind === 'query') return 'reads'
  // A single statement is a transaction by itself.
  const statements = fields.flatMap(({ field }) => statementsOf(field))
  return statements.length === 1 ? 'single-write' : 'transaction'
}

function compileRootField(
  field: RootField,
  introspect: ReturnType<typeof createIntrospector>,
  scope: SelectScope,
  stringifyNumbers: boolean,
): CompiledRootField {
  const { key, namespace } = field
  const place = namespace === undefined ? { key } : { key, namespace }
  switch (field.kind) {
    case 'text':
      return { ...place, kind: 'text', json: JSON.stringify(field.text) }
    case 'introspection':
      return { ...place, kind: 'text', json: introspect(field) }
    case 'service':
      return { ...place, kind: 'text', json: JSON.stringify(field.answer) }
    case 'entities':
      return { ...place, kind: 'database', field: compileEntities(field, field.entities, stringifyNumbers) }
    case 'select':
      return { ...place, kind: 'database', field: compileSelect(field.select, stringifyNumbers) }
    case 'stream':
      throw new Error('A stream is compiled for a batch')
    case 'mutation':
      return { ...place, kind: 'database', field: compileMutation(field, field.mutation, stringifyNumbers) }
    case 'remote':
      return { ...place, kind: 'remote', field }
    case 'action':
    case 'action-result':
      return { ...place, kind: 'action', action: field, scope }
    default:
      return field satisfies never
  }
}
