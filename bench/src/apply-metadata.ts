/**
 * Replaces an engine's metadata with these tables of its own database.
 *
 * @param tables in the form that metadata has
 */
export async function applyMetadata(
  engineUrl: string,
  adminSecret: string,
  tables: readonly object[],
): Promise<void> {
  const connectionInfo = { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } }
  const source = {
    name: 'default',
    kind: 'postgres',
    configuration: { connection_info: connectionInfo },
    tables,
  }
  const response = await fetch(new URL('/v1/metadata', engineUrl), {
    method: 'POST',
    headers: { 'x-hasura-admin-secret': adminSecret },
    body: JSON.stringify({ type: 'replace_metadata', args: { version: 3, sources: [source] } }),
  })
  if (!response.ok) throw new Error(`the metadata was refused: ${await response.text()}`)
}
