import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { createSession, startEngine } from 'hasura-embedded'

export interface SchemaSource {
  /** The folder of the migrations. */
  readonly migrations: string
  /** The metadata directory. */
  readonly metadata: string
}

/**
 * Prints a role's schema of `/v1/graphql`, in SDL and sorted by name. It starts an engine with a Postgres of its own for
 * that, and stops both.
 *
 * @throws Error when the metadata doesn't fit the database, or the role may not introspect
 */
export async function printRoleSchema({ migrations, metadata }: SchemaSource, role: string): Promise<string> {
  const engine = await startEngine({ migrations, metadata, events: { delivery: 'when-asked' } })
  try {
    const { inconsistencies } = engine.snapshot
    if (inconsistencies.length > 0) throw new Error(JSON.stringify(inconsistencies, undefined, 2))
    const result = await engine.execute({ query: getIntrospectionQuery() }, createSession(role, {}))
    if (result.kind === 'errors') throw new Error(JSON.stringify(result.errors))
    const schema = buildClientSchema(JSON.parse(result.json) as IntrospectionQuery)
    return `${printSchema(lexicographicSortSchema(schema))}\n`
  } finally {
    await engine.stop()
  }
}
