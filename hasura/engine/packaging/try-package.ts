import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Starts the package that build-package.ts made, as after an installation: from below a node_modules, where Node runs
 * no TypeScript, with a Postgres of its own. Its dependencies come from the repository's node_modules.
 */

const engine = join(import.meta.dirname, '..')
const root = join(engine, '../..')
const place = join(root, 'node_modules/.package-check')
const installed = join(place, 'node_modules/hasura-embedded')

const program = `
import { startEngine } from 'hasura-embedded'
import { readMetadataDirectory } from 'hasura-embedded/metadata-directory'
import { migrate } from 'hasura-embedded/migrations'
const engine = await startEngine({ port: 0, adminSecret: 's' })
const answer = await fetch(engine.url + '/v1/version')
console.log('installed:', typeof readMetadataDirectory, typeof migrate, (await answer.json()).version)
await engine.stop()`

rmSync(place, { recursive: true, force: true })
mkdirSync(installed, { recursive: true })
cpSync(join(engine, 'dist'), installed, { recursive: true })
// Dependencies that npm did not hoist to the root.
symlinkSync(join(engine, 'node_modules'), join(installed, 'node_modules'))
const args = ['--input-type=module', '--eval', program]
const child = spawn(process.execPath, args, { cwd: place, stdio: 'inherit', timeout: 120_000 })
child.once('exit', (code) => {
  rmSync(place, { recursive: true, force: true })
  process.exitCode = code ?? 1
})
