import { buildSchema, isObjectType } from 'graphql'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const decisionsFolder = path.join(root, 'docs/decisions')

const decisions = readdirSync(decisionsFolder).filter((file) => /^\d/.test(file))
const text = (file: string): string => readFileSync(file, 'utf8')

test('the index of decisions lists each of them with its number and title', () => {
  const entries = decisions.sort().map((file) => {
    const [, number, title] = /^# (\d+)\. (.*)/.exec(text(path.join(decisionsFolder, file))) ?? []
    return `- [${number ?? '?'}](${file}) ${title ?? '?'}`
  })
  expect(text(path.join(decisionsFolder, 'README.md')).match(/^- \[.*$/gm)).toEqual(entries)
})

test('each decision has its own number, which is the same in its file’s name and its title', () => {
  const numbers = decisions.map((file) => file.slice(0, 4))
  expect(new Set(numbers).size).toBe(numbers.length)
  for (const file of decisions)
    expect(text(path.join(decisionsFolder, file))).toMatch(new RegExp(`^# ${Number(file.slice(0, 4))}\\. `))
})

test('the path from an event to its mail has at most seven steps, each with a file', () => {
  const [, section = ''] =
    /^## From an event to a mail\n(.*?)^## /ms.exec(text(path.join(root, 'docs/architecture.md'))) ?? []
  const stops = section.trim().split(/^(?=\d+\. )/m)
  expect(stops.length).toBeGreaterThan(1)
  expect(stops.length).toBeLessThanOrEqual(7)
  for (const stop of stops) expect(stop).toMatch(/\]\(\.\.\/(metadata|actions)\//)
})

test('every link of a document to a file of the repository leads to an existing file', () => {
  const documents = [
    ...[
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'contract/README.md',
      'sql/README.md',
      'actions/README.md',
    ],
    ...readdirSync(path.join(root, 'docs')).flatMap((file) => (file.endsWith('.md') ? [`docs/${file}`] : [])),
    ...decisions.map((file) => `docs/decisions/${file}`),
  ]
  const lost = documents.flatMap((document) =>
    [...text(path.join(root, document)).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].flatMap(
      ([, link = '']) =>
        existsSync(path.resolve(root, path.dirname(document), link)) ? [] : [`${document}: ${link}`],
    ),
  )
  expect(lost).toEqual([])
})

test('the page of subscriptions lists each field that can be subscribed to, with its arguments', () => {
  const fields = buildSchema(text(path.join(root, 'docs/schema.graphql'))).getType('SubscriptionRoot')
  if (!isObjectType(fields)) throw new Error('there is no SubscriptionRoot')
  const calls = Object.values(fields.getFields()).map(
    ({ name, args }) => `${name}(${args.map((argument) => argument.name).join(', ')})`,
  )
  const page = text(path.join(root, 'docs/subscriptions.md'))
  const listed = [...page.matchAll(/^\| `(\w+\([^)]*\))`/gm)].map(([, call]) => call)
  expect(listed.toSorted()).toEqual(calls.toSorted())
})
