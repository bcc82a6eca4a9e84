/** Writes what is generated from the contract: docs/errors.md and docs/schema.graphql. CI fails when they are not fresh. */
import { writeFileSync } from 'node:fs'
import { generatedDocuments } from './generated-documents.ts'

for (const { file, text } of await generatedDocuments()) {
  writeFileSync(file, text)
  console.log(file.pathname)
}
