import { type ArgumentNode, type FieldNode, Kind, type ValueNode } from 'graphql'
import type pg from 'pg'
import type { Json } from '../metadata/parse.ts'
import type { JsonValue } from '../plan/input-value.ts'
import type { Join, JoinRegistry, RemoteVariables } from '../plan/remote-joins.ts'
import { remoteLiteral } from '../plan/remote-literal.ts'
import { isRawNumber, parseExactly } from '../exact-json.ts'
import type { RemoteCaller } from '../remote/send-remote.ts'
import { typeNameOf } from '../schema/permission-expression.ts'
import { fieldAt } from '../schema/remote-graph.ts'
import type { Session } from '../session/types.ts'
import { relatedStatement } from '../sql/select-expression.ts'
import { askRemote, shaped } from './ask-remote.ts'
import { compileStatement } from './compile.ts'
import { runBound } from './run-field.ts'
import { withConnection } from './lend-connection.ts'

export interface JoinRuntime extends RemoteCaller {
  readonly pool: pg.Pool
  readonly session: Session
  readonly stringifyNumbers: boolean
}

/** The most rounds. Each resolves one level of nested relationships, and no document is that deep. */
const maxRounds = 50

/** The most distinct values in one request to a remote schema. */
const maxBatch = 500

/** The position of a marker in an answer. */
interface Place {
  readonly values: Readonly<Record<string, unknown>>
  readonly put: (value: unknown) => void
}

/** Replaces an answer's markers with the related values. All markers of one relationship take one request. */
export async function resolveJoins(
  json: string,
  registry: JoinRegistry,
  runtime: JoinRuntime,
): Promise<string> {
  const root = { data: parseExactly(json) }
  for (let round = 0; round < maxRounds; round += 1) {
    const places = new Map<Join, Place[]>()
    collectPlaces(root, registry, places)
    if (places.size === 0) return JSON.stringify(root.data)
    await Promise.all([...places].map(([join, found]) => resolveJoin(join, found, runtime)))
  }
  throw new Error('relationships lead from one to the next without an end')
}

function collectPlaces(container: unknown, registry: JoinRegistry, places: Map<Join, Place[]>): void {
  if (typeof container !== 'object' || container === null || isRawNumber(container)) return
  const entries = container as Record<string, unknown>
  for (const [key, value] of Object.entries(entries)) {
    const marked = markerOf(value, registry)
    if (marked === undefined) {
      collectPlaces(value, registry, places)
      continue
    }
    const put = (resolved: unknown): void => {
      entries[key] = resolved
    }
    const found = places.get(marked.join) ?? []
    found.push({ values: marked.values, put })
    places.set(marked.join, found)
  }
}

function markerOf(value: unknown, registry: JoinRegistry) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const [entry, ...others] = Object.entries(value)
  const join = entry === undefined || others.length > 0 ? undefined : registry.of(entry[0])
  return join && { join, values: (entry?.[1] ?? {}) as Place['values'] }
}

async function resolveJoin(join: Join, places: readonly Place[], runtime: JoinRuntime): Promise<void> {
  if (join.kind === 'source') return resolveSource(join, places, runtime)
  const distinct = new Map<string, Place[]>()
  for (const place of places) {
    // As in Hasura, a null on the left gives null without a request.
    if (Object.values(place.values).some((value) => value == null)) place.put(null)
    else {
      const key = JSON.stringify(place.values)
      const same = distinct.get(key)
      if (same === undefined) distinct.set(key, [place])
      else same.push(place)
    }
  }
  const groups = [...distinct.values()]
  for (let start = 0; start < groups.length; start += maxBatch)
    await resolveRemote(join, groups.slice(start, start + maxBatch), runtime)
}

