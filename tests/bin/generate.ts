/** Writes the types of the client journey's operations from the contract. CI fails when they are not fresh. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { buildSchema } from 'graphql'
import { generated, generateOperations } from '../journey/generate-operations.ts'

const contract = await readFile(new URL('../../docs/schema.graphql', import.meta.url), 'utf8')
await mkdir(new URL('.', generated), { recursive: true })
await writeFile(generated, await generateOperations(buildSchema(contract)))
console.log(generated.pathname)
