import type { RunningServices } from './services.ts'

/** The contents of ready.json: how scripts reach a running platform. */
export const readyFile = ({
  urls,
  databaseUrl,
  superuserUrl,
  adminSecret,
  demoShop,
}: Pick<RunningServices, 'urls' | 'adminSecret' | 'demoShop'> & {
  readonly databaseUrl: string
  readonly superuserUrl: string | undefined
}) => ({
  graphqlUrl: urls.graphql,
  hasuraUrl: urls.hasura,
  authWebhookUrl: urls.authWebhook,
  actionsUrl: urls.actions,
  paymentSandboxUrl: urls.paymentSandbox,
  adminSecret,
  databaseUrl,
  ...(superuserUrl !== undefined && { superuserUrl }),
  ...demoShop,
  pid: process.pid,
})
