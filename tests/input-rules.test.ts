import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { buildASTSchema, type GraphQLInputObjectType, type GraphQLSchema, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as actions from '../actions/src/action/input.ts'
import * as gateway from '../gateway/src/mutation/rules.ts'

/** Each rule as the gateway and as the actions apply it. */
const rules = {
  text: [gateway.text({ max: 20 }), actions.text(20)],
  optionalLine: [gateway.optionalLine({ max: 20 }), actions.line(20)],
  optionalText: [gateway.optionalText({ max: 20 }), actions.storableText(20)],
  country: [gateway.country, actions.country],
  currency: [gateway.currency, actions.currency],
  phone: [gateway.phone, actions.phone],
} as const

function refusedByActions(schema: z.ZodType, value: string): unknown {
  const parsed = z.object({ name: schema }).safeParse({ name: value }, { reportInput: true })
  return parsed.success ? [] : actions.userErrorsOf(parsed.error)
}

const given = fc.oneof(
  fc.string({ maxLength: 25 }),
  fc.string({ unit: 'binary', maxLength: 25 }),
  fc
    .array(fc.constantFrom('😀', '\ud800', '\0', 'a', ' ', '\n', '5'), { maxLength: 25 })
    .map((c) => c.join('')),
  fc.constantFrom(
    'US',
    'usa',
    'Germany',
    'Narnia',
    'USD',
    'ZZZ',
    '(503) 555-9573',
    '+49 30 123456',
    '+1 503',
  ),
)

describe('rows and actions refuse the same, in the same words', () => {
  test.each(Object.entries(rules))('%s', (_name, [rule, schema]) => {
    fc.assert(
      fc.property(given, (value) => {
        expect(refusedByActions(schema, value)).toEqual(rule(value, 'name'))
      }),
      { numRuns: 300 },
    )
  })
})

test('lengths are in code points, and half of a pair is refused', () => {
  const of = (value: string) => [
    gateway.text({ max: 200 })(value, 'name'),
    refusedByActions(actions.text(200), value),
  ]
  expect(of('😀'.repeat(200))).toEqual([[], []])
  for (const errors of of('😀'.repeat(201)))
    expect(errors).toEqual([
      {
        field: 'name',
        message: 'Value of 201 characters is outside acceptable range 1-200',
        code: 'OUT_OF_RANGE',
      },
    ])
  for (const errors of of('A\ud800B'))
    expect(errors).toMatchObject([{ field: 'name', code: 'INVALID_FORMAT' }])
})

test('the schema says how many lines an order, a reservation and a transfer can have', () => {
  const sdl = readFileSync(path.join(import.meta.dirname, '../docs/schema.graphql'), 'utf8')
  const schema: GraphQLSchema = buildASTSchema(parse(sdl), { assumeValidSDL: true })
  const input = (type: string, field: string) =>
    (schema.getType(type) as GraphQLInputObjectType).getFields()[field]?.description
  const reserved = schema.getMutationType()?.getFields()['reserveInventory']?.args
  const described = [
    input('CreateOrderInput', 'items'),
    input('CreateTransferInput', 'lines'),
    reserved?.find(({ name }) => name === 'items')?.description,
  ]
  for (const description of described) expect(description).toContain(`1 to ${actions.MAX_LINES} `)
})
