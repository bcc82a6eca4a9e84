import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { connectDatabase, type Database } from '../database.ts'
import { type Sandbox, startSandbox } from '../processors/sandbox/index.ts'
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts'

/** A sandbox with a database of its own, and a proxy before it that keeps what is exchanged. */
export interface RecordedSandbox extends AsyncDisposable {
  readonly sandbox: Sandbox
  readonly proxy: RecordingProxy
  readonly database: Database
}

export async function openRecordedSandbox(): Promise<RecordedSandbox> {
  const testDatabase = await createTestDatabase()
  const database = connectDatabase({ databaseUrl: testDatabase.url, poolSize: 1, applicationName: 'test' })
  const sandbox = await startSandbox({ port: 0, databaseUrl: testDatabase.url })
  const proxy = await startRecordingProxy(sandbox.url)
  return {
    sandbox,
    proxy,
    database,
    async [Symbol.asyncDispose]() {
      await proxy.close()
      await sandbox.stop()
      await database.end()
      await testDatabase.drop()
    },
  }
}
