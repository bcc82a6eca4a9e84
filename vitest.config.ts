import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '.data/**'],
    // Every test runs against a real Postgres; one server serves the whole run.
    globalSetup: 'local-postgres/src/vitest-global-setup.ts',
    // Vite takes graphql's ESM build for what it transforms, Node its CommonJS one. graphql-ws has to see the same classes as we do.
    server: { deps: { inline: ['graphql-ws'] } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
