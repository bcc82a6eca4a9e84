import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { compress, minCompressedBytes } from './compress.ts'

const long = JSON.stringify(
  Array.from({ length: 500 }, (_, index) => ({ id: index, name: `Product ${index}` })),
)

describe('a long answer', () => {
  test.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['GZIP; q=0.5', 'gzip'],
    ['gzip;q=2', undefined],
    ['*', undefined],
    ['identity', undefined],
    [undefined, undefined],
  ])('to a client with Accept-Encoding: %s has the coding %s', async (accepted, coding) => {
    const { body, headers } = await compress(long, { 'accept-encoding': accepted })
    expect(headers?.['content-encoding']).toBe(coding)
    const bytes = Buffer.from(body)
    const read = coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes
    expect(read.toString()).toBe(long)
    if (coding !== undefined) expect(bytes.length).toBeLessThan(long.length / 4)
  })
})

test('a short answer is not compressed', async () => {
  const body = 'x'.repeat(minCompressedBytes - 1)
  expect(await compress(body, { 'accept-encoding': 'br' })).toEqual({ body })
})
