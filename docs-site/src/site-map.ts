import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export const repository = join(import.meta.dirname, '../..')

/** Pages that stand elsewhere in the repository than in docs/, and where they are on the site. */
const others: Readonly<Record<string, string>> = {
  'docs/decisions/README.md': 'decisions/index.md',
  'client/README.md': 'client.md',
  'hasura/engine/README.md': 'engine.md',
  'CHANGELOG.md': 'changelog.md',
}

/** The pages of the repository that the site shows: from the path of the file to that of the page. */
export function sitePages(): ReadonlyMap<string, string> {
  const inDocs = ['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(repository, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  )
  return new Map([
    ...inDocs.map((path) => [path, path.replace(/^docs\//, '')] as const),
    ...Object.entries(others),
  ])
}
