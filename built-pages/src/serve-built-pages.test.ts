import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as send, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BuildStep, compressPages, PackageBuild, serveBuiltPages } from './index.ts'

const page = `<!doctype html><title>Built</title>${'text '.repeat(100)}`

/** Writes what a bundler would have made. */
const write: BuildStep = {
  name: 'build',
  text: 'Build the pages',
  remedy: 'Try again.',
  run(cwd) {
    mkdirSync(path.join(cwd, 'dist/assets'), { recursive: true })
    writeFileSync(path.join(cwd, 'dist/index.html'), page)
    writeFileSync(path.join(cwd, 'dist/404.html'), 'Not here')
    writeFileSync(path.join(cwd, 'dist/frame.html'), 'A frame')
    writeFileSync(path.join(cwd, 'dist/assets/main-a1b2.js'), 'console.log(1)')
    return Promise.resolve(null)
  },
}

let folder: string
let server: Server
let fail: string | null
let release: () => void

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'built-pages-'))
  fail = null
  const waits = new Promise<void>((resolve) => (release = resolve))
  const install: BuildStep = {
    name: 'install',
    text: 'Install the packages',
    remedy: 'Check the registry.',
    run: async () => {
      await waits
      return fail
    },
  }
  const build = new PackageBuild({
    pages: {
      title: 'the manual',
      takes: 'a moment',
      folder: 'built-pages',
      sources: ['built-pages/package.json'],
      steps: [install, write, compressPages('dist')],
      output: 'dist',
    },
    folder,
    logger: { info: () => undefined, warn: () => undefined },
  })
  const pages = serveBuiltPages(build, {
    path: '/manual',
    policy: "default-src 'self'",
    ownPolicies: { '/frame': "default-src 'none'" },
    pageAt: (address) => (address === '' ? 'index.html' : `${address.slice(1)}.html`),
    notFound: '404.html',
  })
  server = createServer((request, response) => void pages(request, response)).listen(0)
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const addressOf = (at: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${at}`

async function read(at: string): Promise<{ status: number; body: string; headers: Headers }> {
  const response = await fetch(addressOf(at), { headers: { 'accept-encoding': 'br' } })
  return { status: response.status, body: await response.text(), headers: response.headers }
}

const untilBuilt = () =>
  expect.poll(async () => (await read('/manual')).body, { timeout: 5_000 }).not.toContain('Preparing')

test('the first visit says how far the pages are, the next one shows them compressed, with the policy', async () => {
  expect((await read('/manual')).body).toContain('Preparing the manual')
  expect((await read('/manual')).body).toContain('aria-current="step">Install the packages')
  release()
  await untilBuilt()
  const { body, headers } = await read('/manual')
  expect(body).toBe(page)
  expect(headers.get('content-encoding')).toBe('br')
  expect(headers.get('cache-control')).toBe('no-cache')
  expect(headers.get('content-security-policy')).toBe("default-src 'self'")
  const script = await read('/manual/assets/main-a1b2.js')
  expect(script.headers.get('cache-control')).toContain('immutable')
  expect(script.headers.get('content-type')).toContain('text/javascript')
})

test('a page that has a policy of its own is served with that one', async () => {
  release()
  await untilBuilt()
  const { body, headers } = await read('/manual/frame')
  expect([body, headers.get('content-security-policy')]).toEqual(['A frame', "default-src 'none'"])
})

test('an unknown page has the page for it and 404, and no address leads out of the folder', async () => {
  release()
  await untilBuilt()
  expect(await read('/manual/nothing')).toMatchObject({ status: 404, body: 'Not here' })
  expect(await read('/manual/assets/nothing.js')).toMatchObject({ status: 404 })
  writeFileSync(path.join(folder, 'secret.html'), 'secret')
  // fetch would take the dots out of the address.
  const status = await new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo
    send({ port, path: '/manual/../secret' }, ({ statusCode }) => resolve(statusCode))
      .on('error', reject)
      .end()
  })
  expect(status).toBe(404)
})

test('a step that has failed is told with what it said and what to do', async () => {
  fail = 'getaddrinfo <ENOTFOUND> registry'
  await read('/manual')
  release()
  await untilBuilt()
  const { status, body } = await read('/manual')
  expect(status).toBe(503)
  expect(body).toContain('The manual could not be prepared')
  expect(body).toContain('getaddrinfo &lt;ENOTFOUND&gt; registry')
  expect(body).toContain('Check the registry.')
})
