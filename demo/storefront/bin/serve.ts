import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { serveStorefront, type ShopAddress } from '../src/serve-storefront.ts'

const readyFile = '.data/ready.json'

/** The demo shop that runs in this folder, as `npm start` describes it. */
const readySchema = z
  .object({ graphqlUrl: z.url(), publishableKey: z.string() })
  .transform(({ graphqlUrl, publishableKey }): ShopAddress => ({ url: graphqlUrl, key: publishableKey }))

const options = z.object({ port: z.number(), url: z.string().optional(), key: z.string().optional() })

function portNumber(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('must be a whole number from 0 to 65535')
  return port
}

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
    'Serves an example storefront (docs/storefront.md) on this machine. It sells the products of the demo shop that\n' +
      'runs here, or of the shop that --url and --key name.',
  )
  .option('--port <n>', 'the port of the pages; 0 takes a free one', portNumber, 3000)
  .option('--url <url>', "the shop's /graphql", graphqlUrl)
  .option('--key <key>', 'its publishable key, bound to the origin of the pages', publishableKey)
  .showHelpAfterError()
  .parse()

/** Ends the process with a message if there is no shop to sell for. */
async function findShop({ url, key }: z.infer<typeof options>): Promise<ShopAddress> {
  if (url !== undefined && key !== undefined) return { url, key }
  if (url !== undefined || key !== undefined) program.error('error: --url and --key come together')
  const text = await readFile(path.resolve(readyFile), 'utf8').catch(() =>
    program.error(
      'error: no shop runs here: npm start opens the demo shop, or name one with --url and --key',
    ),
  )
  return readySchema.parse(JSON.parse(text))
}

const chosen = options.parse(program.opts())
const shop = await findShop(chosen)
const storefront = await serveStorefront(shop, chosen.port).catch((error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException
  return program.error(
    code === 'EADDRINUSE'
      ? `error: port ${chosen.port} is taken: choose another one with --port`
      : `error: ${message}`,
  )
})
console.log(`The storefront is at ${storefront.url}. It sells for ${shop.url}. Ctrl-C ends it.`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void storefront.close())
