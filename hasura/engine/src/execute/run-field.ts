import type pg from 'pg'
import { RequestError } from '../plan/request-error.ts'
import { type Bindings, bindParameters } from './bind-parameters.ts'
import type {
  CompiledField,
  CompiledRead,
  CompiledStatement,
  CompiledStep,
  CompiledWrite,
} from './compile.ts'
import { postgresError } from './postgres-error.ts'
import { RefusedVariable, RequestFailure } from './request-failure.ts'
import {
  type BoundStatement,
  type ResultRow,
  runStatements,
  settingsFor,
  StatementFailure,
  type StatementResult,
  transactionSettings,
} from './statement-query.ts'

/** Runs a root field on a connection and returns its JSON text. */
export async function runField(
  client: pg.PoolClient,
  field: CompiledField,
  bindings: Bindings,
): Promise<string> {
  switch (field.kind) {
    case 'statement':
    case 'entities': {
      const [json] = await runReads(client, [field], bindings)
      return json ?? 'null'
    }
    case 'write':
      return runWrite(client, field.write, bindings, field.path)
    case 'list': {
      const items: string[] = []
      for (const write of field.writes) items.push(await runWrite(client, write, bindings, field.path))
      return `[${items.join(',')}]`
    }
    case 'nested-insert':
      return runNestedInsert(client, field, bindings)
    default:
      return field satisfies never
  }
}

/** A root field that reads: its statements, and how their rows become its JSON text. */
interface Reading {
  readonly statements: readonly BoundStatement[]
  readonly path: string
  readonly json: (results: readonly StatementResult[]) => string
}

/** Runs root fields that read, in one round trip and one transaction, and returns the JSON text of each. */
export async function runReads(
  client: pg.PoolClient,
  fields: readonly CompiledRead[],
  bindings: Bindings,
): Promise<readonly string[]> {
  const readings = fields.map((field) => readingOf(field, bindings))
  const statements = readings.flatMap((reading) => reading.statements)
  const paths = readings.flatMap((reading) => reading.statements.map(() => reading.path))
  const results = statements.length === 0 ? [] : await runTogether(client, { statements, paths }, bindings)
  let place = 0
  return readings.map((reading) => {
    const own = results.slice(place, place + reading.statements.length)
    place += reading.statements.length
    return reading.json(own)
  })
}

function readingOf(field: CompiledRead, bindings: Bindings): Reading {
  switch (field.kind) {
    case 'statement':
      return {
        statements: [bound(field.statement, bindings, field.path)],
        path: field.path,
        json: ([result]) => jsonOf(result?.rows ?? []),
      }
    case 'entities':
      return {
        statements: field.groups.map(({ statement, references }) =>
          bound(statement, { ...bindings, answer: references }, field.path),
        ),
        path: field.path,
        json: (results) => entitiesOf(field, results),
      }
    default:
      return field satisfies never
  }
}

function entitiesOf(
  { groups, size }: Extract<CompiledRead, { kind: 'entities' }>,
  results: readonly StatementResult[],
): string {
  const items = new Array<string>(size).fill('null')
  for (const [group, { places }] of groups.entries())
    for (const [index, place] of places.entries()) items[place] = results[group]?.rows[index]?.[0] ?? 'null'
  return `[${items.join(',')}]`
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

const jsonOf = (rows: readonly ResultRow[]): string => rows[0]?.[0] ?? 'null'

export async function runBound(
  client: pg.PoolClient,
  statement: CompiledStatement,
  bindings: Bindings,
  path: string,
): Promise<readonly ResultRow[]> {
  const sent = { statements: [bound(statement, bindings, path)], paths: [path] }
  const [result] = await runTogether(client, sent, bindings)
  return result?.rows ?? []
}

/** The protocol counts a statement's parameters with 16 bits. The driver would send the rest of a larger number. */
const mostParameters = 65_535

function bound(statement: CompiledStatement, bindings: Bindings, path: string): BoundStatement {
  const count = statement.parameters.length
  if (count > mostParameters)
    throw new RequestError(
      `the statement has ${count} values, and Postgres takes ${mostParameters} at most: send fewer at once`,
      path,
    )
  const parameters = bindParameters(statement.parameters, bindings)
  switch (parameters.kind) {
    case 'refused-variable':
      throw new RefusedVariable()
    case 'missing-session-variables':
      throw missingSessionVariables(parameters.names)
    case 'bound':
      return { statement, values: parameters.values }
    default:
      return parameters satisfies never
  }
}

/** Statements that are sent together, and for each the path that an error of it has in the answer. */
interface Sent {
  readonly statements: readonly BoundStatement[]
  readonly paths: readonly string[]
}

async function runTogether(
  client: pg.PoolClient,
  { statements, paths }: Sent,
  bindings: Bindings,
): Promise<readonly StatementResult[]> {
  try {
    return await runTraced(client, statements, bindings)
  } catch (error) {
    if (!(error instanceof StatementFailure)) throw error
    const known = postgresError(error.cause, paths[error.place] ?? '$')
    throw known === undefined ? error.cause : new RequestFailure(known, { cause: error.cause })
  }
}

/** Characters of the statements in their span. */
const tracedText = 2_000

function runTraced(
  client: pg.PoolClient,
  statements: readonly BoundStatement[],
  { session, tracer, timed, settings, inTransaction }: Bindings,
): Promise<readonly StatementResult[]> {
  // A transaction of several statements has them from its beginning.
  const needed =
    inTransaction === true
      ? []
      : [...(settings === undefined ? [] : transactionSettings(settings)), ...settingsFor(client, session)]
  const run = () => runTimed(() => runStatements(client, statements, needed), statements, timed)
  if (tracer === undefined) return run()
  // The values of parameters are left out: they are the client's.
  const texts = statements.map(({ statement }) => statement.text)
  const attributes = {
    'db.system.name': 'postgresql',
    'db.query.text': texts.join('; ').slice(0, tracedText),
    ...(texts.length > 1 && { 'db.operation.batch.size': texts.length }),
  }
  return tracer.span('postgres', { kind: 'client', attributes }, run)
}

async function runTimed(
  run: () => Promise<readonly StatementResult[]>,
  statements: readonly BoundStatement[],
  timed: Bindings['timed'],
): Promise<readonly StatementResult[]> {
  if (timed === undefined) return run()
  const textAt = (place: number): string => statements[place]?.statement.text ?? ''
  try {
    const results = await run()
    for (const [place, { milliseconds }] of results.entries()) timed(textAt(place), milliseconds)
    return results
  } catch (error) {
    if (error instanceof StatementFailure) timed(textAt(error.place), error.milliseconds)
    throw error
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
