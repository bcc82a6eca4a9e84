import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { encodings } from './compress-files.ts'
import type { PackageBuild } from './package-build.ts'
import { progressPage, progressStyle } from './progress-page.ts'

/** How the built pages of a package are reached. */
export interface ServedPages {
  /** The address that everything is below, such as /admin. */
  readonly path: string
  /** The Content-Security-Policy of all answers, but for pages that have one of their own. */
  readonly policy: string
  /** The Content-Security-Policy of a page that has one of its own, by its address below `path`. */
  readonly ownPolicies?: Readonly<Record<string, string>>
  /** The built page at an address below `path`, as a file in the build's folder; such an address is "", or begins with a slash. */
  pageAt(address: string): string
  /** Whether the pages lie in folders, so that `path` itself leads to `path/`. */
  readonly inFolders?: boolean
  /** The file that is shown where there is no page; without it, a line of text is. */
  readonly notFound?: string
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.graphql': 'text/plain; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** The name of a built file: its content is in its name, so it never changes. No other name leads into the folder. */
const assetPath = /^\/(assets\/(?:[\w-]+\/)*[\w@-]+(?:\.[\w@-]+)*\.(?:js|css|json|svg|png|woff2))$/

/** Serves what is below `path`: the built pages, or, until they are built, the page that says how far they are. */
export const serveBuiltPages =
  (build: PackageBuild, served: ServedPages) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = (request.url?.split('?', 1)[0] ?? '').slice(served.path.length)
    const answer = new PageAnswer(request, response, served.ownPolicies?.[address] ?? served.policy)
    if (address === '/progress.css') {
      answer.send(200, progressStyle, { 'content-type': types['.css'], 'cache-control': 'no-cache' })
      return
    }
    build.begin()
    const { state, pages } = build
    if (state.kind !== 'ready') {
      const status = state.kind === 'failed' ? 503 : 200
      const page = progressPage(state, { pages, path: served.path, now: Date.now() })
      answer.send(status, page, { 'content-type': types['.html'], 'cache-control': 'no-store' })
      return
    }
    if (address === '' && served.inFolders === true) {
      answer.send(302, '', { location: `${served.path}/` })
      return
    }
    const asset = assetPath.exec(address)?.[1]
    if (asset === undefined && address.startsWith('/assets/')) {
      answer.refuse()
      return
    }
    // An address with a part that begins with a dot leads nowhere: not out of the folder, and not to hidden files.
    const file = asset ?? (/\/\.|\\|%|\0/.test(address) ? '' : served.pageAt(address))
    const kept = asset === undefined ? 'no-cache' : 'public, max-age=31536000, immutable'
    if (await answer.sendFile(200, join(state.folder, file), { 'cache-control': kept })) return
    const { notFound } = served
    const shown = notFound !== undefined && join(state.folder, notFound)
    if (shown && (await answer.sendFile(404, shown, { 'cache-control': 'no-cache' }))) return
    answer.refuse()
  }

class PageAnswer {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #headers: OutgoingHttpHeaders

  constructor(request: IncomingMessage, response: ServerResponse, policy: string) {
    this.#request = request
    this.#response = response
    this.#headers = {
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    }
  }

  refuse(): void {
    this.send(404, 'There is no such file', { 'content-type': 'text/plain; charset=utf-8' })
  }

  send(status: number, body: string, headers: OutgoingHttpHeaders): void {
    const response = this.#response
    response.writeHead(status, {
      ...this.#headers,
      ...headers,
      'content-length': Buffer.byteLength(body),
    })
    response.end(this.#request.method === 'HEAD' ? undefined : body)
  }

  /** False: there is no such file. */
  async sendFile(status: number, path: string, headers: OutgoingHttpHeaders): Promise<boolean> {
    const accepted = this.#request.headers['accept-encoding']?.toString() ?? ''
    const encoding = encodings.find(({ name }) => new RegExp(`\\b${name}\\b`).test(accepted))
    const compressed = encoding && (await sizeOf(`${path}${encoding.ending}`))
    const size = compressed ?? (await sizeOf(path))
    if (size === undefined) return false
    const response = this.#response
    response.writeHead(status, {
      ...this.#headers,
      'content-type': types[extname(path)] ?? 'application/octet-stream',
      vary: 'Accept-Encoding',
      ...headers,
      'content-length': size,
      ...(encoding && compressed !== undefined && { 'content-encoding': encoding.name }),
    })
    if (this.#request.method === 'HEAD') {
      response.end()
      return true
    }
    const sent = encoding && compressed !== undefined ? `${path}${encoding.ending}` : path
    await pipeline(createReadStream(sent), response).catch(() => response.destroy())
    return true
  }
}

/** The size of a file. Undefined: there is none. */
const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    (found) => (found.isFile() ? found.size : undefined),
    () => undefined,
  )
