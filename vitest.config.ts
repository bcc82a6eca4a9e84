import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { testTiers } from './tests/support/test-tiers.ts'

const { unit, database } = testTiers()

export default defineConfig(({ mode }) => ({
  test: {
    env: {
      // For the platforms that tests start: a connection takes Postgres 30 ms of processor time, and the workers would open 16 at once.
      DATABASE_CONNECTIONS_WORKER: '6',
      // `npm run test:long`; see tests/support/long-tests.ts.
      ...(mode === 'long' ? { TEST_LONG: '1' } : {}),
    },
    // Vite takes graphql's ESM build for what it transforms, Node its CommonJS one. graphql-ws has to see the same classes as we do.
    server: { deps: { inline: ['graphql-ws'] } },
    reporters: ['default', './tests/support/skipped-tests.ts', './tests/support/failed-files.ts'],
    // Test files wait for time to pass: two cores are busy with three. With two and with four, the tests took a quarter longer.
    maxWorkers: availableParallelism() + 1,
    // MB. With V8's own 16 the collector takes a tenth of the time: it copies what a test still uses again and again.
    execArgv: ['--max-semi-space-size=64'],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // Vitest's own second is too short when the processor is busy.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      { extends: true, test: { name: 'unit', include: [...unit], isolate: false } },
      {
        extends: true,
        // These run against a real Postgres; one server serves the whole run.
        test: {
          name: 'database',
          // Files of a worker share the modules that it has loaded: loading them for each file took a third of the time.
          isolate: false,
          include: [...database],
          globalSetup: 'local-postgres/src/vitest-global-setup.ts',
        },
      },
    ],
  },
}))
