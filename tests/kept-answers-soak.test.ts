import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import { expect, test } from 'vitest'
import { readKeptAnswers } from './soak/read-kept-answers.ts'
import { longTest, longTests } from './support/long-tests.ts'

test.skipIf(!longTests)(
  longTest(
    'no gateway that keeps answers gives one that is older than its request, whatever is interrupted meanwhile',
  ),
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'kept-answers-'))
    const server = await startLocalPostgres({ dataDir: folder, databases: ['shop'] })
    try {
      const report = await readKeptAnswers({ databaseUrl: server.url, rounds: 10, seed: Date.now() })
      expect(report.faults).toEqual([])
      expect(report.kept).toBeGreaterThan(100)
      expect(report.commits).toBeGreaterThan(100)
    } finally {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  },
  600_000,
)