async function resolveRemote(
  join: Extract<Join, { kind: 'remote' }>,
  groups: readonly (readonly Place[])[],
  runtime: JoinRuntime,
): Promise<void> {
  const { remote, selection } = join
  // Each request has the variables of its own values alone: a remote schema refuses others as unused.
  const { definitions, values } = selection.variables
  const variables = { definitions: [...definitions], values: { ...values } }
  const nodes = groups.map((group, index) =>
    callNode(join, `hasura_${index}`, group[0]?.values ?? {}, variables),
  )
  const question = { operation: 'query' as const, nodes, variables }
  const { data } = await askRemote(remote, question, runtime)
  for (const [index, group] of groups.entries()) {
    const answer = join.steps
      .slice(1)
      .reduce<unknown>((value, { field }) => memberOf(value, field), data[`hasura_${index}`])
    // Each place gets a copy of its own, because further relationships below it are filled in later.
    for (const place of group) place.put(shaped(structuredCopy(answer ?? null), selection.shape, remote))
  }
}

const structuredCopy = (value: unknown): unknown => parseExactly(JSON.stringify(value))

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined

/** The fields from the root to the related one, with the values of the left side as arguments. */
const callNode = (
  { remote, steps, selection, args }: Extract<Join, { kind: 'remote' }>,
  alias: string,
  values: Place['values'],
  variables: RemoteVariables,
): FieldNode =>
  steps.reduceRight<FieldNode | undefined>((inner, step, index) => {
    const isLast = index === steps.length - 1
    const known = fieldAt({ permitted: remote.upstream }, steps.slice(0, index + 1))?.args ?? []
    const configured = Object.entries(step.arguments).map(([name, value]): ArgumentNode => {
      const type = known.find((argument) => argument.name === name)?.type
      const filled = filledIn(value, values)
      return {
        kind: Kind.ARGUMENT,
        name: { kind: Kind.NAME, value: name },
        value: type === undefined ? nullNode : remoteLiteral(filled, type, remote.names, variables),
      }
    })
    const given = isLast
      ? args.map(({ name, value }): ArgumentNode => ({
          kind: Kind.ARGUMENT,
          name: { kind: Kind.NAME, value: name },
          value,
        }))
      : []
    const selections = isLast ? selection.nodes : inner === undefined ? [] : [inner]
    return {
      kind: Kind.FIELD,
      ...(index === 0 ? { alias: { kind: Kind.NAME, value: alias } } : {}),
      name: { kind: Kind.NAME, value: step.field },
      arguments: [...configured, ...given],
      ...(selections.length === 0 ? {} : { selectionSet: { kind: Kind.SELECTION_SET, selections } }),
    }
  }, undefined) ?? { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }

const nullNode: ValueNode = { kind: Kind.NULL }

/** Replaces `"$id"` with the left side's value `id`. */
function filledIn(value: Json, values: Place['values']): JsonValue {
  if (typeof value === 'string')
    return value.startsWith('$') ? plainJson(values[value.slice(1)] ?? null) : value
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => filledIn(each, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filledIn(each, values)]))
}

/** A raw number becomes its text; the argument's type decides how it is read. */
const plainJson = (value: unknown): JsonValue =>
  isRawNumber(value) ? JSON.stringify(value) : (value as JsonValue)

/** Reads the source's rows for objects of a remote schema, under the caller's permissions, by one statement. */
async function resolveSource(
  { select, columns }: Extract<Join, { kind: 'source' }>,
  places: readonly Place[],
  { pool, session, signal, stringifyNumbers }: JoinRuntime,
): Promise<void> {
  const statement = compileStatement(stringifyNumbers, (translation) =>
    relatedStatement(
      columns.map(({ name, column }) => ({ name, type: typeNameOf(column.type) })),
      [select],
      translation,
    ),
  )
  const rows = places.map(({ values }) =>
    Object.fromEntries(columns.map(({ name, field }) => [name, values[field] ?? null])),
  )
  const bindings = { variables: {}, session, answer: JSON.stringify(rows) }
  const found = await withConnection(pool, signal, (client) => runBound(client, statement, bindings, '$'))
  for (const [index, place] of places.entries()) {
    const json = found[index]?.[0]
    place.put(json == null ? null : parseExactly(json))
  }
}
