import { z } from 'zod'
import { HasuraError } from '../hasura-error.ts'
import { record } from '../metadata/parse.ts'
import { parseJson } from '../metadata/read-metadata.ts'
import { requireSource, sourceName } from '../metadata-api/command.ts'
import { cleanDump } from '../pg-dump/clean-dump.ts'
import { dumpDatabase } from '../pg-dump/dump-database.ts'
import type { Handler } from './api.ts'
import { adminRequest } from './require-admin.ts'

const dumpRequest = record({
  source: sourceName,
  opts: z.array(z.string().max(1_000)).max(100),
  clean_output: z.boolean().default(false),
})

/** `POST /v1alpha1/pg_dump`: the output of pg_dump, for `hasura migrate create --from-server`. */
export const handlePgDump: Handler = async (api, request) => {
  const { body } = await adminRequest(api, request)
  const parsed = parseJson(dumpRequest, body)
  if (parsed.kind === 'invalid') throw new HasuraError('parse-failed', parsed.problem.message, parsed.problem)
  const { source, opts, clean_output: clean } = parsed.value
  requireSource(api.workspace.snapshot.storedMetadata, source)
  const { databaseUrl, environment } = api
  const dump = await dumpDatabase(databaseUrl, opts, { environment, signal: request.signal })
  return {
    status: 200,
    headers: { 'content-type': 'application/sql; charset=utf-8' },
    body: clean ? cleanDump(dump) : dump,
  }
}
