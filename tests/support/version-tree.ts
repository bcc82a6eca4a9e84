import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '../..')
/** What a process reads beside the packages. */
const own = ['platform', 'migrations', 'metadata', 'package.json']

/** A later version of the platform: the same code with more migrations, and metadata that fit them. */
export class VersionTree {
  readonly path: string

  private constructor(from: string) {
    this.path = mkdtempSync(path.join(tmpdir(), 'version-'))
    for (const name of own) cpSync(path.join(from, name), path.join(this.path, name), { recursive: true })
    symlinkSync(path.join(repository, 'node_modules'), path.join(this.path, 'node_modules'))
  }

  /** @param before the version before; the repository's own by default */
  static after(before?: VersionTree): VersionTree {
    return new VersionTree(before?.path ?? repository)
  }

  addMigration(name: string, up: string): void {
    const folder = path.join(this.path, 'migrations/default', name)
    mkdirSync(folder)
    writeFileSync(path.join(folder, 'up.sql'), up)
  }

  /** @param file below `metadata`; throws if it doesn't have the text to replace */
  editMetadata(file: string, before: string, after: string): void {
    const target = path.join(this.path, 'metadata', file)
    const text = readFileSync(target, 'utf8')
    if (!text.includes(before)) throw new Error(`${file} has no ${JSON.stringify(before)}`)
    writeFileSync(target, text.replace(before, after))
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
