import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { longTest, longTests } from './support/long-tests.ts'

const root = path.resolve(import.meta.dirname, '..')

/** Runs the step of CI against a registry with the given answer. */
async function audit(answer: RequestListener): Promise<{ readonly code: number; readonly output: string }> {
  const registry = createServer(answer).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const { port } = registry.address() as AddressInfo
  // npm caches advisories, so this run has a cache of its own.
  const cache = await mkdtemp(path.join(tmpdir(), 'commerce-graph-audit-'))
  const options = [`--registry=http://127.0.0.1:${port}/`, '--fetch-retries=0', `--cache=${cache}`]
  const child = spawn(process.execPath, ['scripts/audit-dependencies.mjs', ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number]>])
  registry.closeAllConnections()
  registry.close()
  await rm(cache, { recursive: true, force: true })
  return { code, output }
}

/** Answers npm's request about all dependencies. Answers any other request with 404. */
const advisories =
  (found: object): RequestListener =>
  (request, response) => {
    const known = request.url?.endsWith('/advisories/bulk') === true
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(known ? found : {}))
  }

const advisory = (severity: string) => ({
  graphql: [
    {
      id: 1,
      url: 'https://example.com/advisory',
      title: 'A hole',
      severity,
      vulnerable_versions: '*',
      cwe: [],
      cvss: { score: 9, vectorString: null },
    },
  ],
})

test.skipIf(!longTests)(
  longTest('the audit fails if a shipped dependency has a known severe vulnerability'),
  async () => {
    const { code, output } = await audit(advisories(advisory('critical')))
    expect(output).toContain('A hole')
    expect(code).toBe(1)
  },
)

test.skipIf(!longTests)(
  longTest('the audit passes if there is no vulnerability, or only a minor one'),
  async () => {
    expect(await audit(advisories({}))).toMatchObject({
      code: 0,
      output: expect.stringContaining('0 critical') as unknown,
    })
    expect((await audit(advisories(advisory('low')))).code).toBe(0)
  },
)

test.skipIf(!longTests)(longTest('the audit reports a registry without an answer, and passes'), async () => {
  const { code, output } = await audit((_request, response) => response.writeHead(405).end())
  expect(output).toContain('could not be audited')
  expect(code).toBe(0)
})
