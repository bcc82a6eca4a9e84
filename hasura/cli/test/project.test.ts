import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHasuraApi } from '../src/index.ts'
import { readProject } from '../src/project.ts'
import { runEngine } from './running-engine.ts'

let root: string
let folder: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'project-'))
  folder = join(root, 'hasura')
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'config.yaml'),
    'version: 3\nendpoint: http://127.0.0.1:4001\nadmin_secret: of-file\n',
  )
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function running(content: string): void {
  mkdirSync(join(root, '.data'))
  writeFileSync(join(root, '.data/ready.json'), content)
}

test('a running platform of the checkout gives its address and secret', async () => {
  expect(await readProject(folder, {}, {})).toMatchObject({
    endpoint: 'http://127.0.0.1:4001',
    adminSecret: 'of-file',
  })
  running(JSON.stringify({ hasuraUrl: 'http://127.0.0.1:5001', adminSecret: 'of-platform', pid: 1 }))
  expect(await readProject(folder, {}, {})).toMatchObject({
    endpoint: 'http://127.0.0.1:5001',
    adminSecret: 'of-platform',
  })
})

test('flags and the environment take precedence, and the platform’s secret goes to no other address', async () => {
  running(JSON.stringify({ hasuraUrl: 'http://127.0.0.1:5001', adminSecret: 'of-platform' }))
  const elsewhere = 'https://hasura.example.com'
  expect(await readProject(folder, { endpoint: elsewhere }, {})).toMatchObject({
    endpoint: elsewhere,
    adminSecret: 'of-file',
  })
  expect(
    await readProject(
      folder,
      {},
      { HASURA_GRAPHQL_ENDPOINT: 'http://127.0.0.1:5001/', HASURA_GRAPHQL_ADMIN_SECRET: 'mine' },
    ),
  ).toMatchObject({ adminSecret: 'mine' })
})

test('a half-written ready file is ignored', async () => {
  running('{"hasuraUrl":')
  expect(await readProject(folder, {}, {})).toMatchObject({ endpoint: 'http://127.0.0.1:4001' })
})

test('a refusal without a secret asks for one', async () => {
  const engine = await runEngine()
  try {
    const api = createHasuraApi({ endpoint: engine.url, adminSecret: undefined })
    await expect(api.metadata({ type: 'export_metadata', args: {} })).rejects.toThrow(
      /: give --admin-secret, or set HASURA_GRAPHQL_ADMIN_SECRET$/,
    )
  } finally {
    await engine.stop()
  }
})
