import { createLocalFolder } from '@commerce-graph/file-storage'
import { createSecretBox, newEncryptionKey } from '@commerce-graph/secret-box'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { copyBackedUpFiles } from './backed-up-files.ts'

let dataDir: string
let added: string

beforeEach(() => {
  const home = mkdtempSync(join(tmpdir(), 'backed-up-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  dataDir = join(home, 'data')
  added = join(home, 'added')
  mkdirSync(dataDir)
  mkdirSync(added)
})

const storage = () =>
  createLocalFolder({
    folder: join(dataDir, 'files'),
    url: 'http://localhost/files',
    signer: createSecretBox([newEncryptionKey()]),
  })
const text = (content: string) => Readable.from([Buffer.from(content)])
const textPlain = { contentType: 'text/plain' }

test('a backup has each file that is there all the while, also while others are uploaded and deleted', async () => {
  const files = storage()
  const names = Array.from({ length: 400 }, (_, number) => `shop/kept-${number}`)
  for (const name of names) await files.put(name, text(name), textPlain)
  let isChurning = true
  const churn = async (worker: number) => {
    for (let number = 0; isChurning; number++) {
      const name = `shop/brief-${worker}-${number}`
      await files.put(name, text(name), textPlain)
      await files.delete(name)
    }
  }
  const churning = Array.from({ length: 4 }, (_, worker) => churn(worker))
  await copyBackedUpFiles(dataDir, added).finally(() => {
    isChurning = false
  })
  await Promise.all(churning)
  const contents = names.map((name) => join(added, 'files/content', name))
  expect(contents.filter((path) => !existsSync(path))).toEqual([])
  expect(contents.map((path) => readFileSync(path, 'utf8'))).toEqual(names)
  expect(names.filter((name) => !existsSync(join(added, 'files/types', name)))).toEqual([])
})

test('a backup has the secrets and the password, and no file that is still being uploaded', async () => {
  writeFileSync(join(dataDir, 'secrets.json'), '{}')
  mkdirSync(join(dataDir, 'postgres'))
  writeFileSync(join(dataDir, 'postgres/password'), 'secret')
  const end = Promise.withResolvers<Buffer>()
  const begun = Promise.withResolvers<undefined>()
  const upload = storage().put(
    'shop/late',
    (async function* content() {
      yield Buffer.from('half')
      begun.resolve(undefined)
      yield await end.promise
    })(),
    textPlain,
  )
  await begun.promise
  await copyBackedUpFiles(dataDir, added)
  end.resolve(Buffer.from('whole'))
  await upload
  expect(readFileSync(join(added, 'secrets.json'), 'utf8')).toBe('{}')
  expect(readFileSync(join(added, 'postgres/password'), 'utf8')).toBe('secret')
  expect(existsSync(join(dataDir, 'files/drafts'))).toBe(true)
  expect(existsSync(join(added, 'files'))).toBe(false)
  expect(existsSync(join(added, 'keys.json'))).toBe(false)
})
