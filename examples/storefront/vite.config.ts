import { reactRouter } from '@react-router/dev/vite'
import { defineConfig } from 'vite'

// In a shop of your own, install the client (`npm install @commerce-graph/client`) and remove `resolve` and `ssr`.
const client = new URL('../../client/src/', import.meta.url).pathname

export default defineConfig({
  plugins: [reactRouter()],
  resolve: {
    alias: {
      '@commerce-graph/client/subscriptions': `${client}subscriptions.ts`,
      '@commerce-graph/client': `${client}index.ts`,
      '#web-crypto': `${client}web-crypto.ts`,
    },
    // The client's sources lie outside of this folder, and find the packages of this one.
    dedupe: ['graphql', 'graphql-ws'],
  },
  build: { target: 'es2023', assetsInlineLimit: 0 },
})
