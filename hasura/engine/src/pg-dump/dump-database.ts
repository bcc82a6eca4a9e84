import { execFile } from 'node:child_process'
import { HasuraError } from '../hasura-error.ts'
import { refusedOption } from './dump-options.ts'
import { withoutPassword } from './without-password.ts'

const maxDumpBytes = 64 * 1024 * 1024

export interface DumpContext {
  /** Its PATH decides where programs are found. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborting ends the program. */
  readonly signal: AbortSignal
}

/**
 * The output of `pg_dump` for the database at the URL. The program must be of the server's version or newer. Rejects
 * with HasuraError.
 */
export function dumpDatabase(
  databaseUrl: string,
  options: readonly string[],
  { environment, signal }: DumpContext,
): Promise<string> {
  const refused = refusedOption(options)
  if (refused !== undefined)
    return Promise.reject(
      new HasuraError('bad-request', `pg_dump's option ${refused} can't be given here`, { path: '$.opts' }),
    )
  const { url, password } = withoutPassword(databaseUrl)
  return new Promise((resolve, reject) => {
    execFile(
      'pg_dump',
      [`--dbname=${url}`, '--encoding=utf8', '--no-password', ...options],
      {
        encoding: 'utf8',
        maxBuffer: maxDumpBytes,
        signal,
        env: { ...environment, ...(password === undefined ? {} : { PGPASSWORD: password }) },
      },
      (error, output, errorOutput) => {
        if (error === null) resolve(output)
        else reject(failure(error, errorOutput, signal))
      },
    )
  })
}

function failure(error: Error, errorOutput: string, { aborted, reason }: AbortSignal): Error {
  if (aborted) return reason instanceof Error ? reason : error
  const code = 'code' in error ? error.code : undefined
  if (code === 'ENOENT')
    return failed(
      'pg_dump is not installed on the machine of the engine (it comes with the client programs of Postgres)',
    )
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return failed(`the dump is larger than ${maxDumpBytes} bytes`)
  return failed('error while executing pg_dump', errorOutput)
}

const failed = (message: string, errorOutput?: string): HasuraError =>
  new HasuraError('unexpected', message, {
    status: 500,
    ...(errorOutput === undefined ? {} : { internal: errorOutput }),
  })
