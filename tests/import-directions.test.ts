import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ImportGraph } from './support/import-graph.ts'

const root = path.resolve(import.meta.dirname, '..')

/** The workspaces that each workspace may import, besides libraries and itself. docs/architecture.md says why. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  'local-postgres': [],
  'http-server': [],
  telemetry: ['http-server'],
  terminal: [],
  'answer-cache': [],
  'change-feed': [],
  'built-pages': [],
  'postgres-driver': ['local-postgres'],
  'hasura/engine': ['answer-cache', 'change-feed', 'http-server', 'local-postgres'],
  'hasura/data-layer': ['answer-cache', 'hasura/engine'],
  'hasura/cli': ['hasura/engine'],
  contract: [],
  client: [],
  'rate-limits': ['http-server'],
  'secret-box': [],
  'file-storage': ['secret-box'],
  audit: ['contract', 'postgres-driver'],
  'access-tokens': ['contract', 'postgres-driver', 'secret-box'],
  'auth-webhook': [
    'access-tokens',
    'audit',
    'contract',
    'http-server',
    'postgres-driver',
    'rate-limits',
    'secret-box',
  ],
  actions: [
    'access-tokens',
    'audit',
    'auth-webhook',
    'contract',
    'file-storage',
    'http-server',
    'postgres-driver',
    'secret-box',
    'telemetry',
  ],
  gateway: [
    'answer-cache',
    'hasura/data-layer',
    'audit',
    'auth-webhook',
    'contract',
    'file-storage',
    'http-server',
    'rate-limits',
    'telemetry',
  ],
  importer: ['contract', 'terminal'],
  'demo/shop': ['auth-webhook', 'hasura/cli', 'postgres-driver'],
  'demo/year': [
    'access-tokens',
    'actions',
    'auth-webhook',
    'contract',
    'file-storage',
    'platform',
    'local-postgres',
    'postgres-driver',
    'secret-box',
    'terminal',
  ],
  platform: [
    'access-tokens',
    'actions',
    'audit',
    'auth-webhook',
    'built-pages',
    'change-feed',
    'contract',
    'demo/shop',
    'file-storage',
    'gateway',
    'hasura/cli',
    'hasura/data-layer',
    'hasura/engine',
    'http-server',
    'local-postgres',
    'postgres-driver',
    'rate-limits',
    'secret-box',
    'telemetry',
    'terminal',
  ],
}

/** Folders whose subfolders are domains: a domain may import another one through its index only. */
const domainFolders: Readonly<Record<string, readonly string[]>> = {
  'actions/src': [
    'analytics',
    'booking',
    'cart',
    'catalog',
    'crm',
    'email',
    'events',
    'files',
    'identity',
    'inventory',
    'merchant',
    'metadata',
    'notification',
    'ordering',
    'payment',
    'promotion',
  ],
  'gateway/src/domains': [
    'analytics',
    'audit',
    'booking',
    'cart',
    'catalog',
    'crm',
    'email',
    'events',
    'files',
    'identity',
    'inventory',
    'merchant',
    'metadata',
    'notification',
    'ordering',
    'payment',
    'promotion',
    'search',
  ],
}

interface Import {
  readonly file: string
  readonly specifier: string
}

test('a workspace imports only those below it', () => {
  const names = new Map(Object.keys(allowedImports).map((folder) => [packageName(folder), folder]))
  const wrong = Object.entries(allowedImports).flatMap(([folder, allowed]) =>
    imports(folder).filter(({ file, specifier }) => {
      const target = specifier.startsWith('.')
        ? workspaceOf(path.relative(root, path.resolve(path.dirname(file), specifier)))
        : names.get(packageOf(specifier))
      return target !== undefined && target !== folder && !allowed.includes(target)
    }),
  )
  expect(wrong.map(importLine)).toEqual([])
})

test('a domain imports another one through its index only', () => {
  const wrong = Object.entries(domainFolders).flatMap(([folder, domains]) =>
    domains.flatMap((domain) =>
      imports(path.join(folder, domain)).filter(({ file, specifier }) => {
        if (!specifier.startsWith('.')) return false
        const [target, ...inside] = path
          .relative(path.join(root, folder), path.resolve(path.dirname(file), specifier))
          .split(path.sep)
        return target !== domain && domains.includes(target ?? '') && inside.join('/') !== 'index.ts'
      }),
    ),
  )
  expect(wrong.map(importLine)).toEqual([])
})

test('every domain folder has source files that the test above checks', () => {
  for (const [folder, domains] of Object.entries(domainFolders)) {
    for (const domain of domains) expect(sourceFiles(path.join(root, folder, domain))).not.toEqual([])
  }
})

test('no module imports itself through others, also not for types', () => {
  const { workspaces } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly workspaces: readonly string[]
  }
  const modules = workspaces.flatMap((folder) => sourceFiles(path.join(root, folder)))
  expect(modules.length).toBeGreaterThan(1000)
  const knots = new ImportGraph({ types: true }).cycles(modules)
  expect(knots.map((knot) => knot.map((file) => path.relative(root, file)))).toEqual([])
})

function imports(folder: string): readonly Import[] {
  return sourceFiles(path.join(root, folder)).flatMap((file) => {
    // Tests may open a whole shop; shipped code may not.
    if (/\.test\.ts$|\/testing\/|\/test\//.test(file)) return []
    const text = readFileSync(file, 'utf8')
    return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => ({
      file,
      specifier: match[1] ?? '',
    }))
  })
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('node_modules'),
    )
    .map((entry) => path.join(entry.parentPath, entry.name))
}

function packageName(folder: string): string {
  const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as {
    name: string
  }
  return manifest.name
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function workspaceOf(relative: string): string | undefined {
  return Object.keys(allowedImports).find((folder) => relative.startsWith(`${folder}${path.sep}`))
}

function importLine({ file, specifier }: Import): string {
  return `${path.relative(root, file)} imports ${specifier}`
}
