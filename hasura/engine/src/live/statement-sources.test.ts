import { expect, test } from 'vitest'
import { type RelationFacts, oidsOfNames, relationFacts } from './catalog-facts.ts'
import { SourceFinder } from './statement-sources.ts'

const facts = (oid: string, relations: readonly string[]): RelationFacts => ({
  oid,
  isView: relations.length > 0,
  isType: false,
  isInvoker: false,
  policies: null,
  isPartitioned: false,
  readsClock: false,
  relations,
  functions: [],
})

const reads = { relations: [{ schema: 'public', name: 'view' }], functions: [], isOpaque: false }

test('facts that were asked for before a change of the schema are not those of later searches', async () => {
  let table = '2'
  const asked = Promise.withResolvers<undefined>()
  const answered = Promise.withResolvers<undefined>()
  const finder = new SourceFinder(async (text, [oids]) => {
    if (text === oidsOfNames) return [{ kind: 'relation', oid: '1' }]
    const rows = (oids as readonly string[]).map((oid) => facts(oid, oid === '1' ? [table] : []))
    asked.resolve(undefined)
    await answered.promise
    return rows
  }, undefined)
  const early = finder.find(reads)
  await asked.promise
  table = '3'
  finder.forget()
  answered.resolve(undefined)
  expect([...(await early).tables.keys()]).toEqual([2])
  expect([...(await finder.find(reads)).tables.keys()]).toEqual([3])
})

test('a question about a setting that failed is asked again', async () => {
  const policy = `((merchant_id = (current_setting('app.merchant'::text))::uuid) OR ( SELECT (current_setting('app.all'::text, true) <> ''::text)))`
  let isAway = true
  const finder = new SourceFinder(
    (text) => {
      if (text === oidsOfNames) return Promise.resolve([{ kind: 'relation', oid: '1' }])
      if (text === relationFacts)
        return Promise.resolve([{ ...facts('1', []), policies: [policy], isPartitioned: true }])
      return isAway ? Promise.reject(new Error('away')) : Promise.resolve([{ isSet: false }])
    },
    { column: 'merchant_id', setting: 'app.merchant' },
  )
  await expect(finder.find(reads)).rejects.toThrow('away')
  isAway = false
  expect([...(await finder.find(reads)).tables]).toEqual([[1, true]])
})
