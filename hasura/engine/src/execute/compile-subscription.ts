import type { Operation } from '../plan/document.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { planOperation } from '../plan/plan-operation.ts'
import type { RootField } from '../plan/root-field.ts'
import { RequestError } from '../plan/request-error.ts'
import type { RoleSchema } from '../schema/role-schema.ts'
import type { ParameterSource } from '../sql/parameter.ts'
import { type LiveField, liveStatement, streamStatement } from '../sql/subscription-statement.ts'
import { type CompiledReading, compileReading } from './compile.ts'

/** A compiled subscription: one statement that serves any number of subscribers. */
export interface CompiledSubscription extends CompiledReading {
  readonly kind: 'live' | 'stream'
  /** The first position of a stream's cursor. */
  readonly initialCursor: ParameterSource | undefined
}

/** Compiles a subscription. Throws RequestError, in Hasura's words, if the operation can't be subscribed to. */
export function compileSubscription(
  operation: Operation,
  variables: Readonly<Record<string, JsonValue>>,
  roleSchema: RoleSchema,
  stringifyNumbers: boolean,
): CompiledSubscription {
  const { fields, scope } = planOperation(operation, variables, roleSchema)
  if (scope.joins.joins.length > 0)
    throw new RequestError('Remote relationships are not allowed in subscriptions', '$', 'not-supported')
  const [first] = fields
  if (first?.kind === 'stream' && fields.length === 1) {
    const { key, namespace, stream } = first
    const keys = namespace === undefined ? [key] : [namespace.key, key]
    return {
      kind: 'stream',
      ...compileReading(stringifyNumbers, (translation) => streamStatement(keys, stream, translation)),
      initialCursor: stream.initialValue,
    }
  }
  const selects = fields.map(liveField)
  return {
    kind: 'live',
    ...compileReading(stringifyNumbers, (translation) => liveStatement(selects, translation)),
    initialCursor: undefined,
  }
}

function liveField(field: RootField): LiveField {
  switch (field.kind) {
    case 'select':
      return { key: field.key, namespace: field.namespace?.key, select: field.select }
    case 'stream':
      throw new RequestError('a streaming subscription has one top level field', '$')
    case 'action-result':
      throw new RequestError('the result of an action is subscribed to by itself', '$')
    case 'text':
    case 'introspection':
      throw new RequestError('Introspection not supported over subscriptions', '$', 'not-supported')
    case 'mutation':
    case 'action':
    case 'entities':
    case 'remote':
    case 'service':
      throw new Error(`subscription_root has no field ${field.kind}`)
    default:
      return field satisfies never
  }
}
