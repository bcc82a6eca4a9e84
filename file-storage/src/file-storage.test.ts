import { createSecretBox, newEncryptionKey } from '@commerce-graph/secret-box'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FileStorage } from './file-storage.ts'
import { createLocalFolder } from './local-folder.ts'
import { createS3Storage } from './s3-storage.ts'
import { serveFiles } from './serve-files.ts'
import { hasMinio, MinioProcess } from './testing/index.ts'

/** A storage as clients reach it, and what is left of writes that failed. */
interface Opened extends AsyncDisposable {
  readonly storage: FileStorage
  readonly unfinished: () => Promise<number>
}

async function openFolder(): Promise<Opened> {
  const folder = await mkdtemp(path.join(tmpdir(), 'commerce-graph-files-'))
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const signer = createSecretBox([newEncryptionKey()])
  const storage = createLocalFolder({ folder, url: `http://127.0.0.1:${port}/files`, signer })
  const route = serveFiles({ storage, signer })
  server.on('request', (request, response) => {
    void route(request, response).then((refusal) => {
      if (refusal !== null) response.writeHead(refusal.status, { connection: 'close' }).end(refusal.field)
    })
  })
  return {
    storage,
    unfinished: async () => (await readdir(path.join(folder, 'drafts')).catch(() => [])).length,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function openBucket(): Promise<Opened> {
  const minio = await MinioProcess.start()
  const storage = createS3Storage(minio.bucket)
  return {
    storage,
    unfinished: () => storage.sweep(),
    [Symbol.asyncDispose]: () => minio[Symbol.asyncDispose](),
  }
}

const missing = hasMinio ? '' : ' (skipped: no minio is on the PATH, or named by MINIO)'
const kinds = [
  { name: 'a folder', open: openFolder, skipped: false },
  { name: `a bucket of MinIO${missing}`, open: openBucket, skipped: !hasMinio },
] as const

const chunks = (...texts: readonly string[]): AsyncIterable<Uint8Array> =>
  Readable.from(texts.map((text) => Buffer.from(text)))

describe.each(kinds)('$name', ({ open, skipped }) => {
  if (skipped) {
    test.skip('stores files', () => undefined)
    return
  }
  let opened: Opened
  let storage: FileStorage
  beforeAll(async () => {
    opened = await open()
    storage = opened.storage
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  const contentOf = async (key: string): Promise<string | null> => {
    const file = await storage.get(key)
    return file === null ? null : (await buffer(file.content)).toString()
  }

  test('gives back a file with its size and type, whole or in part', async () => {
    const key = 'm1/private/report.csv'
    const stored = await storage.put(key, chunks('id,name\n', '1,Tent\n'), { contentType: 'text/csv' })
    expect(stored).toEqual({ size: 15, contentType: 'text/csv' })
    expect(await storage.head(key)).toEqual(stored)
    expect(await contentOf(key)).toBe('id,name\n1,Tent\n')
    const part = await storage.get(key, { range: { start: 3, end: 6 } })
    expect(part).toMatchObject({ size: 15, contentType: 'text/csv' })
    expect((await buffer(part?.content ?? chunks())).toString()).toBe('name')
  })

  test('has null for a file that it does not have, and deletes it without an error', async () => {
    expect(await storage.head('m1/private/none')).toBeNull()
    expect(await storage.get('m1/private/none')).toBeNull()
    expect(await storage.copy('m1/private/none', 'm1/private/other')).toBeNull()
    await storage.delete('m1/private/none')
  })

  test('stores an empty file, and a file of many parts', async () => {
    await storage.put('m1/private/empty', chunks(), { contentType: 'text/plain' })
    expect(await contentOf('m1/private/empty')).toBe('')
    // 18 MB: three parts of a bucket.
    const block = Buffer.alloc(1_000_000, 'abcdefg')
    const blocks = Array.from({ length: 18 }, () => block)
    expect(
      await storage.put('m1/private/large', Readable.from(blocks), { contentType: 'text/plain' }),
    ).toMatchObject({
      size: 18_000_000,
    })
    const file = await storage.get('m1/private/large')
    const content = await buffer(file?.content ?? chunks())
    expect(content.equals(Buffer.concat(blocks))).toBe(true)
  })

  test.each([1, 17_000_000])('stores nothing if the content fails after %i bytes', async (size) => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(size)
      await Promise.resolve()
      throw new Error('the source is gone')
    }
    const key = `m1/private/broken-${size}`
    await expect(storage.put(key, broken(), { contentType: 'text/plain' })).rejects.toThrow(
      'the source is gone',
    )
    expect(await storage.head(key)).toBeNull()
    expect(await opened.unfinished()).toBe(0)
  })

  test('gives up a content that does not go on when it is told to', async () => {
    async function* stuck(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('begun')
      await new Promise(() => undefined)
    }
    const signal = AbortSignal.timeout(50)
    await expect(
      storage.put('m1/private/stuck', stuck(), { contentType: 'text/plain', signal }),
    ).rejects.toThrow()
    expect(await storage.head('m1/private/stuck')).toBeNull()
  })

  test('copies a file, so that later writes to the original do not change the copy', async () => {
    await storage.put('m1/private/draft', chunks('first'), { contentType: 'text/plain' })
    expect(await storage.copy('m1/private/draft', 'm1/private/final')).toEqual({
      size: 5,
      contentType: 'text/plain',
    })
    await storage.put('m1/private/draft', chunks('second'), { contentType: 'text/plain' })
    expect(await contentOf('m1/private/final')).toBe('first')
  })

  test('deletes a folder with everything in it, and no other folder', async () => {
    for (const key of ['m2/private/a', 'm2/public/b.png', 'm2/public/deep/c', 'm22/private/d'])
      await storage.put(key, chunks('x'), { contentType: 'text/plain' })
    expect(await storage.deleteFolder('m2')).toBe(3)
    expect(await storage.head('m2/public/deep/c')).toBeNull()
    expect(await storage.head('m22/private/d')).not.toBeNull()
    expect(await storage.deleteFolder('m2')).toBe(0)
  })

  test.each([
    '../m1/x',
    'm1/../../x',
    '/etc/passwd',
    'm1/.hidden',
    'm1/a\0b',
    'm1',
    '',
    'm1/a b',
    'm1//x',
    'm1/%2e',
  ])('refuses the key %j', async (key) => {
    await expect(async () => storage.put(key, chunks('x'), { contentType: 'text/plain' })).rejects.toThrow(
      TypeError,
    )
    await expect(async () => storage.get(key)).rejects.toThrow(TypeError)
    await expect(async () => storage.deleteFolder(`${key}/..`)).rejects.toThrow(TypeError)
  })

  describe('a signed upload', () => {
    const png = Buffer.from('not yet a picture')
    const upload = async (key: string, init: RequestInit = {}, expiresInSeconds = 60) => {
      const { url, method, headers } = await storage.signedUploadUrl(key, {
        contentType: 'image/png',
        size: png.length,
        expiresInSeconds,
      })
      return fetch(url, { method, headers, body: png, ...init })
    }

    test('stores the file that it was made for', async () => {
      expect((await upload('m3/private/one')).status).toBe(200)
      expect(await storage.head('m3/private/one')).toEqual({ size: png.length, contentType: 'image/png' })
    })

    test.each([
      ['a longer file', { body: Buffer.concat([png, png]) }],
      ['a shorter file', { body: png.subarray(1) }],
      ['another type', { headers: { 'content-type': 'text/html' } }],
      ['another method', { method: 'POST' }],
    ])('refuses %s, and stores nothing', async (_, init) => {
      const answer = await upload('m3/private/two', init)
      expect(answer.ok).toBe(false)
      expect(await storage.head('m3/private/two')).toBeNull()
      expect(await opened.unfinished()).toBe(0)
    })

    test('is for its key alone, and for its time', async () => {
      const { url, headers } = await storage.signedUploadUrl('m3/private/three', {
        contentType: 'image/png',
        size: png.length,
        expiresInSeconds: 60,
      })
      const moved = await fetch(url.replace('private/three', 'private/four'), {
        method: 'PUT',
        headers,
        body: png,
      })
      expect([403, 404]).toContain(moved.status)
      expect(await storage.head('m3/private/four')).toBeNull()
      const later = url.replace(/(expires=|X-Amz-Expires=)\d+/i, '$199999')
      expect([403, 404]).toContain((await fetch(later, { method: 'PUT', headers, body: png })).status)
      expect((await fetch(url)).ok).toBe(false)
    })
  })

  test('a signed download is saved under its name, and never shown', async () => {
    await storage.put('m4/private/page', chunks('<script>alert(1)</script>'), { contentType: 'text/html' })
    const url = await storage.signedDownloadUrl('m4/private/page', {
      fileName: 'Größe "1".html',
      expiresInSeconds: 60,
    })
    const answer = await fetch(url)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="Gr\?*.*filename\*=UTF-8''Gr%C3%B6/,
    )
    expect(await answer.text()).toBe('<script>alert(1)</script>')
    const other = await fetch(url.replace('m4/private/page', 'm3/private/one'))
    expect([403, 404]).toContain(other.status)
  })
})

test('a folder removes drafts of processes that are gone, and leaves the ones that are being written', async () => {
  await using opened = await openFolder()
  const folder = await mkdtemp(path.join(tmpdir(), 'commerce-graph-drafts-'))
  const storage = createLocalFolder({
    folder,
    url: 'http://files',
    signer: createSecretBox([newEncryptionKey()]),
  })
  await mkdir(path.join(folder, 'drafts'))
  for (const name of ['old', 'new']) await writeFile(path.join(folder, 'drafts', name), 'x')
  await utimes(path.join(folder, 'drafts/old'), 0, 0)
  expect(await storage.sweep()).toBe(1)
  expect(await readdir(path.join(folder, 'drafts'))).toEqual(['new'])
  expect(await opened.storage.sweep()).toBe(0)
  await rm(folder, { recursive: true })
})
