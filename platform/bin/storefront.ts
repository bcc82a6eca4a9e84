import { runCommand, wholeNumber, WrongUse } from '@commerce-graph/terminal'
import { Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { dataFolderPath, readReadyFile } from '../src/command-line.ts'
import { expectedErrors } from '../src/expected-errors.ts'
import { PlatformError } from '../src/platform-error.ts'
import { serveStorefront, type ShopAddress } from '../src/storefront/serve-storefront.ts'

/** The demo shop that runs here, as `npm start` describes it. */
const readySchema = z
  .object({ graphqlUrl: z.url(), publishableKey: z.string() })
  .transform(({ graphqlUrl, publishableKey }): ShopAddress => ({ url: graphqlUrl, key: publishableKey }))

interface Options {
  readonly port: number
  readonly url?: string
  readonly key?: string
}

const highestPort = 65_535

function graphqlUrl(text: string): string {
  if (!z.url({ protocol: /^https?$/ }).safeParse(text).success)
    throw new InvalidArgumentError('must be the URL of /graphql, with http:// or https://')
  return text
}

function publishableKey(text: string): string {
  if (!text.startsWith('cg_pub_'))
    throw new InvalidArgumentError('must be a publishable key, cg_pub_…: all visitors can read it')
  return text
}

const program = new Command('npm run storefront --')
  .description(
    'Serves the example storefront (examples/storefront) on this machine. It sells the products of the demo shop that\n' +
      'runs here, or of the shop that --url and --key name. The first run of a version installs and builds it.',
  )
  .option('--port <n>', 'the port of the pages', wholeNumber(1, highestPort), 3000)
  .option('--url <url>', "the shop's /graphql", graphqlUrl)
  .option('--key <key>', 'its publishable key, bound to the origin of the pages', publishableKey)
  .action(serve)

/** Throws a PlatformError if there is no shop to sell for. */
async function findShop({ url, key }: Options): Promise<ShopAddress> {
  if (url !== undefined && key !== undefined) return { url, key }
  if (url !== undefined || key !== undefined) throw new WrongUse('--url and --key come together')
  const shop = await readReadyFile(readySchema)
  if (shop !== undefined) return shop
  throw new PlatformError(
    'no shop runs here: npm start opens the demo shop, or name one with --url and --key',
  )
}

async function serve(chosen: Options): Promise<void> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const shop = await findShop(chosen)
  const folder = dataFolderPath('storefront')
  await serveStorefront({ shop, port: chosen.port, folder, say: console.error }, stopping.signal)
}

await runCommand(program, { expected: expectedErrors })
