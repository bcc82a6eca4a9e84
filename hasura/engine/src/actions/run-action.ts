import type pg from 'pg'
import type { CompiledStatement } from '../execute/compile.ts'
import { compileStatement } from '../execute/compile.ts'
import { runBound } from '../execute/run-field.ts'
import type { ResultRow } from '../execute/run-statement.ts'
import { withConnection } from '../execute/run-statement.ts'
import type { RootField } from '../plan/plan-operation.ts'
import type { InputValue, JsonValue, ObjectValue } from '../plan/input-value.ts'
import type { SelectScope } from '../plan/plan-select.ts'
import { typeNameOf } from '../schema/permission-expression.ts'
import type { Session } from '../session/types.ts'
import { relatedStatement } from '../sql/select-expression.ts'
import { type HandlerCall, callHandler } from './call-handler.ts'
import { type RelationshipSite, type ShapedAnswer, shapeAnswer } from './shape-answer.ts'

export interface ActionRuntime extends HandlerCall {
  readonly pool: pg.Pool
  readonly session: Session
  /** The document as the client sent it. */
  readonly requestQuery: string
  readonly stringifyNumbers: boolean
}

/** Runs a synchronous action: calls its handler, checks the answer, and adds the relationships to tables. */
export const runAction = async (
  { action, arguments: given, collected, type }: Extract<RootField, { kind: 'action' }>,
  scope: SelectScope,
  runtime: ActionRuntime,
): Promise<{ readonly json: string; readonly cookies: readonly string[] }> => {
  const { session, requestQuery } = runtime
  const payload = {
    action: { name: action.name },
    input: jsonOfObject(given),
    session_variables: session.variables,
    request_query: requestQuery,
  }
  const { body, cookies } = await callHandler(action, payload, runtime)
  const { answer, sites } = shapeAnswer(body, type, collected, scope)
  const related = new Map<RelationshipSite, readonly ResultRow[]>()
  for (const site of sites) related.set(site, await resolveSite(site, runtime))
  return { json: jsonText(answer, related), cookies }
}

/** The arguments as the client meant them, defaults included. */
const jsonOfObject = ({ fields }: ObjectValue): JsonValue =>
  Object.fromEntries([...fields].map(([name, value]) => [name, jsonOf(value)]))

const jsonOf = (input: InputValue): JsonValue => {
  switch (input.kind) {
    case 'null':
      return null
    case 'leaf':
    case 'enum':
      return input.value
    case 'list':
      return input.items.map(jsonOf)
    case 'object':
      return jsonOfObject(input)
    default:
      return input satisfies never
  }
}

/** The related rows of all objects of a site, as JSON texts: one row per object, one column per relationship. */
const resolveSite = async (
  site: RelationshipSite,
  { pool, session, signal, stringifyNumbers }: ActionRuntime,
): Promise<readonly ResultRow[]> => {
  const statement: CompiledStatement = compileStatement(stringifyNumbers, (translation) =>
    relatedStatement(
      site.relationships.flatMap(({ columns }) =>
        columns.map(({ name, column }) => ({ name, type: typeNameOf(column.type) })),
      ),
      site.relationships.map(({ select }) => select),
      translation,
    ),
  )
  const bindings = { variables: {}, session, answer: JSON.stringify(site.rows) }
  return withConnection(pool, signal, (client) => runBound(client, statement, bindings, '$'))
}

const jsonText = (
  answer: ShapedAnswer,
  related: ReadonlyMap<RelationshipSite, readonly ResultRow[]>,
): string => {
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
