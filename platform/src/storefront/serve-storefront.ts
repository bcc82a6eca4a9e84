import { PackageBuild } from '@commerce-graph/built-pages'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PlatformError } from '../platform-error.ts'
import { storefrontPackage } from './storefront-package.ts'

/** The shop that a storefront sells for. */
export interface ShopAddress {
  /** The contract's endpoint, `http://…/graphql`. */
  readonly url: string
  /** A publishable key, `cg_pub_…`, that is bound to the origin of the pages. */
  readonly key: string
}

export interface StorefrontOptions {
  readonly shop: ShopAddress
  readonly port: number
  /** The folder for the built storefronts of all versions. */
  readonly folder: string
  /** Told what is done. */
  readonly say: (line: string) => void
}

/**
 * Builds the storefront if this version isn't built yet, and runs its server until `signal` fires or it ends by itself. Throws a
 * PlatformError if it can't be built or served.
 */
export async function serveStorefront(options: StorefrontOptions, signal: AbortSignal): Promise<void> {
  const folder = await built(options, signal)
  const { shop, port } = options
  // The variables that a server needs, and no others: the platform's environment holds secrets.
  const { PATH, NODE_ENV = 'production' } = process.env
  const server = spawn(process.execPath, [join(folder, 'server.ts')], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { PATH, NODE_ENV, SHOP_URL: shop.url, SHOP_KEY: shop.key, PORT: String(port) },
  })
  const end = (): boolean => server.kill('SIGTERM')
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const [code] = (await once(server, 'close')) as [number | null]
  if (code !== 0 && !signal.aborted) throw new PlatformError('the storefront’s server has ended')
}

async function built({ folder, say }: StorefrontOptions, signal: AbortSignal): Promise<string> {
  const build = new PackageBuild({
    pages: storefrontPackage,
    folder,
    logger: { info: () => undefined, warn: () => undefined },
    onStep: ({ text }) => say(`${text} …`),
  })
  signal.addEventListener('abort', () => void build.stop(), { once: true })
  const state = await build.finish()
  if (state.kind === 'ready') return state.folder
  if (state.kind !== 'failed') throw new PlatformError('the storefront was not built')
  const { step, reason } = state
  throw new PlatformError(`the step “${step.text}” has failed. ${step.remedy}\n\n${reason}`)
}
