import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix, relative } from 'node:path'
import { z } from 'zod'
import { neededNode } from '../bin/needed-node.mjs'

/**
 * Builds dist/ as a package of its own. Node runs no TypeScript under node_modules, and local-postgres, http-server and
 * change-feed are not published, so all of it becomes JavaScript with declarations. `npm pack hasura/engine/dist` then makes the
 * tarball.
 */

const engine = join(import.meta.dirname, '..')
const root = join(engine, '../..')
const dist = join(engine, 'dist')
/** The workspaces that the engine uses, by package name. */
const workspaces = {
  '@commerce-graph/change-feed': 'change-feed',
  '@commerce-graph/http-server': 'http-server',
  '@commerce-graph/local-postgres': 'local-postgres',
} as const

const names = z.record(z.string(), z.string())
const manifest = z.object({
  version: z.string(),
  description: z.string().optional(),
  dependencies: names.default({}),
  optionalDependencies: names.default({}),
})

const readManifest = (folder: string) =>
  manifest.parse(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')))

function compile(): void {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', join(engine, 'tsconfig.build.json')], { stdio: 'inherit' })
}

/** Copies what the compiler ignores: SQL that is read at run time, and modules written in JavaScript. */
function copyOthers(): void {
  for (const pattern of [
    'hasura/engine/src/**/*.sql',
    'hasura/engine/bin/*.mjs',
    'local-postgres/src/*.{mjs,d.mts}',
  ])
    for (const file of globSync(pattern, { cwd: root })) {
      mkdirSync(dirname(join(dist, file)), { recursive: true })
      cpSync(join(root, file), join(dist, file))
    }
}

/** Points the command at the compiled engine. */
function startCompiled(): void {
  const path = join(dist, 'hasura/engine/bin/run.mjs')
  writeFileSync(path, readFileSync(path, 'utf8').replace('./hasura-embedded.ts', './hasura-embedded.js'))
}

/** Replaces the workspaces' package names, which can't be resolved elsewhere, with relative paths. */
function inlineWorkspaces(): void {
  for (const file of globSync('hasura/**/*.{js,d.ts}', { cwd: dist })) {
    const path = join(dist, file)
    const text = readFileSync(path, 'utf8')
    const inlined = Object.entries(workspaces).reduce((changed, [name, folder]) => {
      const target = relative(dirname(file), `${folder}/src/index.js`).replaceAll('\\', '/')
      return changed.replaceAll(`'${name}'`, `'${target}'`)
    }, text)
    if (inlined !== text) writeFileSync(path, inlined)
  }
}

function writeManifest(): void {
  const own = readManifest('hasura/engine')
  const postgres = readManifest('local-postgres')
  const feed = readManifest('change-feed')
  const all = Object.entries({ ...postgres.dependencies, ...feed.dependencies, ...own.dependencies })
  const dependencies = Object.fromEntries(all.filter(([name]) => !Object.hasOwn(workspaces, name)))
  const entry = (file: string) => {
    const path = `./${posix.join('hasura/engine', file)}`
    return { types: `${path}.d.ts`, default: `${path}.js` }
  }
  const content = {
    name: 'hasura-embedded',
    version: own.version,
    description: own.description,
    private: true,
    license: 'UNLICENSED',
    type: 'module',
    engines: { node: `>=${neededNode}` },
    bin: { 'hasura-embedded': './hasura/engine/bin/run.mjs' },
    exports: {
      '.': entry('src/index'),
      './introspection': entry('src/introspection/index'),
      './metadata-directory': entry('src/metadata/read-directory'),
      './migrations': entry('src/migrations/index'),
    },
    dependencies,
    optionalDependencies: postgres.optionalDependencies,
  }
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(content, null, 2)}\n`)
}

rmSync(dist, { recursive: true, force: true })
compile()
copyOthers()
startCompiled()
inlineWorkspaces()
writeManifest()
cpSync(join(engine, 'SETTINGS.md'), join(dist, 'SETTINGS.md'))
const readme = readFileSync(join(engine, 'README.md'), 'utf8')
writeFileSync(join(dist, 'README.md'), readme.replaceAll('../KNOWN_DIFFERENCES.md', 'KNOWN_DIFFERENCES.md'))
cpSync(join(engine, '../KNOWN_DIFFERENCES.md'), join(dist, 'KNOWN_DIFFERENCES.md'))
