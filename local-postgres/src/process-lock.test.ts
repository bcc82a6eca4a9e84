import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { acquireLock, lockHolder } from './process-lock.mjs'

describe('a process lock', () => {
  let folder: string
  let path: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lock-'))
    path = join(folder, 'lock')
  })

  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Acquires the lock in another process, which keeps it. */
  const holdElsewhere = async () => {
    const lock = JSON.stringify(join(import.meta.dirname, 'process-lock.mjs'))
    const program = `import { acquireLock } from ${lock}
      console.log(acquireLock(${JSON.stringify(path)}).kind)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program])
    const [kind] = (await once(child.stdout, 'data')) as [Buffer]
    expect(kind.toString()).toBe('acquired\n')
    return child
  }

  test('is held by one process, and others get its id', async () => {
    const child = await holdElsewhere()
    expect(acquireLock(path)).toEqual({ kind: 'held', pid: child.pid })
    child.kill('SIGKILL')
    await once(child, 'exit')
  })

  test('is free as soon as its holder is dead, however it died', async () => {
    const child = await holdElsewhere()
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(lockHolder(path)).toBeUndefined()
    expect(acquireLock(path).kind).toBe('acquired')
  })

  test('is free if another process has got the dead holder’s id', () => {
    writeFileSync(path, JSON.stringify({ pid: process.pid, startedAt: 'in another life' }))
    expect(acquireLock(path).kind).toBe('acquired')
  })

  test.each(['', '{', 'null', '{"pid":"x"}'])('survives a damaged file: %j', (content) => {
    writeFileSync(path, content)
    expect(acquireLock(path).kind).toBe('acquired')
  })

  test('leaves no file behind when it is released', () => {
    const lock = acquireLock(path)
    if (lock.kind === 'acquired') lock.release()
    expect(existsSync(path)).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })

  test('that is stale goes to one of many processes that acquire it at once', () => {
    writeFileSync(path, JSON.stringify({ pid: 1, startedAt: 'long ago' }))
    const lock = JSON.stringify(join(import.meta.dirname, 'process-lock.mjs'))
    const program = `import { acquireLock } from ${lock}
      console.log(acquireLock(${JSON.stringify(path)}).kind)
      setTimeout(() => {}, 3000)`
    const one = `"${process.execPath}" --input-type=module -e "$PROGRAM" &`
    const { stdout } = spawnSync('/bin/sh', ['-c', `${one.repeat(6)} wait`], {
      encoding: 'utf8',
      env: { ...process.env, PROGRAM: program },
    })
    expect(stdout.split('\n').filter((line) => line === 'acquired')).toHaveLength(1)
  })
})
