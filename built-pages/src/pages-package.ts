import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runBounded } from './run-bounded.ts'

/** A package with pages, outside of the workspaces: its own lock file, and nothing that `npm start` installs. */
export interface PagesPackage {
  /** What a reader is told that is prepared, such as "the admin". */
  readonly title: string
  /** About how long it takes, such as "half a minute". */
  readonly takes: string
  /** The package's folder in the repository. */
  readonly folder: string
  /** The folders and files of the repository that the pages are made of. */
  readonly sources: readonly string[]
  readonly steps: readonly BuildStep[]
  /** The folder, inside of the package's, that is kept of a build. */
  readonly output: string
}

/** A part of the build. It runs in the package's folder. */
export interface BuildStep {
  readonly name: string
  /** What it does, for people. */
  readonly text: string
  /** What to do if it fails. */
  readonly remedy: string
  /** Null: it succeeded; otherwise what it said last. */
  run(cwd: string, signal: AbortSignal): Promise<string | null>
}

/** Milliseconds. */
const installTimeout = 5 * 60_000
const programTimeout = 3 * 60_000

/** No script of a package runs: no build needs one. */
const npmOptions = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']

/** Installs the versions of the lock file. */
export const installPackages = (...options: readonly string[]): BuildStep => ({
  name: 'install',
  text: 'Install the packages',
  remedy:
    'The packages come from the npm registry. Check that this machine reaches it (npm ping), then try again.',
  run(cwd, signal) {
    const { command, args } = npmCommand()
    return runBounded({
      command,
      args: [...args, 'ci', ...options, ...npmOptions],
      cwd,
      timeoutMilliseconds: installTimeout,
      signal,
    })
  },
})

/** Runs a program with this Node. */
export const nodeStep = (
  step: Pick<BuildStep, 'name' | 'text'>,
  script: string,
  ...args: readonly string[]
): BuildStep => ({
  ...step,
  remedy: 'Try again. If it fails again, report what is below.',
  run: (cwd, signal) =>
    runBounded({
      command: process.execPath,
      args: [join(cwd, script), ...args],
      cwd,
      timeoutMilliseconds: programTimeout,
      signal,
    }),
})

/** The npm that has started this process, or the one beside Node or in PATH. */
function npmCommand(): { readonly command: string; readonly args: readonly string[] } {
  const script = [
    process.env['npm_execpath'],
    join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
  ].find((path) => path?.endsWith('npm-cli.js') === true && existsSync(path))
  return script === undefined ? { command: 'npm', args: [] } : { command: process.execPath, args: [script] }
}
