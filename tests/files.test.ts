import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { setTimeout as delay } from 'node:timers/promises'
import { hasMinio, MinioProcess } from '@commerce-graph/file-storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const missing = hasMinio ? '' : ' (skipped: no minio is on the PATH, or named by MINIO)'
const storages = [
  { name: 'in a folder', bucket: false, skipped: false },
  { name: `in a bucket of MinIO${missing}`, bucket: true, skipped: !hasMinio },
] as const

interface Upload {
  readonly id: string
  readonly url: string
  readonly method: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

interface Payload {
  readonly errors: readonly { readonly field: string; readonly code: string; readonly message: string }[]
}

interface File {
  readonly id: string
  readonly status: string
  readonly contentType: string
  readonly url: string | null
  readonly sizes: readonly { readonly width: number; readonly height: number; readonly url: string }[]
}

const errors = 'errors { field code message }'
const fileFields = 'id status contentType url width height sizes { width height url }'

/** The requests of docs/files.md, in order. */
async function documentedRequests(): Promise<readonly string[]> {
  const page = await readFile(path.join(import.meta.dirname, '../docs/files.md'), 'utf8')
  return [...page.matchAll(/```graphql\n(.*?)```/gs)].map(([, block = '']) => block)
}

/** A picture of one colour. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const rows = Buffer.alloc((width * 3 + 1) * height)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

describe.each(storages)('files $name', { timeout: 60_000 }, ({ bucket, skipped }) => {
  if (skipped) {
    test.skip('are uploaded, shown and deleted', () => undefined)
    return
  }
  let minio: MinioProcess | undefined
  let platform: TestPlatform
  let shop: Client
  let page: Client
  beforeAll(async () => {
    minio = bucket ? await MinioProcess.start() : undefined
    platform = await startTestPlatform(minio === undefined ? {} : { filesBucket: minio.bucket })
    shop = createClient(platform.graphqlUrl, bearer(platform.liveKey))
    page = createClient(platform.graphqlUrl, bearer(platform.publishableKey))
  })
  afterAll(async () => {
    await platform.stop()
    await minio?.[Symbol.asyncDispose]()
  })

  async function begin(content: Buffer, input: object): Promise<Upload> {
    const { created } = succeeded(
      await shop<{ created: Payload & { upload: Upload } }>(
        `mutation ($input: CreateFileUploadInput!) { created: createFileUpload(input: $input) {
           upload { id url method headers { name value } expiresAt } ${errors} } }`,
        {
          input: {
            fileName: 'tent.png',
            contentType: 'image/png',
            size: content.length,
            purpose: 'IMAGE',
            ...input,
          },
        },
      ),
    )
    expect(created.errors).toEqual([])
    return created.upload
  }

  const send = ({ url, method, headers }: Upload, content: Buffer): Promise<Response> =>
    fetch(url, {
      method,
      headers: headers.map(({ name, value }) => [name, value]),
      body: new Uint8Array(content),
    })

  async function complete(id: string): Promise<Payload & { readonly file: File | null }> {
    const { completed } = succeeded(
      await shop<{ completed: Payload & { file: File | null } }>(
        `mutation ($id: ID!) { completed: completeFileUpload(id: $id) { file { ${fileFields} } ${errors} } }`,
        { id },
      ),
    )
    return completed
  }

  async function upload(
    content: Buffer,
    input: object = {},
  ): Promise<Payload & { readonly file: File | null }> {
    const target = await begin(content, input)
    expect((await send(target, content)).status).toBe(200)
    return complete(target.id)
  }

  async function untilReady(uploaded: File | null): Promise<File> {
    let file = uploaded
    while (file?.status === 'PROCESSING') {
      await delay(100)
      const found = await shop<{ file: File }>(`query ($id: ID!) { file(id: $id) { ${fileFields} } }`, {
        id: file.id,
      })
      file = succeeded(found).file
    }
    if (file?.status !== 'READY') throw new Error(`the image is ${String(file?.status)}`)
    return file
  }

  const readyImage = async (): Promise<File> => untilReady((await upload(png(700, 400))).file)

  const deleteFile = async (id: string) =>
    succeeded(
      await shop<{ deleted: Payload & { success: boolean | null } }>(
        `mutation ($id: ID!) { deleted: deleteFile(id: $id) { success ${errors} } }`,
        { id },
      ),
    ).deleted

  test('that are images are shown to shoppers in sizes, and are no page to a browser', async () => {
    const file = await readyImage()
    expect(file.sizes.map(({ width, height }) => [width, height])).toEqual([
      [160, 91],
      [320, 183],
      [640, 366],
      [700, 400],
    ])
    const { created } = succeeded(
      await shop<{ created: Payload & { product: { id: string } } }>(
        `mutation ($input: CreateProductInput!) { created: createProduct(input: $input) { product { id } ${errors} } }`,
        {
          input: {
            name: 'Tent of the files',
            sku: 'FILES-1',
            price: 100,
            currency: 'USD',
            status: 'ACTIVE',
            images: [{ url: file.url, alt: 'A tent' }, { url: 'https://example.com/other.png' }],
          },
        },
      ),
    )
    expect(created.errors).toEqual([])
    const shown = succeeded(
      await page<{ product: { images: unknown } }>(
        'query ($id: ID!) { product(id: $id) { images { url alt width height sizes { width height url } } } }',
        { id: created.product.id },
      ),
    )
    expect(shown.product.images).toEqual([
      { url: file.url, alt: 'A tent', width: 700, height: 400, sizes: file.sizes },
      { url: 'https://example.com/other.png', alt: null, width: null, height: null, sizes: [] },
    ])
    const answer = await fetch(file.url ?? '')
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect((await answer.bytes()).subarray(8, 12)).toEqual(new Uint8Array(Buffer.from('WEBP')))
    expect(await deleteFile(file.id)).toMatchObject({ errors: [{ field: 'id', code: 'INVALID_VALUE' }] })
  })

  test('are uploaded and shown by the requests of docs/files.md', async () => {
    const [create = '', completion = '', show = ''] = await documentedRequests()
    const content = png(300, 200)
    const created = succeeded(
      await shop<{ createFileUpload: Payload & { upload: Upload } }>(
        create.replace('48213', String(content.length)).replace('image/jpeg', 'image/png'),
      ),
    )
    const { upload: target } = created.createFileUpload
    expect((await send(target, content)).status).toBe(200)
    const completed = succeeded(
      await shop<{ completeFileUpload: Payload & { file: File } }>(completion, { id: target.id }),
    )
    expect(completed.completeFileUpload).toMatchObject({ file: { contentType: 'image/png' }, errors: [] })
    const file = await untilReady(completed.completeFileUpload.file)
    const { products } = succeeded(
      await shop<{ products: { nodes: { id: string }[] } }>('{ products(first: 1) { nodes { id } } }'),
    )
    const shown = succeeded(
      await shop<{ updateProduct: Payload & { product: { images: object[] } } }>(show, {
        id: products.nodes[0]?.id,
        url: file.url,
      }),
    )
    expect(shown.updateProduct).toMatchObject({
      product: {
        images: [{ url: file.url, alt: 'A tent on a beach', sizes: [{ width: 160 }, { width: 300 }] }],
      },
      errors: [],
    })
  })

  test('that are images are shown by categories, until another picture replaces them', async () => {
    const file = await readyImage()
    const category = 'category { id image { url alt fileId sizes { width } } }'
    const { created } = succeeded(
      await shop<{ created: Payload & { category: { id: string; image: object } } }>(
        `mutation ($input: CreateCategoryInput!) { created: createCategory(input: $input) { ${category} ${errors} } }`,
        { input: { name: 'Files', slug: 'files', image: { url: file.url, alt: 'Tents' } } },
      ),
    )
    expect(created.category.image).toEqual({
      url: file.url,
      alt: 'Tents',
      fileId: file.id,
      sizes: [160, 320, 640, 700].map((width) => ({ width })),
    })
    expect((await deleteFile(file.id)).errors).toHaveLength(1)
    const { updated } = succeeded(
      await shop<{ updated: Payload & { category: { image: object } } }>(
        `mutation ($id: ID!, $input: UpdateCategoryInput!) { updated: updateCategory(id: $id, input: $input) { ${category} ${errors} } }`,
        { id: created.category.id, input: { image: { url: 'https://example.com/x.png' } } },
      ),
    )
    expect(updated.category.image).toEqual({
      url: 'https://example.com/x.png',
      alt: null,
      fileId: null,
      sizes: [],
    })
    expect(await deleteFile(file.id)).toEqual({ success: true, errors: [] })
  })

  test('that are pages are refused as images, and saved as downloads', async () => {
    const html = Buffer.from('<!doctype html><script>alert(document.domain)</script>')
    expect(await upload(html)).toMatchObject({ file: null, errors: [{ field: 'id', code: 'INVALID_VALUE' }] })
    const { file } = await upload(html, {
      fileName: 'page.html',
      contentType: 'text/html',
      purpose: 'DOWNLOAD',
    })
    expect(file).toMatchObject({
      status: 'READY',
      contentType: 'application/octet-stream',
      url: null,
      sizes: [],
    })
    const { created } = succeeded(
      await shop<{ created: { download: { url: string } } }>(
        'mutation ($id: ID!) { created: createFileDownload(id: $id) { download { url expiresAt } } }',
        { id: file?.id },
      ),
    )
    const answer = await fetch(created.download.url)
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename=page.html')
    expect(await answer.text()).toBe(html.toString())
  })

  test('are uploaded in exactly the size and type of their URL, and completed only then', async () => {
    const content = png(10, 10)
    const target = await begin(content, {})
    expect((await send(target, Buffer.concat([content, content]))).ok).toBe(false)
    expect(
      (await send({ ...target, headers: [{ name: 'Content-Type', value: 'text/html' }] }, content)).ok,
    ).toBe(false)
    expect(await complete(target.id)).toMatchObject({ file: null, errors: [{ field: 'id' }] })
    expect((await send(target, content)).status).toBe(200)
    expect(await complete(target.id)).toMatchObject({ file: { status: 'PROCESSING' }, errors: [] })
  })
})
