import { getNamedType } from 'graphql'
import { exampleOf } from './example-of.ts'
import type { Domain, Operation } from './operations.ts'

/** The reference of a domain: each of its operations with an example to read, to copy and to run. */
export const domainPage = ({ name, operations }: Domain): string =>
  `# ${titleOf(name)} {#all}\n\n${operations.map(section).join('\n')}`

export const titleOf = (domain: string): string =>
  ({ crm: 'Customers and loyalty', bulk: 'Many at once', email: 'E-mail' })[domain] ??
  domain.charAt(0).toUpperCase() + domain.slice(1)

/** Its place on the domain's page. A subscription may have the name of a query. */
export const anchorOf = ({ kind, field }: Pick<Operation, 'kind' | 'field'>): string =>
  kind === 'subscription' ? `subscription-${field.name}` : field.name

function section({ kind, field, callers }: Operation): string {
  const example = exampleOf(kind, field)
  const request = Buffer.from(JSON.stringify(example)).toString('base64')
  const result = getNamedType(field.type).name
  const rows = field.args.map(
    ({ name, type, description }) =>
      `| \`${name}\` | \`${String(type)}\` | ${escaped(description ?? '').replaceAll('|', '\\|')} |`,
  )
  const table = rows.length === 0 ? '' : `\n| Argument | Type | |\n| --- | --- | --- |\n${rows.join('\n')}\n`
  const variables =
    Object.keys(example.variables).length === 0
      ? ''
      : `\n\`\`\`json\n${JSON.stringify(example.variables, null, 2)}\n\`\`\`\n`
  const run = kind === 'subscription' ? '' : `\n<TryIt request="${request}" />\n`
  return `## ${field.name} {#${anchorOf({ kind, field })}}

<Badge type="info" text="${kind}" /> ${escaped(field.description ?? '')}

Returns <a href="/docs/schema#${result}"><code>${escaped(String(field.type))}</code></a>.${callers === '' ? '' : ` For ${callers}.`}
${table}
\`\`\`graphql
${example.document}
\`\`\`
${variables}${run}`
}

/** In a line of Markdown: nothing in it is markup, except code. */
const escaped = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;').replaceAll('{{', '{ {').trim()
