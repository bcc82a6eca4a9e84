import { lexicographicSortSchema, printSchema } from 'graphql'
import { format, resolveConfig } from 'prettier'
import { errorsDocument } from '../src/errors/errors-document.ts'
import { loadContract } from '../src/schema/load.ts'

export interface GeneratedDocument {
  readonly file: URL
  readonly text: string
}

/** The documents that say what the code says, formatted as the repository is. */
export async function generatedDocuments(): Promise<readonly GeneratedDocument[]> {
  return [
    await formatted('errors.md', errorsDocument(), 'markdown'),
    await formatted('schema.graphql', printSchema(lexicographicSortSchema(loadContract().schema)), 'graphql'),
  ]
}

async function formatted(name: string, text: string, parser: string): Promise<GeneratedDocument> {
  const file = new URL(`../../docs/${name}`, import.meta.url)
  const style = await resolveConfig(file)
  return { file, text: await format(text, { ...style, parser }) }
}
