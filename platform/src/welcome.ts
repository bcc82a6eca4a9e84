import { dirname, join } from 'node:path'
import { styleText } from 'node:util'
import { outboxFolder } from './data-folder.ts'
import { firstQuery } from './first-query.ts'
import type { PlatformConfig } from './configuration.ts'
import type { Platform } from './platform.ts'

/** The state that the welcome text shows, besides the platform. */
export interface WelcomeOptions {
  readonly mode: PlatformConfig['mode']
  readonly readyFilePath: string
  /** Whether it has the pages of /admin. */
  readonly hasAdmin: boolean
  /** Whether secrets may be shown: to a person at a terminal, never in a log. */
  readonly showsSecrets: boolean
}

/** The text that `npm start` prints when everything answers: addresses, the key, and a first query. */
export function welcome(
  platform: Platform,
  { mode, readyFilePath, hasAdmin, showsSecrets }: WelcomeOptions,
): string {
  const { urls, adminSecret, demoShop, email, pushes, files, cardPayments, liveQueries } = platform
  const rows: readonly (readonly [string, string])[] = [
    [
      'Deployment',
      mode === 'live'
        ? 'live: test keys are refused'
        : 'test: no money moves (COMMERCE_MODE=live for a live one)',
    ],
    ['GraphQL API', `${urls.graphql}   (open it in a browser for GraphiQL)`],
    ['Documentation', new URL('/docs', urls.graphql).href],
    ...(hasAdmin ? adminRows(platform, showsSecrets) : []),
    ['Hasura API', `${urls.hasura}/v1/graphql`],
    ...(showsSecrets ? secretRows(adminSecret, demoShop, mode) : []),
    // It is no secret, and works for pages of this machine alone.
    ...(demoShop && mode === 'test' ? [['Publishable key', demoShop.publishableKey] as const] : []),
    ['Card payments', cardPaymentsText[cardPayments]],
    ['E-mail', emailRow(email, readyFilePath)],
    ['Pushes', pushesText[pushes]],
    ['Files', filesText[files]],
    ...(liveQueries === undefined ? [] : [['Subscriptions', liveQueriesText(liveQueries)] as const]),
    [showsSecrets ? 'All of this as JSON' : 'Keys and secrets', readyFilePath],
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const table = rows
    .map(([label, value]) => `  ${styleText('bold', label.padEnd(width))}  ${value}`)
    .join('\n')
  const key = keyForQuery(demoShop, showsSecrets ? undefined : readyFilePath)
  return `\nCommerce Graph is running.\n\n${table}\n\nA first query to paste into another terminal:\n\n${curl(urls.graphql, key)}\n\nStop with Ctrl-C.\n`
}

const liveQueriesText = (state: NonNullable<Platform['liveQueries']>): string =>
  state.kind === 'following'
    ? 'follow the log of the database'
    : `ask the database each second, because its log is not followed: ${state.reason}`

function adminRows(
  { urls, demoShop }: Pick<Platform, 'urls' | 'demoShop'>,
  showsSecrets: boolean,
): readonly (readonly [string, string])[] {
  const address = new URL('/admin', urls.graphql).href
  if (demoShop === undefined) return [['Admin', address]]
  const { userEmail, userPassword } = demoShop
  return [
    [
      'Admin',
      showsSecrets ? `${address}   (${userEmail}, password ${userPassword})` : `${address}   (${userEmail})`,
    ],
  ]
}

const cardPaymentsText: Readonly<Record<Platform['cardPayments'], string>> = {
  stripe: 'by Stripe',
  sandbox: 'by the payment sandbox, which moves no money (STRIPE_SECRET_KEY takes real test cards)',
  none: 'none: they are refused as unsupported (STRIPE_SECRET_KEY takes them)',
}

const pushesText: Readonly<Record<Platform['pushes'], string>> = {
  webhook: 'posted to PUSH_WEBHOOK_URL',
  none: 'none: they are SUPPRESSED (PUSH_WEBHOOK_URL passes them on)',
}

const filesText: Readonly<Record<Platform['files'], string>> = {
  folder: 'in a folder of this machine (FILES_S3_ENDPOINT stores them in S3)',
  s3: 'in S3',
}

function emailRow(email: Platform['email'], readyFilePath: string): string {
  switch (email) {
    case 'smtp':
      return 'sent by SMTP'
    case 'outbox':
      return `files in ${join(dirname(readyFilePath), outboxFolder)} (SMTP_URL sends it)`
    case 'none':
      return 'none: it is SUPPRESSED (SMTP_URL sends it)'
    default:
      return email satisfies never
  }
}

/** The live key, which both kinds of deployment accept: the key itself, or the file that has it. */
function keyForQuery(shop: Platform['demoShop'], readyFilePath: string | undefined): string {
  if (shop === undefined) return '<an API key of a merchant>'
  if (readyFilePath === undefined) return shop.liveKey
  return `$(node -p 'require(process.argv[1]).liveKey' '${readyFilePath}')`
}

function secretRows(
  adminSecret: string,
  shop: Platform['demoShop'],
  mode: PlatformConfig['mode'],
): readonly (readonly [string, string])[] {
  const keys = [
    ['Live API key', shop?.liveKey],
    [
      'Test API key',
      mode === 'test' && shop !== undefined ? `${shop.testKey}   (for an empty shop of its own)` : undefined,
    ],
  ] as const
  return [
    ['Admin secret', adminSecret],
    ...keys.flatMap(([label, key]) => (key === undefined ? [] : [[label, key] as const])),
  ]
}

function curl(url: string, key: string): string {
  const body = JSON.stringify({ query: firstQuery.replaceAll(/\s+/g, ' ').trim() })
  const headers = [`-H "Authorization: Bearer ${key}"`, `-H 'Content-Type: application/json'`]
  return [`curl -s ${url}`, ...headers.map((header) => `  ${header}`), `  -d '${body}'`].join(' \\\n')
}
