import { execFileSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Builds dist/ as a package of its own: JavaScript with declarations, since browsers, and Node under node_modules, run no TypeScript.
 * `npm pack client/dist` then makes the tarball (decision 48 has the reasons).
 */

const client = join(import.meta.dirname, '..')
const dist = join(client, 'dist')

interface Manifest {
  readonly [name: string]: unknown
  readonly exports: Readonly<Record<string, string>>
  readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const manifest = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8')) as Manifest

/** Of `./src/paginate.ts`: `./paginate`. */
const moduleOf = (source: string): string => source.replace('/src/', '/').replace(/\.ts$/, '')

const compiled = <Value>(
  entries: Readonly<Record<string, Value>>,
  of: (value: Value) => unknown,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, of(value)]))

function writeManifest(): void {
  const { name, version, description, dependencies, peerDependencies, exports, imports } = manifest
  const content = {
    name,
    version,
    description,
    private: true,
    license: 'UNLICENSED',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=18' },
    exports: {
      ...compiled(exports, (source) => ({
        types: `${moduleOf(source)}.d.ts`,
        default: `${moduleOf(source)}.js`,
      })),
      './schema.graphql': './schema.graphql',
    },
    imports: compiled(imports, (conditions) => compiled(conditions, (source) => `${moduleOf(source)}.js`)),
    dependencies,
    peerDependencies,
  }
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(content, null, 2)}\n`)
}

/** The compiler rewrites imports in JavaScript, but not in declarations. */
function rewriteDeclarations(): void {
  for (const file of globSync('**/*.d.ts', { cwd: dist })) {
    const path = join(dist, file)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
}

rmSync(dist, { recursive: true, force: true })
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
execFileSync(process.execPath, [compiler, '-p', join(client, 'tsconfig.build.json')], { stdio: 'inherit' })
rewriteDeclarations()
writeManifest()
cpSync(join(client, 'README.md'), join(dist, 'README.md'))
cpSync(join(client, '../docs/schema.graphql'), join(dist, 'schema.graphql'))
