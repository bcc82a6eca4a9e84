import { dirname, join } from 'node:path'
import { OUTBOX_FOLDER } from './data-folder.ts'
import { FIRST_QUERY } from './first-query.ts'
import { type PlatformConfig } from './configuration.ts'
import { type Platform } from './platform.ts'

/** What `npm start` prints when everything answers: where to go, with which key, and what to try first. */
export function welcome(
  { urls, adminSecret, demoShop, sendsMail }: Platform,
  mode: PlatformConfig['mode'],
  readyFilePath: string,
): string {
  const key = keyFor(mode, demoShop) ?? '<an API key of a merchant>'
  const rows: readonly (readonly [string, string])[] = [
    ['GraphQL API', `${urls.graphql}   (open it in a browser for GraphiQL)`],
    ['Documentation', new URL('/docs', urls.graphql).href],
    ['Hasura API', `${urls.hasura}/v1/graphql`],
    ['Admin secret', adminSecret],
    ...(demoShop === undefined ? [] : keyRows(mode, demoShop)),
    [
      'E-mail',
      sendsMail
        ? 'sent by SMTP'
        : `files in ${join(dirname(readyFilePath), OUTBOX_FOLDER)} (SMTP_URL sends it)`,
    ],
    ['All of this as JSON', readyFilePath],
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const table = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join('\n')
  return `\nCommerce Graph is running.\n\n${table}\n\nA first query to paste into another terminal:\n\n${curl(urls.graphql, key)}\n\nStop with Ctrl-C.\n`
}

const keyFor = (mode: PlatformConfig['mode'], shop: Platform['demoShop']): string | undefined =>
  mode === 'live' ? shop?.liveKey : shop?.testKey

const keyRows = (mode: PlatformConfig['mode'], { liveKey, testKey }: NonNullable<Platform['demoShop']>) =>
  [
    ['Live API key', liveKey],
    [
      'Test API key',
      mode === 'live' ? `${testKey}   (for a test deployment: COMMERCE_MODE=test npm start)` : testKey,
    ],
  ] as const

function curl(url: string, key: string): string {
  const body = JSON.stringify({ query: FIRST_QUERY.replaceAll(/\s+/g, ' ').trim() })
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json']
  return [`curl -s ${url}`, ...headers.map((header) => `  -H '${header}'`), `  -d '${body}'`].join(' \\\n')
}
