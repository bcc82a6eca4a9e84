import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generatedDocuments } from './generated-documents.ts'

test('docs/errors.md and docs/schema.graphql agree with the code (npm run generate writes them)', async () => {
  for (const { file, text } of await generatedDocuments()) expect(readFileSync(file, 'utf8')).toBe(text)
})
