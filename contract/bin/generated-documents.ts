import { readFileSync } from 'node:fs'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { format, resolveConfig } from 'prettier'
import { errorsDocument } from '../src/errors/errors-document.ts'
import { actionMetadata } from '../src/generation/action-metadata.ts'
import { clientCurrencies } from '../src/generation/client-currencies.ts'
import { clientErrors } from '../src/generation/client-errors.ts'
import { clientEvents } from '../src/generation/client-events.ts'
import { eventSchemas, withTopics } from '../src/generation/event-documents.ts'
import { inputTypes } from '../src/generation/input-types.ts'
import { loadContract } from '../src/schema/load.ts'

export interface GeneratedDocument {
  readonly file: URL
  readonly text: string
}

/** The documents that say what the code says, formatted as the repository is. */
export async function generatedDocuments(): Promise<readonly GeneratedDocument[]> {
  const contract = loadContract()
  const metadata = actionMetadata(contract)
  const topics = read('../../sql/events/data.sql')
  const events = eventSchemas(contract, topics)
  return [
    await formatted('errors.md', errorsDocument(), 'markdown'),
    await formatted('schema.graphql', printSchema(lexicographicSortSchema(contract.schema)), 'graphql'),
    await formatted('../contract/src/generated/mutation-arguments.ts', inputTypes(contract), 'typescript'),
    await formatted('../client/src/generated/unusual-exponents.ts', clientCurrencies(), 'typescript'),
    await formatted('../client/src/generated/error-catalogue.ts', clientErrors(), 'typescript'),
    await formatted('../client/src/generated/webhook-events.ts', clientEvents(events), 'typescript'),
    await formatted('webhook-events.json', events, 'json'),
    await formatted('webhooks.md', withTopics(read('../../docs/webhooks.md'), topics), 'markdown'),
    { file: metadataFile('actions.graphql'), text: metadata.graphql },
    { file: metadataFile('actions.yaml'), text: metadata.yaml },
  ]
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

const metadataFile = (name: string): URL => new URL(`../../metadata/${name}`, import.meta.url)

async function formatted(name: string, text: string, parser: string): Promise<GeneratedDocument> {
  const file = new URL(`../../docs/${name}`, import.meta.url)
  const style = await resolveConfig(file)
  return { file, text: await format(text, { ...style, parser }) }
}
