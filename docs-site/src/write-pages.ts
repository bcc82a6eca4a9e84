import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { anchorOf, domainPage, titleOf } from './domain-page.ts'
import { readDomains, readSchema } from './operations.ts'
import { pageOf } from './page-of.ts'
import { repository, sitePages } from './site-map.ts'

// Writes what VitePress builds: the pages of the repository, and the reference that is made of the schema.
const target = join(import.meta.dirname, '../pages')

function write(path: string, text: string): void {
  const file = join(target, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

rmSync(target, { recursive: true, force: true })
const pages = sitePages()
for (const [path, page] of pages)
  write(page, pageOf(readFileSync(join(repository, path), 'utf8'), path, pages))
write('index.md', readFileSync(join(import.meta.dirname, '../start.md'), 'utf8'))
const domains = readDomains(readSchema())
for (const domain of domains) write(`api/${domain.name}.md`, domainPage(domain))
const list = domains.map(
  ({ name, operations }) =>
    `| [${titleOf(name)}](./${name}.md) | ${operations.map((operation) => `[${operation.field.name}](./${name}.md#${anchorOf(operation)})`).join(', ')} |`,
)
write(
  'api/index.md',
  `# API reference\n\nEach operation of \`/graphql\` with an example that can be run here. The [types](/schema) are on a page of their own.\n\n| | |\n| --- | --- |\n${list.join('\n')}\n`.replace(
    '[types](/schema)',
    '<a href="/docs/schema">types</a>',
  ),
)
cpSync(join(repository, 'docs/images'), join(target, 'public/images'), { recursive: true })
