import type pg from 'pg'
import { RequestError } from '../plan/request-error.ts'
import { type Bindings, bindParameters } from './bind-parameters.ts'
import type { CompiledField, CompiledStatement, CompiledStep, CompiledWrite } from './compile.ts'
import { postgresError } from './postgres-error.ts'
import { RefusedVariable, RequestFailure } from './request-failure.ts'
import { type ResultRow, runStatement, settingsFor, transactionSettings } from './statement-query.ts'

/** Runs a root field on a connection and returns its JSON text. */
export async function runField(
  client: pg.PoolClient,
  field: CompiledField,
  bindings: Bindings,
): Promise<string> {
  switch (field.kind) {
    case 'statement':
      return jsonOf(await runBound(client, field.statement, bindings, field.path))
    case 'write':
      return runWrite(client, field.write, bindings, field.path)
    case 'list': {
      const items: string[] = []
      for (const write of field.writes) items.push(await runWrite(client, write, bindings, field.path))
      return `[${items.join(',')}]`
    }
    case 'entities':
      return runEntities(client, field, bindings)
    case 'nested-insert':
      return runNestedInsert(client, field, bindings)
    default:
      return field satisfies never
  }
}

async function runWrite(
  client: pg.PoolClient,
  { statement, answer }: CompiledWrite,
  bindings: Bindings,
  path: string,
): Promise<string> {
  const written = jsonOf(await runBound(client, statement, bindings, path))
  if (answer === undefined) return written
  return jsonOf(await runBound(client, answer, { ...bindings, answer: written }, path))
}

async function runEntities(
  client: pg.PoolClient,
  { groups, size, path }: Extract<CompiledField, { kind: 'entities' }>,
  bindings: Bindings,
): Promise<string> {
  const items = new Array<string>(size).fill('null')
  for (const { statement, references, places } of groups) {
    const rows = await runBound(client, statement, { ...bindings, answer: references }, path)
    for (const [index, place] of places.entries()) items[place] = rows[index]?.[0] ?? 'null'
  }
  return `[${items.join(',')}]`
}

const jsonOf = (rows: readonly ResultRow[]): string => rows[0]?.[0] ?? 'null'

export async function runBound(
  client: pg.PoolClient,
  statement: CompiledStatement,
  bindings: Bindings,
  path: string,
): Promise<readonly ResultRow[]> {
  const bound = bindParameters(statement.parameters, bindings)
  switch (bound.kind) {
    case 'refused-variable':
      throw new RefusedVariable()
    case 'missing-session-variables':
      throw missingSessionVariables(bound.names)
    case 'bound':
      try {
        return await runTraced(client, statement, bound.values, bindings)
      } catch (error) {
        const known = postgresError(error, path)
        throw known === undefined ? error : new RequestFailure(known, { cause: error })
      }
    default:
      return bound satisfies never
  }
}

/** Characters of a statement in its span. */
const tracedText = 2_000

function runTraced(
  client: pg.PoolClient,
  statement: CompiledStatement,
  values: readonly (string | null)[],
  { session, tracer, timed, settings, inTransaction }: Bindings,
): Promise<readonly ResultRow[]> {
  // A transaction of several statements has them from its beginning.
  const needed =
    inTransaction === true
      ? []
      : [...(settings === undefined ? [] : transactionSettings(settings)), ...settingsFor(client, session)]
  const run = () => runTimed(() => runStatement(client, statement, values, needed), statement, timed)
  if (tracer === undefined) return run()
  // The values of parameters are left out: they are the client's.
  const attributes = {
    'db.system.name': 'postgresql',
    'db.query.text': statement.text.slice(0, tracedText),
  }
  return tracer.span('postgres', { kind: 'client', attributes }, run)
}

async function runTimed<T>(
  run: () => Promise<T>,
  { text }: CompiledStatement,
  timed: Bindings['timed'],
): Promise<T> {
  if (timed === undefined) return run()
  const started = performance.now()
  try {
    return await run()
  } finally {
    timed(text, performance.now() - started)
  }
}

export function missingSessionVariables(names: readonly string[]): RequestError {
  const quoted = [...new Set(names)].map((name) => `"${name}"`)
  return new RequestError(`missing session variables: ${quoted.join(', ')}`, '$', 'not-found')
}

async function runNestedInsert(
  client: pg.PoolClient,
  field: Extract<CompiledField, { kind: 'nested-insert' }>,
  bindings: Bindings,
): Promise<string> {
  const written: (ResultRow | null)[] = []
  for (const step of field.steps) written.push(await runStep(client, step, { ...bindings, written }))
  return jsonOf(await runBound(client, field.answer, { ...bindings, written }, field.path))
}

async function runStep(
  client: pg.PoolClient,
  { statement, width, needed, path }: CompiledStep,
  bindings: Bindings,
): Promise<ResultRow | null> {
  const [row] = await runBound(client, statement, bindings, path)
  if (row !== undefined) return row.slice(0, width)
  if (needed !== undefined)
    throw new RequestFailure({
      message: needed.message,
      extensions: { path: needed.path, code: 'not-supported' },
    })
  return null
}
