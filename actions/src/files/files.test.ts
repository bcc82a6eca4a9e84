import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
import * as files from '../sql/generated/files.ts'
import { overlap } from '../testing/overlap.ts'
import { openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { contentKey, foldersOf, imageKey, uploadKey } from './file-contents.ts'
import { processImages } from './process-images.ts'
import { purgeFiles } from './purge.ts'
import { checkUpload, createUpload, type UploadOutcome } from './uploads.ts'

let shop: TestShop
let merchant: TestMerchant
let photo: Buffer
beforeAll(async () => {
  shop = await openTestShop()
  // Taken with the camera held upright, which only its metadata says: its left half, which is red, is above.
  const blue = await sharp({ create: { width: 450, height: 600, channels: 3, background: '#0000ff' } })
    .png()
    .toBuffer()
  photo = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#ff0000' } })
    .composite([{ input: blue, left: 450, top: 0 }])
    .jpeg()
    .withExif({ IFD0: { Copyright: 'Somewhere in Lisbon' } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
})

const url = 'https://shop.example/files'
const process = () => processImages({ database: shop.database, storage: shop.files, url })
const errorsOf = (answer: Answer): readonly (readonly [string, string])[] =>
  answer.kind === 'invalid' ? answer.errors.map(({ field, message }) => [field, message] as const) : []

interface FileRow {
  readonly status: string
  readonly token: string
  readonly url: string | null
  readonly width: number | null
  readonly height: number | null
  readonly rejection: string | null
  readonly contentType: string
}

/** Statements of this database that wait for a lock. */
const waiters = async () =>
  (
    await shop.database`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  ).length

async function rowOf(id: string): Promise<FileRow | undefined> {
  const [row] = await shop.database<FileRow[]>`
    SELECT status, token, url, width, height, rejection, content_type AS "contentType" FROM files.file WHERE id = ${id}`
  return row
}

async function create(input: object = {}, owner = merchant): Promise<{ answer: Answer; id: string }> {
  const answer = await shop.call(owner, 'createFileUpload', {
    input: {
      fileName: 'photo.jpg',
      contentType: 'image/jpeg',
      size: photo.length,
      purpose: 'IMAGE',
      ...input,
    },
  })
  const { upload } = (answer.kind === 'done' ? answer.data : {}) as { upload?: { id: string } }
  return { answer, id: upload?.id ?? '' }
}

/** Sends a content to the upload's URL. */
async function send(
  id: string,
  content: Buffer,
  contentType = 'image/jpeg',
  owner = merchant,
): Promise<void> {
  const { token } = (await rowOf(id)) as FileRow
  await shop.files.put(uploadKey(owner.merchantId, token), Readable.from([content]), { contentType })
}

async function uploaded(content = photo, input: object = {}): Promise<{ answer: Answer; id: string }> {
  const { id } = await create({ size: content.length, ...input })
  await send(id, content)
  return { id, answer: await shop.call(merchant, 'completeFileUpload', { id }) }
}

async function ready(): Promise<string> {
  const { id } = await uploaded()
  await process()
  return id
}

async function heldBytes(): Promise<number> {
  const [row] = await shop.database<{ bytes: number }[]>`
    SELECT bytes::int AS bytes FROM files.usage WHERE merchant_id = ${merchant.merchantId}`
  return row?.bytes ?? 0
}

describe('an image', () => {
  test('is upright, in the listed sizes, as WebP, and without the metadata of its upload', async () => {
    const { id, answer } = await uploaded()
    expect(answer).toMatchObject({ kind: 'done', data: { fileId: id } })
    expect(await rowOf(id)).toMatchObject({ status: 'PROCESSING', contentType: 'image/jpeg', url: null })
    expect(await process()).toBe(1)
    const row = await rowOf(id)
    expect(row).toMatchObject({ status: 'READY', width: 600, height: 900 })
    const sizes = await shop.database`
      SELECT width, height, url FROM files.image_size WHERE file_id = ${id} ORDER BY width`
    expect(sizes.map(({ width, height }) => [width, height] as unknown)).toEqual([
      [160, 240],
      [320, 480],
      [600, 900],
    ])
    const token = row?.token ?? ''
    expect(sizes.at(-1)?.['url']).toBe(row?.url)
    for (const { width, url: address } of sizes as unknown as { width: number; url: string }[]) {
      const key = imageKey(merchant.merchantId, token, width)
      expect(address).toBe(`${url}/${key}`)
      const file = await shop.files.get(key)
      expect(file?.contentType).toBe('image/webp')
      const content = await buffer(file?.content ?? Readable.from([]))
      expect(content.includes('Lisbon')).toBe(false)
      const metadata = await sharp(content).metadata()
      expect([metadata.format, metadata.width, metadata.exif]).toEqual(['webp', width, undefined])
      // Above at the right: the half that is blue if the photo lies on its side.
      const corner = { left: width - 20, top: 0, width: 20, height: 20 }
      const above = await sharp(content).extract(corner).toBuffer()
      expect((await sharp(above).stats()).dominant).toMatchObject({ r: 248, g: 8, b: 8 })
    }
    expect(await shop.files.head(contentKey(merchant.merchantId, token))).toBeNull()
    expect(await shop.files.head(uploadKey(merchant.merchantId, token))).toBeNull()
  })

  test('keeps to one size if it is small, and is made smaller if it is large', async () => {
    const of = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 4, background: '#00000000' } })
        .png()
        .toBuffer()
    const small = await uploaded(await of(20, 5))
    const large = await uploaded(await of(1000, 6000))
    await process()
    expect(await rowOf(small.id)).toMatchObject({ status: 'READY', width: 20, height: 5 })
    expect(await rowOf(large.id)).toMatchObject({ status: 'READY', width: 427, height: 2560 })
  })

  test.each([
    ['a page', '<!doctype html><script>alert(1)</script>', 'application/octet-stream'],
    [
      'SVG',
      '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
      'application/xml',
    ],
    ['a PDF', '%PDF-1.7\n', 'application/pdf'],
    ['a GIF', 'GIF89a\u0001\0\u0001\0', 'image/gif'],
  ])(
    'is refused and deleted if its content is %s, whatever the client calls it',
    async (_, content, found) => {
      const { id, answer } = await uploaded(Buffer.from(content, 'latin1'))
      expect(errorsOf(answer)).toEqual([
        ['id', `An image is AVIF, JPEG, PNG or WebP, and this is ${found}: it is deleted`],
      ])
      expect(await rowOf(id)).toBeUndefined()
    },
  )

  test('is rejected with the reason if it can’t be read, or unpacks to too many pixels', async () => {
    const broken = await uploaded(photo.subarray(0, 400))
    const bomb = await uploaded(
      await sharp({ create: { width: 9000, height: 9000, channels: 3, background: 'white' } })
        .png({ compressionLevel: 9 })
        .toBuffer(),
    )
    await process()
    expect(await rowOf(broken.id)).toMatchObject({
      status: 'REJECTED',
      rejection: 'The image can not be read',
    })
    expect(await rowOf(bomb.id)).toMatchObject({
      status: 'REJECTED',
      rejection: 'The image has more than 50000000 pixels',
    })
  })

  test('that ends three workers is rejected by the fourth', async () => {
    const { id } = await uploaded()
    for (let worker = 0; worker < 3; worker += 1) {
      expect((await files.claimImage(shop.database)).map(({ fileId }) => fileId)).toEqual([id])
      expect(await files.claimImage(shop.database)).toEqual([])
      await shop.database`UPDATE files.file SET next_attempt_at = now() WHERE id = ${id}`
    }
    expect(await process()).toBe(0)
    expect(await rowOf(id)).toMatchObject({ status: 'REJECTED' })
  })

  test('waits for the storage, however often that fails', async () => {
    const { id } = await uploaded()
    const away = Object.assign(Object.create(shop.files) as typeof shop.files, {
      get: () => Promise.reject(new Error('the storage is away')),
    })
    for (let outage = 0; outage < 5; outage += 1) {
      await expect(processImages({ database: shop.database, storage: away, url })).rejects.toThrow('is away')
      expect(await process()).toBe(0)
      await shop.database`UPDATE files.file SET next_attempt_at = now() WHERE id = ${id}`
    }
    expect(await process()).toBe(1)
    expect(await rowOf(id)).toMatchObject({ status: 'READY' })
  })

  test('is made by one of two workers', async () => {
    await uploaded()
    await uploaded()
    expect((await Promise.all([process(), process()])).reduce((sum, count) => sum + count)).toBe(2)
  })

  test('moves with the files’ address, with the product that shows it', async () => {
    const id = await ready()
    const product = await shop.createProduct(merchant, {})
    await shop.database`
      INSERT INTO catalog.product_image (merchant_id, product_id, file_id) VALUES (${merchant.merchantId}, ${product.id}, ${id})`
    await files.settleUrl(shop.database, { url })
    expect(await files.settleUrl(shop.database, { url })).toBe(0)
    expect(await files.settleUrl(shop.database, { url: 'https://cdn.example/files' })).toBeGreaterThan(0)
    const row = await rowOf(id)
    expect(row?.url).toMatch(/^https:\/\/cdn\.example\/files\/.*\/600\.webp$/)
    expect(
      await shop.database`SELECT url, width, height FROM catalog.product_image WHERE file_id = ${id}`,
    ).toEqual([{ url: row?.url, width: 600, height: 900 }])
    await files.settleUrl(shop.database, { url })
  })
})

describe('an upload', () => {
  test.each([
    [{ contentType: 'image/svg+xml' }, 'contentType'],
    [{ contentType: 'text/html' }, 'contentType'],
    [{ contentType: 'nothing' }, 'contentType'],
    [{ size: 20_000_001 }, 'size'],
    [{ size: 0 }, 'size'],
    [{ fileName: '' }, 'fileName'],
    [{ fileName: 'a\nb' }, 'fileName'],
    [{ purpose: 'DOWNLOAD', size: 2_000_000_001 }, 'size'],
  ])('with %j is refused by its field', async (input, field) => {
    const { answer } = await create(input)
    expect(errorsOf(answer).map(([name]) => name)).toEqual([field])
  })

  test('has a URL for its type and size, which works for 15 minutes', async () => {
    const { answer } = await create()
    const { upload } = (answer.kind === 'done' ? answer.data : {}) as { upload: Record<string, unknown> }
    expect(upload).toMatchObject({
      method: 'PUT',
      headers: [{ name: 'Content-Type', value: 'image/jpeg' }],
    })
    expect(Date.parse(upload['expiresAt'] as string) - Date.now()).toBeGreaterThan(14 * 60_000)
  })

  test('is not completed before the file is there, and completed once when it is', async () => {
    const { id } = await create()
    const early = await shop.call(merchant, 'completeFileUpload', { id })
    expect(errorsOf(early).map(([field]) => field)).toEqual(['id'])
    await send(id, photo)
    for (let time = 0; time < 2; time += 1)
      expect(await shop.call(merchant, 'completeFileUpload', { id })).toMatchObject({ kind: 'done' })
    await process()
    expect(await shop.call(merchant, 'completeFileUpload', { id })).toMatchObject({ kind: 'done' })
    expect(await rowOf(id)).toMatchObject({ status: 'READY' })
  })

  test('is completed by a repetition, if the process ended before that was recorded', async () => {
    const { id } = await create()
    await send(id, photo)
    expect(await checkUpload(shop.database, shop.files, merchant.merchantId, id)).toMatchObject({
      outcome: 'checked',
    })
    const both = ['', ''].map(() => shop.call(merchant, 'completeFileUpload', { id }))
    for (const answer of await Promise.all(both)) expect(answer).toMatchObject({ kind: 'done' })
    const { token } = (await rowOf(id)) as FileRow
    expect(await shop.files.head(uploadKey(merchant.merchantId, token))).toBeNull()
  })

  test('counts for the quota of the plan, also with others at the same time', async () => {
    await shop.database`UPDATE merchant.subscription SET plan = 'FREE' WHERE merchant_id = ${merchant.merchantId}`
    const download = { purpose: 'DOWNLOAD', contentType: 'application/zip', size: 600_000_000 } as const
    const first = await create({ ...download, size: 1 })
    await shop.call(merchant, 'deleteFile', { id: first.id })
    const upload = () =>
      createUpload(shop.database, shop.files, merchant.merchantId, { ...download, fileName: 'film.zip' })
    // Both have looked at the quota, or wait for that, before either can be written.
    const [, outcomes] = await overlap<unknown>(
      shop.database,
      (sql) => sql`LOCK TABLE files.file IN SHARE MODE`,
      () => Promise.all([upload(), upload()]),
      () => expect.poll(waiters, { timeout: 9_000 }).toBe(2),
    )
    const uploads = outcomes as UploadOutcome[]
    expect(uploads.map(({ outcome }) => outcome).toSorted()).toEqual(['created', 'over_quota'])
    expect(errorsOf((await create(download)).answer)).toEqual([
      ['size', 'The plan includes 1000000000 bytes of files, of which 400000000 are left'],
    ])
    expect(await heldBytes()).toBe(600_000_000)
    await shop.call(merchant, 'deleteFile', {
      id: uploads.flatMap((upload) => ('fileId' in upload ? upload.fileId : []))[0],
    })
    expect(await heldBytes()).toBe(0)
    expect((await create(download)).answer.kind).toBe('done')
  })
})

describe('a download', () => {
  test('has a URL that expires, and no other', async () => {
    const { id } = await uploaded(Buffer.from('%PDF-1.7 manual'), {
      purpose: 'DOWNLOAD',
      fileName: 'manual.pdf',
    })
    expect(await rowOf(id)).toMatchObject({ status: 'READY', contentType: 'application/pdf', url: null })
    const answer = await shop.call(merchant, 'createFileDownload', { id })
    expect(answer).toMatchObject({
      kind: 'done',
      data: { download: { url: expect.stringContaining('manual.pdf') as string } },
    })
  })

  test('is refused for images and uploads that are not completed', async () => {
    const image = await ready()
    const { id } = await create({ purpose: 'DOWNLOAD' })
    for (const file of [image, id])
      expect(
        errorsOf(await shop.call(merchant, 'createFileDownload', { id: file })).map(([field]) => field),
      ).toEqual(['id'])
  })
})

test('another merchant completes, downloads, shows and deletes none of a merchant’s files', async () => {
  const other = await shop.createMerchant()
  const image = await ready()
  const { id: upload } = await create()
  await send(upload, photo)
  const { id: download } = await uploaded(Buffer.from('x'), { purpose: 'DOWNLOAD' })
  for (const [action, id] of [
    ['completeFileUpload', upload],
    ['createFileDownload', download],
    ['deleteFile', image],
    ['deleteFile', download],
  ] as const)
    expect(errorsOf(await shop.call(other, action, { id }))).toEqual([
      ['id', expect.stringContaining('does not exist')],
    ])
  const product = await shop.createProduct(other, {})
  await expect(
    shop.database`
      INSERT INTO catalog.product_image (merchant_id, product_id, file_id) VALUES (${other.merchantId}, ${product.id}, ${image})`,
  ).rejects.toMatchObject({ constraint_name: 'product_image_file_fkey' })
  expect(await rowOf(upload)).toMatchObject({ status: 'UPLOADING' })
  expect(await rowOf(image)).toMatchObject({ status: 'READY' })
})

describe('a file that is deleted', () => {
  const stored = async (token: string): Promise<boolean> =>
    (await shop.files.head(imageKey(merchant.merchantId, token, 160))) !== null

  test('leaves nothing in the storage, once its upload URL has expired', async () => {
    const id = await ready()
    const { token } = (await rowOf(id)) as FileRow
    expect(await shop.call(merchant, 'deleteFile', { id })).toMatchObject({ data: { success: true } })
    expect(await rowOf(id)).toBeUndefined()
    await purgeFiles(shop.database, shop.files)
    expect(await stored(token)).toBe(true)
    await shop.database`UPDATE files.deleted_folder SET due_at = now() WHERE token = ${token}`
    await purgeFiles(shop.database, shop.files)
    expect(await stored(token)).toBe(false)
    expect(await shop.files.deleteFolder(foldersOf(merchant.merchantId, token).private)).toBe(0)
    expect(await shop.database`SELECT FROM files.deleted_folder WHERE token = ${token}`).toHaveLength(0)
    expect(await heldBytes()).toBe(0)
  })

  test('is refused while a product or category shows it', async () => {
    const id = await ready()
    const { merchantId } = merchant
    const product = await shop.createProduct(merchant, {})
    await shop.database`
      INSERT INTO catalog.product_image (merchant_id, product_id, file_id) VALUES (${merchantId}, ${product.id}, ${id})`
    await shop.database`
      INSERT INTO catalog.category (merchant_id, name, slug, image_file_id) VALUES (${merchantId}, 'Tents', 'tents', ${id})`
    expect(errorsOf(await shop.call(merchant, 'deleteFile', { id }))).toEqual([
      ['id', '1 products and 1 categories show the image: remove it there first'],
    ])
    await shop.database`DELETE FROM catalog.product_image WHERE file_id = ${id}`
    expect(errorsOf(await shop.call(merchant, 'deleteFile', { id }))).toEqual([
      ['id', '0 products and 1 categories show the image: remove it there first'],
    ])
    await shop.database`DELETE FROM catalog.category WHERE image_file_id = ${id}`
    expect(await shop.call(merchant, 'deleteFile', { id })).toMatchObject({ kind: 'done' })
  })
})

test('a product shows only images that are ready', async () => {
  const { id: pending } = await uploaded()
  const { id: download } = await uploaded(Buffer.from('x'), { purpose: 'DOWNLOAD' })
  const product = await shop.createProduct(merchant, {})
  for (const id of [pending, download])
    await expect(
      shop.database`
        INSERT INTO catalog.product_image (merchant_id, product_id, file_id) VALUES (${merchant.merchantId}, ${product.id}, ${id})`,
    ).rejects.toMatchObject({ constraint_name: 'product_image_file_fkey' })
  await process()
})

test('uploads that were not completed, rejected files and images that nothing shows are deleted in time', async () => {
  const { merchantId } = merchant
  const abandoned = (await create()).id
  const shown = await ready()
  const forgotten = await ready()
  const fresh = await ready()
  const rejected = (await uploaded(photo.subarray(0, 400))).id
  await process()
  const product = await shop.createProduct(merchant, {})
  await shop.database`
    INSERT INTO catalog.product_image (merchant_id, product_id, file_id) VALUES (${merchantId}, ${product.id}, ${shown})`
  await shop.database`
    UPDATE files.file SET upload_expires_at = now() - interval '8 days', released_at = now() - interval '31 days'
    WHERE merchant_id = ${merchantId} AND id <> ${fresh}`
  await purgeFiles(shop.database, shop.files)
  for (const id of [abandoned, forgotten, rejected]) expect(await rowOf(id)).toBeUndefined()
  for (const id of [shown, fresh]) expect(await rowOf(id)).toMatchObject({ status: 'READY' })
  // Replaced by another picture, it has its time from then on.
  await shop.database`DELETE FROM catalog.product_image WHERE file_id = ${shown}`
  await purgeFiles(shop.database, shop.files)
  expect(await rowOf(shown)).toMatchObject({ status: 'READY' })
})
