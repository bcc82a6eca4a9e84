import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * Runs the gateway's tests with the official image of Hasura (`npm run test:hasura`). Without a Docker engine it
 * runs nothing, prints that, and exits with 2: neither success nor failure.
 */

const notRun = 2
const root = join(import.meta.dirname, '../..')

const docker = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], {
  timeout: 20_000,
  encoding: 'utf8',
})
if (docker.status !== 0) {
  const reason = docker.error?.message ?? docker.stderr.trim().split('\n').at(-1) ?? ''
  console.error(`Not run: no Docker engine was found (${reason}).`)
  process.exit(notRun)
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const chosen = process.argv.slice(2)
const files =
  chosen.length > 0 ? chosen : ['gateway/src/query', 'gateway/src/mutation', 'gateway/src/subscription']
// Each file starts its own Hasura; one machine can run a few at a time.
const args = [vitest, 'run', '--maxWorkers=2', '--hookTimeout=180000', ...files]
const run = spawnSync(process.execPath, args, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, DATA_LAYER: 'hasura' },
})
process.exit(run.status ?? 1)
