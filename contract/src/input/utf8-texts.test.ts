import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8Texts } from './utf8-texts.ts'

async function read(bytes: Buffer, size: number): Promise<string> {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size))
  }
  return (await Array.fromAsync(utf8Texts(chunks(), (message) => new Error(message)))).join('')
}

test('a text is whole wherever its chunks divide a character, without its byte order mark', async () => {
  const text = fc.string({ unit: 'binary' }).filter((one) => !one.startsWith('\uFEFF'))
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom('', '\uFEFF'),
      async (one, size, mark) => {
        expect(await read(Buffer.from(mark + one), size)).toBe(one)
      },
    ),
  )
})

test.each([
  ['Latin 1', Buffer.from('name\nJürgen', 'latin1')],
  ['UTF-16', Buffer.from('\uFEFFname\nJürgen', 'utf16le')],
  ['a text that ends within a character', Buffer.from('Jü').subarray(0, 2)],
])('%s is refused, in chunks of any size', async (_, bytes) => {
  for (const size of [1, 2, 100]) await expect(read(bytes, size)).rejects.toThrow('The file is not UTF-8')
})
