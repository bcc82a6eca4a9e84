import { parseUnrounded } from '../exact-json.ts'
import type { JsonValue } from '../plan/input-value.ts'
import type { Session } from '../session/types.ts'
import { type Encoded, encodeLiteral } from '../sql/encode.ts'
import type { ParameterSource } from '../sql/parameter.ts'
import type { Tracer } from '../tracing/tracer.ts'
import type { TransactionSettings } from './statement-query.ts'

/** The rows that the steps of a nested insert have written so far; null for a step whose conflict wrote nothing. */
type WrittenRows = readonly (readonly (string | null)[] | null)[]

export interface Bindings {
  readonly variables: Readonly<Record<string, JsonValue>>
  readonly session: Session
  /** Records a span of each statement. */
  readonly tracer?: Tracer | undefined
  /** Told how many milliseconds each statement took. */
  readonly timed?: ((text: string, milliseconds: number) => void) | undefined
  /** Settings of the transaction in which a mutation's only statement runs. */
  readonly settings?: TransactionSettings
  /** Whether the statement is one of a transaction, which has the settings already. */
  readonly inTransaction?: true
  readonly written?: WrittenRows
  /** JSON text: an action's answer, or the keys of rows. */
  readonly answer?: string
  /** The position after which a stream begins. */
  readonly cursor?: string | null
}

export type BoundParameters =
  | { readonly kind: 'bound'; readonly values: readonly (string | null)[] }
  | { readonly kind: 'missing-session-variables'; readonly names: readonly string[] }
  /** A variable's value doesn't match its type. Planning without the cache finds the error's message. */
  | { readonly kind: 'refused-variable' }

/** The values of a statement's parameters, in Postgres's text format. */
export function bindParameters(sources: readonly ParameterSource[], bindings: Bindings): BoundParameters {
  const values = new Array<string | null>(sources.length)
  const missing: string[] = []
  for (const [index, source] of sources.entries()) {
    switch (source.kind) {
      case 'variable': {
        const encoded = encodeLiteral(variableAt(source.path, bindings.variables), source.encoding)
        if (!encoded.ok) return { kind: 'refused-variable' }
        values[index] = encoded.text
        break
      }
      case 'json-template': {
        const encoded = encodeTemplate(source, bindings.variables)
        if (!encoded.ok) return { kind: 'refused-variable' }
        values[index] = encoded.text
        break
      }
      case 'session': {
        const value = bindings.session.variables[source.name]
        if (value === undefined) missing.push(source.name)
        else values[index] = value
        break
      }
      default:
        values[index] = otherValue(source, bindings)
    }
  }
  return missing.length > 0
    ? { kind: 'missing-session-variables', names: missing }
    : { kind: 'bound', values }
}

function otherValue(
  source: Exclude<ParameterSource, { kind: 'variable' | 'json-template' | 'session' }>,
  { session, written, answer, cursor }: Bindings,
): string | null {
  switch (source.kind) {
    case 'literal':
      return source.text
    case 'session-object':
      return JSON.stringify(session.variables)
    case 'written-column':
      return written?.[source.step]?.[source.column] ?? null
    case 'written-rows':
      return `[${source.steps
        .map((step) => written?.[step]?.at(-1))
        .filter((row) => row != null)
        .join(',')}]`
    case 'written-count':
      return String(written?.filter((row) => row !== null).length ?? 0)
    case 'answer':
      return answer ?? null
    case 'cursor':
      return cursor ?? null
    default:
      return source satisfies never
  }
}

function encodeTemplate(
  { parts, scalar }: Extract<ParameterSource, { kind: 'json-template' }>,
  variables: Bindings['variables'],
): Encoded {
  const text = parts
    .map((part) => (part.kind === 'text' ? part.text : JSON.stringify(variables[part.name] ?? null)))
    .join('')
  return scalar === 'json'
    ? { ok: true, text }
    : encodeLiteral(parseUnrounded(text) as JsonValue, { scalar, list: false })
}

function variableAt(
  path: readonly (string | number)[],
  variables: Readonly<Record<string, JsonValue>>,
): JsonValue | undefined {
  let value: JsonValue | undefined = variables
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string | number, JsonValue>>)[step]
  }
  return value
}
