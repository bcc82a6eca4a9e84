import type { Platform } from './platform.ts'

/** What ready.json holds, for scripts: how to reach a running platform. */
export const readyFile = ({
  urls,
  databaseUrl,
  adminSecret,
  demoShop,
}: Pick<Platform, 'urls' | 'databaseUrl' | 'adminSecret' | 'demoShop'>) => ({
  graphqlUrl: urls.graphql,
  hasuraUrl: urls.hasura,
  authWebhookUrl: urls.authWebhook,
  actionsUrl: urls.actions,
  paymentSandboxUrl: urls.paymentSandbox,
  adminSecret,
  databaseUrl,
  ...demoShop,
  pid: process.pid,
})
