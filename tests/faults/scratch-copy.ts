import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export interface ScratchCopy {
  readonly root: string
  readonly remove: () => void
}

/**
 * Copies the working tree as it is now, including uncommitted changes, into a new folder. Packages from npm are
 * links to the original's. Workspaces are the copy's own, so that their dependents see a change in one of them.
 */
export function makeScratchCopy(original: string): ScratchCopy {
  const root = mkdtempSync(path.join(tmpdir(), 'mutate-'))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: original,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(path.join(original, file)))
  for (const file of files) cpSync(path.join(original, file), path.join(root, file), { recursive: true })
  for (const file of files) {
    const packages = path.join(path.dirname(file), 'node_modules')
    if (path.basename(file) === 'package.json' && existsSync(path.join(original, packages)))
      linkPackages(path.join(original, packages), path.join(root, packages))
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}

function linkPackages(from: string, to: string): void {
  const entries = readdirSync(from, { withFileTypes: true })
  mkdirSync(to, { recursive: true })
  for (const entry of entries) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    // npm links workspaces by relative paths, which lead to the copy's workspaces from here.
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.name.startsWith('@')) linkPackages(source, target)
    else if (!entry.name.startsWith('.vite')) symlinkSync(source, target)
  }
}
