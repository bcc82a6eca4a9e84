import { defineConfig } from 'vite'

const clientSources = new URL('../client/src/', import.meta.url).pathname

export default defineConfig({
  base: '/admin/',
  resolve: {
    alias: {
      '@commerce-graph/client/subscriptions': `${clientSources}subscriptions.ts`,
      '@commerce-graph/client': `${clientSources}index.ts`,
      '#web-crypto': `${clientSources}web-crypto.ts`,
    },
    // The client's sources lie outside of this folder, and find the packages of this one.
    dedupe: ['graphql', 'graphql-ws'],
  },
  build: {
    target: 'es2023',
    // A module of another host's page is never loaded, so nothing has to be polyfilled, and no script is inline.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
  server: { proxy: { '/graphql': 'http://127.0.0.1:4000', '/admin/session': 'http://127.0.0.1:4000' } },
})
