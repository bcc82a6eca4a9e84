import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { testTiers } from './tests/support/test-tiers.ts'

const { unit, database } = testTiers()

export default defineConfig({
  test: {
    // Vite takes graphql's ESM build for what it transforms, Node its CommonJS one. graphql-ws has to see the same classes as we do.
    server: { deps: { inline: ['graphql-ws'] } },
    reporters: ['default', './tests/support/skipped-tests.ts'],
    // Test files wait for Postgres as much as they compute: a machine of two cores is busy with two.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'unit', include: [...unit], isolate: false } },
      {
        extends: true,
        // These run against a real Postgres; one server serves the whole run.
        test: {
          name: 'database',
          include: [...database],
          globalSetup: 'local-postgres/src/vitest-global-setup.ts',
        },
      },
    ],
  },
})
