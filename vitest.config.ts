import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '.data/**'],
    // Every test runs against a real Postgres; one server serves the whole run.
    globalSetup: 'local-postgres/src/vitest-global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
