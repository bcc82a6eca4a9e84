import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  specifiedScalarTypes,
} from 'graphql'
import { catalogue } from '@commerce-graph/contract/errors'

interface Member {
  readonly name: string
  readonly type?: string
  readonly args?: readonly (GraphQLArgument | GraphQLInputField)[]
  readonly description: string
  readonly deprecation?: string | null | undefined
}

/** The whole contract as one page that needs nothing but itself: types, fields, permissions, errors, and a search. */
export function referencePage(schema: GraphQLSchema, example: string): string {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    (type) => type != null,
  )
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .filter((type) => !roots.some((root) => root === type))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const all = [...roots, ...types]
  const links = all.map(({ name }) => `<a href="#${name}">${name}</a>`).join('\n')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Commerce Graph: the schema</title><style>${style}</style></head>
<body><nav><input id="search" type="search" placeholder="Search types, fields, permissions" aria-label="Search" autofocus>
<a href="#errors">Errors</a>
${links}</nav>
<main><h1>Commerce Graph</h1>
<p>Everything that <code>/graphql</code> can do. Try it in <a href="/graphql">GraphiQL</a>.
<mark>open</mark> marks what the specification leaves open and was decided here.</p>
<h2>An example</h2>
<pre>curl -s <span id="base">&lt;base URL&gt;</span>/graphql -H 'Authorization: Bearer &lt;API_KEY&gt;' -H 'Content-Type: application/json' \\
  -d '${escape(JSON.stringify({ query: example.replaceAll(/\s+/g, ' ').trim() }))}'</pre>
${all.map((type) => section(type, schema)).join('\n')}
${errors()}
<p id="none" hidden>Nothing is called that.</p></main>
<script>${script}</script></body></html>
`
}

function section(type: GraphQLNamedType, schema: GraphQLSchema): string {
  const rows = membersOf(type, schema).map((member) => row(type.name, member))
  const interfaces = isObjectType(type) ? type.getInterfaces().map(({ name }) => linked(name)) : []
  const implementing = interfaces.length > 0 ? ` implements ${interfaces.join(' &amp; ')}` : ''
  return `<section id="${type.name}"><h2>${type.name} <small>${kindOf(type)}${implementing}</small></h2>
${prose(type.description ?? '')}${rows.length > 0 ? `<table>${rows.join('\n')}</table>` : ''}</section>`
}

function row(type: string, { name, type: of, args = [], description, deprecation }: Member): string {
  const given = args.map(
    (argument) =>
      `<li><code>${argument.name}: ${linked(String(argument.type))}</code> ${inline(argument.description ?? '')}</li>`,
  )
  const list = given.length > 0 ? `<ul>${given.join('')}</ul>` : ''
  const gone = deprecation == null ? '' : `<p><b>Deprecated:</b> ${inline(deprecation)}</p>`
  return `<tr id="${type}.${name}"><th><code>${name}</code></th><td><code>${of === undefined ? '' : linked(of)}</code></td>
<td>${prose(description)}${gone}${list}</td></tr>`
}

function membersOf(type: GraphQLNamedType, schema: GraphQLSchema): readonly Member[] {
  if (isObjectType(type) || isInterfaceType(type))
    return Object.values(type.getFields()).map((field) => ({
      name: field.name,
      type: String(field.type),
      args: field.args,
      description: field.description ?? '',
      deprecation: field.deprecationReason,
    }))
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map(({ name, type: of, description }) => ({
      name,
      type: String(of),
      description: description ?? '',
    }))
  if (isEnumType(type))
    return type.getValues().map(({ name, description }) => ({ name, description: description ?? '' }))
  if (isUnionType(type))
    return schema.getPossibleTypes(type).map(({ name, description }) => ({
      name,
      type: name,
      description: description ?? '',
    }))
  return []
}

function kindOf(type: GraphQLNamedType): string {
  if (isObjectType(type)) return 'type'
  if (isInterfaceType(type)) return 'interface'
  if (isInputObjectType(type)) return 'input'
  if (isEnumType(type)) return 'enum'
  return isUnionType(type) ? 'union' : 'scalar'
}

function errors(): string {
  const rows = Object.entries(catalogue).map(
    ([id, { status, code, message, condition }]) =>
      `<tr id="${id}"><th><code>${id}</code></th><td><code>${status} ${code}</code></td>
<td><p>${inline(condition)}</p><p><i>${escape(message)}</i></p></td></tr>`,
  )
  return `<section id="errors"><h2>Errors</h2><p>What a request is refused with: <code>extensions.id</code>, and the HTTP status.</p>
<table>${rows.join('\n')}</table></section>`
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Descriptions have code between backticks, and one mark of ours. */
const inline = (text: string): string =>
  escape(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('Open in the specification.', '<mark>open</mark>')

const prose = (text: string): string =>
  text
    .split('\n\n')
    .filter((part) => part !== '')
    .map(
      (part) =>
        `<p${part.startsWith('Needs the permission') ? ' class="permission"' : ''}>${inline(part)}</p>`,
    )
    .join('')

/** `[Product!]!` with the name as a link to where it stands. */
const linked = (type: string): string =>
  type.replace(/\w+/, (name) => (specified.has(name) ? name : `<a href="#${name}">${name}</a>`))

const specified = new Set(specifiedScalarTypes.map(({ name }) => name))

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0; display: grid; grid-template-columns: 17rem 1fr }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; box-sizing: border-box; border-right: 1px solid #8884 }
nav a { display: block; text-decoration: none; overflow: hidden; text-overflow: ellipsis }
input { width: 100%; box-sizing: border-box; padding: .4rem; margin-bottom: .6rem; font: inherit }
main { padding: 1rem 2rem; max-width: 65rem; min-width: 0 }
section { border-top: 1px solid #8884; scroll-margin-top: 1rem }
small { font-weight: normal; opacity: .7 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-top: 1px solid #8882 }
p { margin: .2rem 0 } ul { margin: .2rem 0; padding-left: 1.2rem } pre { overflow: auto; padding: .8rem; background: #8881 }
.permission { font-size: .9em; opacity: .75 }
[hidden] { display: none !important }
mark { font-size: .8em; padding: 0 .4em; border-radius: .5em; background: #fc08; color: inherit }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto; max-height: 30vh } }
`

/** Shows the types that hold the text, and of a type that isn't called so only the rows that do. */
const script = `
document.getElementById('base').textContent = location.origin
const search = document.getElementById('search')
const sections = [...document.querySelectorAll('section')].map((section) => ({
  section,
  link: document.querySelector('nav a[href="#' + section.id + '"]'),
  rows: [...section.querySelectorAll('tr')].map((row) => ({ row, text: row.textContent.toLowerCase() })),
  name: section.id.toLowerCase(),
}))
search.addEventListener('input', () => {
  const wanted = search.value.trim().toLowerCase()
  let found = 0
  for (const { section, link, rows, name } of sections) {
    const whole = name.includes(wanted)
    let some = whole
    for (const { row, text } of rows) {
      row.hidden = !whole && !text.includes(wanted)
      some ||= !row.hidden
    }
    section.hidden = link.hidden = !some
    if (some) found += 1
  }
  document.getElementById('none').hidden = found > 0
})
`
