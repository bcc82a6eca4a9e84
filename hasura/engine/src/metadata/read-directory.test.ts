import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readMetadataDirectory } from './read-directory.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'metadata-'))
})

afterEach(() => rm(directory, { recursive: true }))

async function files(contents: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries({ 'version.yaml': 'version: 3\n', ...contents })) {
    const path = join(directory, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}

const databases = {
  'databases/databases.yaml':
    '- name: default\n  kind: postgres\n  tables: "!include default/tables/tables.yaml"\n',
  'databases/default/tables/tables.yaml': '- "!include public_author.yaml"\n- !include public_article.yaml\n',
  'databases/default/tables/public_author.yaml': 'table:\n  name: author\n  schema: public\n',
  'databases/default/tables/public_article.yaml': 'table: article\n',
}

describe('readMetadataDirectory', () => {
  test('follows !include, quoted and as a tag, from file to file', async () => {
    await files({ ...databases, 'network.yaml': '{}\n', 'rest_endpoints.yaml': '[]\n' })
    const metadata = await readMetadataDirectory(directory)
    expect(metadata).toEqual({
      version: 3,
      sources: [
        {
          name: 'default',
          kind: 'postgres',
          tables: [
            { table: { name: 'author', schema: 'public' } },
            { table: { name: 'article', schema: 'public' } },
          ],
        },
      ],
    })
  })

  test('puts actions.graphql and actions.yaml together', async () => {
    await files({
      ...databases,
      'actions.graphql': `
        type Mutation {
          "Checks a cart out."
          checkout(cartId: uuid!, note: String): CheckoutResult!
        }
        type Query { quote(sku: String!): [Quote!] }
        type CheckoutResult { orderId: uuid! }
        type Quote { price: bigint! }
        enum Tone { FORMAL }
      `,
      'actions.yaml': `
actions:
  - name: checkout
    definition:
      kind: ""
      handler: "{{ACTIONS_URL}}/checkout"
    permissions:
      - role: customer
  - name: quote
    definition:
      handler: http://localhost/quote
custom_types:
  enums: [{ name: Tone }]
  input_objects: []
  objects:
    - name: CheckoutResult
      relationships:
        - name: order
          type: object
          remote_table: { name: order, schema: shop }
          field_mapping: { orderId: id }
  scalars: []
`,
    })
    const { actions, custom_types: types } = await readMetadataDirectory(directory)
    expect(actions).toEqual([
      {
        name: 'checkout',
        comment: 'Checks a cart out.',
        definition: {
          handler: '{{ACTIONS_URL}}/checkout',
          kind: 'synchronous',
          type: 'mutation',
          arguments: [
            { name: 'cartId', type: 'uuid!' },
            { name: 'note', type: 'String' },
          ],
          output_type: 'CheckoutResult!',
        },
        permissions: [{ role: 'customer' }],
      },
      {
        name: 'quote',
        definition: {
          handler: 'http://localhost/quote',
          type: 'query',
          arguments: [{ name: 'sku', type: 'String!' }],
          output_type: '[Quote!]',
        },
      },
    ])
    expect(types?.objects?.[0]).toEqual({
      name: 'CheckoutResult',
      fields: [{ name: 'orderId', type: 'uuid!' }],
      relationships: [
        {
          name: 'order',
          type: 'object',
          remote_table: { name: 'order', schema: 'shop' },
          field_mapping: { orderId: 'id' },
        },
      ],
    })
    expect(types?.enums).toEqual([{ name: 'Tone', values: [{ value: 'FORMAL' }] }])
  })

  test.each([
    [
      'a missing included file',
      { ...databases, 'databases/default/tables/tables.yaml': '- "!include gone.yaml"' },
      /gone\.yaml does not exist/,
    ],
    [
      'a path that leaves the directory',
      { 'databases/databases.yaml': '"!include ../../../etc/passwd"' },
      /outside of the metadata directory/,
    ],
    [
      'an action that only one file knows',
      { ...databases, 'actions.yaml': 'actions: [{ name: lost, definition: { handler: "http://x" } }]' },
      /the action lost is not defined there/,
    ],
    ['what is no metadata directory', { 'version.yaml': 'version: 2' }, /only version 3/],
  ])('refuses %s', async (_, contents, message) => {
    await files(contents)
    await expect(readMetadataDirectory(directory)).rejects.toThrow(message)
  })

  test('leaves out unknown keys, and reports where they are', async () => {
    await files({
      ...databases,
      'databases/default/tables/public_article.yaml': 'table: article\ncolour: red\n',
    })
    const places: string[] = []
    await readMetadataDirectory(directory, { onUnknownKey: (place) => places.push(place) })
    expect(places).toEqual([expect.stringMatching(/public_article\.yaml: \$\.colour$/) as string])
  })
})
