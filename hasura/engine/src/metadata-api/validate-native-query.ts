import pg, { type Pool } from 'pg'
import { z } from 'zod'
import { nativeCodeProblem } from '../consistency/check-native-queries.ts'
import { HasuraError } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'
import type { LogicalModel, NativeQuery } from '../metadata/types.ts'
import { typeNameOf } from '../schema/permission-expression.ts'
import { createNaming } from '../schema/naming.ts'
import { nativeQueryModels } from '../schema/native-query-model.ts'
import type { NativeQueryModel } from '../schema/source-model.ts'
import type { NativeCodePiece } from '../sql/ast.ts'
import { cast, column, integer, select } from '../sql/build.ts'
import { printStatement } from '../sql/printer.ts'

/**
 * Has Postgres check a native query's SQL, and compares the types of its columns with the logical model. No row is
 * read. Throws HasuraError, in Hasura's words.
 */
export async function validateNativeQuery(
  query: NativeQuery,
  model: LogicalModel,
  pool: Pool,
): Promise<void> {
  const problem = nativeCodeProblem(query)
  if (problem !== undefined) throw new HasuraError(problem.code, problem.message)
  const source = { name: '', tables: [], native_queries: [query], logical_models: [model] }
  for (const native of nativeQueryModels(source, createNaming())) await askPostgres(native, pool)
}

async function askPostgres(native: NativeQueryModel, pool: Pool): Promise<void> {
  const columns = [...native.table.columnsByName.values()]
  const expected = columns.map(({ type }) => typeNameOf(type).name)
  try {
    const { fields } = await pool.query({ text: probe(native), rowMode: 'array' })
    const { rows } = await pool.query<{ expected: string; actual: string; same: boolean }>(
      `select e.name as expected, format_type(a.oid, null) as actual, to_regtype(e.name) = a.oid as same
       from unnest($1::text[]) with ordinality e(name, at)
       join unnest($2::oid[]) with ordinality a(oid, at) using (at) order by at`,
      [expected, fields.map(({ dataTypeID }) => dataTypeID)],
    )
    for (const [index, row] of typeRows.parse(rows).entries())
      if (row.same !== true)
        throw invalid(
          `Return column '${columns[index]?.name ?? ''}' has a type mismatch. The expected type is '${row.expected}', but the actual type is '${row.actual}'.`,
        )
  } catch (error) {
    if (error instanceof pg.DatabaseError)
      throw invalid({ message: error.message, status_code: error.code ?? null, hint: error.hint ?? null })
    throw error
  }
}

const typeRows = z.array(z.object({ expected: z.string(), actual: z.string(), same: z.boolean().nullable() }))

const invalid = (internal: Json): HasuraError =>
  new HasuraError('validation-failed', 'Failed to validate query', { internal })

/** SQL that selects the logical model's columns of no row, with null for every argument. */
function probe({ table, code, arguments: known }: NativeQueryModel): string {
  const alias = 'probe'
  const types = new Map(known.map(({ name, type }) => [name, typeNameOf(type)]))
  const pieces = code.flatMap((part): readonly NativeCodePiece[] => {
    if (part.kind === 'sql') return [part]
    const type = types.get(part.name)
    return type === undefined ? [] : [{ kind: 'expression', expression: cast({ kind: 'null' }, type) }]
  })
  const projections = [...table.columnsByName.keys()].map((name) => ({ value: column(alias, name) }))
  const from = { kind: 'native' as const, code: pieces, alias }
  return printStatement(select(projections, { from, limit: integer(0) })).text
}
