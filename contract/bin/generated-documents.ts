import { lexicographicSortSchema, printSchema } from 'graphql'
import { format, resolveConfig } from 'prettier'
import { errorsDocument } from '../src/errors/errors-document.ts'
import { inputTypes } from '../src/generation/input-types.ts'
import { loadContract } from '../src/schema/load.ts'

export interface GeneratedDocument {
  readonly file: URL
  readonly text: string
}

/** The documents that say what the code says, formatted as the repository is. */
export async function generatedDocuments(): Promise<readonly GeneratedDocument[]> {
  const contract = loadContract()
  return [
    await formatted('errors.md', errorsDocument(), 'markdown'),
    await formatted('schema.graphql', printSchema(lexicographicSortSchema(contract.schema)), 'graphql'),
    await formatted('../contract/src/generated/mutation-arguments.ts', inputTypes(contract), 'typescript'),
  ]
}

async function formatted(name: string, text: string, parser: string): Promise<GeneratedDocument> {
  const file = new URL(`../../docs/${name}`, import.meta.url)
  const style = await resolveConfig(file)
  return { file, text: await format(text, { ...style, parser }) }
}
