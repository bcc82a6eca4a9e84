import type { GraphQLOutputType } from 'graphql'
import type pg from 'pg'
import { type CompiledStatement, compileStatement } from '../execute/compile.ts'
import { runBound } from '../execute/run-field.ts'
import { withConnection } from '../execute/lend-connection.ts'
import type { ResultRow } from '../execute/statement-query.ts'
import { isAsynchronous } from '../metadata/action.ts'
import type { CollectedField } from '../plan/collect-fields.ts'
import type { RootField } from '../plan/root-field.ts'
import { jsonOfObject } from '../plan/input-json.ts'
import type { JsonValue } from '../plan/input-value.ts'
import type { SelectScope } from '../plan/select-scope.ts'
import { typeNameOf } from '../schema/permission-expression.ts'
import type { Session } from '../session/types.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { relatedStatement } from '../sql/select-expression.ts'
import { insertInvocation, readInvocation } from './action-log.ts'
import { clientHeadersFor } from '../webhook/request-headers.ts'
import { type HandlerCall, callHandler } from './call-handler.ts'
import { type RelationshipSite, type ShapedAnswer, shapeAnswer } from './shape-answer.ts'

export interface ActionRuntime extends HandlerCall {
  readonly pool: pg.Pool
  readonly session: Session
  /** The document as the client sent it. */
  readonly requestQuery: string
  readonly stringifyNumbers: boolean
  readonly tracer?: Tracer | undefined
}

/** A root field's answer, and the handler's cookies. */
export interface ActionAnswer {
  readonly json: string
  readonly cookies: readonly string[]
}

/** Runs an action; for an asynchronous one, starts it or reads its result. */
export async function answerAction(
  field: Extract<RootField, { kind: 'action' | 'action-result' }>,
  scope: SelectScope,
  runtime: ActionRuntime,
): Promise<ActionAnswer> {
  if (field.kind === 'action-result') return { json: await resultJson(field, scope, runtime), cookies: [] }
  return isAsynchronous(field.action)
    ? { json: await start(field, runtime), cookies: [] }
    : run(field, scope, runtime)
}

/** Calls the handler, checks the answer, and adds the relationships to tables. */
async function run(
  { action, customTypes, arguments: given, collected, type }: Extract<RootField, { kind: 'action' }>,
  scope: SelectScope,
  runtime: ActionRuntime,
): Promise<ActionAnswer> {
  const payload = {
    action: { name: action.name },
    input: jsonOfObject(given),
    session_variables: runtime.session.variables,
    request_query: runtime.requestQuery,
  }
  const { body, cookies } = await callHandler(action, customTypes, payload, runtime)
  return { json: await selectedJson(body, type, collected, scope, runtime), cookies }
}

/** Records an invocation and returns its id. */
async function start(
  { action, arguments: given }: Extract<RootField, { kind: 'action' }>,
  { pool, session, clientHeaders }: ActionRuntime,
): Promise<string> {
  const headers = clientHeadersFor(action.definition, clientHeaders)
  const input = jsonOfObject(given)
  return JSON.stringify(await insertInvocation(pool, { action: action.name, input, session, headers }))
}

async function resultJson(
  { action, id, type, collected }: Extract<RootField, { kind: 'action-result' }>,
  scope: SelectScope,
  runtime: ActionRuntime,
): Promise<string> {
  const result = await readInvocation(runtime.pool, action.name, id, runtime.session)
  return result === undefined ? 'null' : selectedJson({ ...result }, type, collected, scope, runtime)
}

/** The JSON of the selected parts of a value, with its relationships to tables. */
async function selectedJson(
  value: JsonValue,
  type: GraphQLOutputType,
  collected: CollectedField,
  scope: SelectScope,
  runtime: ActionRuntime,
): Promise<string> {
  const { answer, sites } = shapeAnswer(value, type, collected, scope)
  const related = new Map<RelationshipSite, readonly ResultRow[]>()
  for (const site of sites) related.set(site, await resolveSite(site, runtime))
  return jsonText(answer, related)
}

/** The related rows of all objects of a site, as JSON texts: one row per object, one column per relationship. */
async function resolveSite(
  site: RelationshipSite,
  { pool, session, signal, stringifyNumbers, tracer }: ActionRuntime,
): Promise<readonly ResultRow[]> {
  const statement: CompiledStatement = compileStatement(stringifyNumbers, (translation) =>
    relatedStatement(
      site.relationships.flatMap(({ columns }) =>
        columns.map(({ name, column }) => ({ name, type: typeNameOf(column.type) })),
      ),
      site.relationships.map(({ select }) => select),
      translation,
    ),
  )
  const bindings = { variables: {}, session, tracer, answer: JSON.stringify(site.rows) }
  return withConnection(pool, signal, (client) => runBound(client, statement, bindings, '$'))
}

function jsonText(
  answer: ShapedAnswer,
  related: ReadonlyMap<RelationshipSite, readonly ResultRow[]>,
): string {
  switch (answer.kind) {
    case 'json':
      return JSON.stringify(answer.value)
    case 'list':
      return `[${answer.items.map((item) => jsonText(item, related)).join(',')}]`
    case 'object':
      return `{${answer.entries.map(([key, value]) => `"${key}":${jsonText(value, related)}`).join(',')}}`
    case 'related':
      return related.get(answer.site)?.[answer.row]?.[answer.relationship] ?? 'null'
    default:
      return answer satisfies never
  }
}
