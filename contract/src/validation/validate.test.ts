import fc from 'fast-check'
import { getNamedType, isInputObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { compose } from '../schema/compose.ts'
import { coreSdl, loadContract } from '../schema/load.ts'
import { keptValues } from './kept-values.ts'
import { validate } from './validate.ts'

const small = (input: string, more = '') =>
  compose(coreSdl(), [
    {
      name: 'x',
      sdl: `extend type Query { x: Int } extend type Mutation { "Does it." do(input: DoInput!): Int } "It." input DoInput { ${input} } ${more}`,
    },
  ])

const errorsOf = ({ inputRules }: ReturnType<typeof small>, input: object) =>
  validate(inputRules.get('do') ?? [], { input })
const codesOf = (contract: ReturnType<typeof small>, input: object) =>
  errorsOf(contract, input).map(({ field, code }) => `${field} ${code}`)

const bounds = fc
  .tuple(fc.nat({ max: 4 }), fc.nat({ max: 4 }))
  .map(([min, more]) => ({ min, max: min + more }))
const character = fc.constantFrom('a', '😀', ' ', '\n')

describe('the validator accepts exactly the directives’ bounds', () => {
  test('for the length of a text, in code points', () => {
    fc.assert(
      fc.property(
        bounds,
        fc.boolean(),
        fc.array(character, { maxLength: 10 }),
        ({ min, max }, multiline, given) => {
          const contract = small(
            `"A." name: String @length(min: ${min}, max: ${max}, multiline: ${multiline})`,
          )
          const name = given.join('')
          const isFine =
            given.length >= min &&
            given.length <= max &&
            (min === 0 || name.trim() !== '') &&
            (multiline || !name.includes('\n'))
          expect(errorsOf(contract, { name }).length).toBe(isFine ? 0 : 1)
        },
      ),
    )
  })

  test('for a number', () => {
    fc.assert(
      fc.property(bounds, fc.integer({ min: -2, max: 12 }), ({ min, max }, count) => {
        const contract = small(`"A." count: Int @range(min: ${min}, max: ${max})`)
        expect(codesOf(contract, { count })).toEqual(
          count >= min && count <= max ? [] : ['count OUT_OF_RANGE'],
        )
      }),
    )
  })

  test('for a list and for its entries', () => {
    fc.assert(
      fc.property(bounds, fc.array(fc.constantFrom('a', 'aaa'), { maxLength: 10 }), ({ min, max }, tags) => {
        const contract = small(`"A." tags: [String!] @list(min: ${min}, max: ${max}) @length(min: 1, max: 2)`)
        const expected =
          tags.length < min || tags.length > max
            ? ['tags OUT_OF_RANGE']
            : tags.flatMap((tag, index) => (tag.length > 2 ? [`tags.${index} OUT_OF_RANGE`] : []))
        expect(codesOf(contract, { tags })).toEqual(expected)
      }),
    )
  })
})

describe('the validator', () => {
  test('reports all errors at once, each with its path and once', () => {
    const contract = small(
      '"A." email: EmailAddress! "B." lines: [LineInput!]! @list(min: 1, max: 2)',
      '"L." input LineInput { "Q." quantity: Int! @range(min: 1, max: 9) "N." note: String @length(max: 40) }',
    )
    expect(
      codesOf(contract, { email: 'x', lines: [{ quantity: 0 }, { note: '4242 4242 4242 4242' }] }),
    ).toEqual([
      'email INVALID_FORMAT',
      'lines.0.quantity OUT_OF_RANGE',
      'lines.1.quantity REQUIRED_FIELD',
      'lines.1.note INVALID_VALUE',
    ])
    expect(codesOf(contract, { email: null, lines: [] })).toEqual([
      'email REQUIRED_FIELD',
      'lines REQUIRED_FIELD',
    ])
  })

  test('refuses null, but not absence, if an update says so', () => {
    const contract = small('"A." name: String @length(min: 1, max: 5) @notNull')
    expect(codesOf(contract, {})).toEqual([])
    expect(codesOf(contract, { name: null })).toEqual(['name REQUIRED_FIELD'])
  })

  test('refuses lone surrogates and null characters', () => {
    const contract = small('"A." name: String @length(max: 9)')
    for (const name of ['A\ud800B', 'A\0B'])
      expect(codesOf(contract, { name })).toEqual(['name INVALID_FORMAT'])
  })

  test('names the broken bound, and quotes a bounded part of the text', () => {
    const contract = small('"A." name: String @length(min: 1, max: 200)')
    expect(errorsOf(contract, { name: '😀'.repeat(201) })).toEqual([
      {
        field: 'name',
        message: 'Value of 201 characters is outside acceptable range 1-200',
        code: 'OUT_OF_RANGE',
      },
    ])
  })

  test('normalizes values: countries as codes, typed codes without blanks', () => {
    const contract = small(
      '"A." countries: [String!] @list(max: 9) @format(as: "country") "B." code: String @format(as: "couponCode")',
    )
    expect(
      keptValues(contract.inputRules.get('do') ?? [], {
        input: { countries: ['germany', 'USA'], code: ' X ' },
      }),
    ).toEqual({ input: { countries: ['DE', 'US'], code: 'X' } })
  })
})

describe('the contract', () => {
  const { schema, bounds: register } = loadContract()
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {})
  const inputs = Object.values(schema.getTypeMap()).filter(isInputObjectType)
  const usedInputs = new Set<string>()
  const use = (type: unknown): void => {
    if (!isInputObjectType(type) || usedInputs.has(type.name)) return
    usedInputs.add(type.name)
    for (const field of Object.values(type.getFields())) use(getNamedType(field.type))
  }
  for (const { args } of mutations) for (const { type } of args) use(getNamedType(type))
  const members = [
    ...mutations.flatMap(({ name, args }) =>
      args.map((field) => ({ field, path: `Mutation.${name}.${field.name}` })),
    ),
    ...inputs
      .filter(({ name }) => usedInputs.has(name))
      .flatMap((type) =>
        Object.values(type.getFields()).map((field) => ({ field, path: `${type.name}.${field.name}` })),
      ),
  ]

  test('has a bound for every text and every list of a mutation’s input', () => {
    const unbounded = members.filter(({ field, path }) => {
      const { length, list, format } = register.of(path)
      const isText = getNamedType(field.type).name === 'String'
      const isList = String(field.type).startsWith('[')
      return (isText && !length && !format) || (isList && !list)
    })
    expect(unbounded.map(({ path }) => path)).toEqual([])
  })

  test('has the bounds of a field in its description', () => {
    const described = (path: string) => members.find((member) => member.path === path)?.field.description
    expect(described('CreateOrderInput.items')).toBe('The items of the order. 1 to 200 entries.')
    expect(described('UpdateProductInput.tags')).toBe(
      'Free labels, in place of those it has now. At most 100 entries, each 1 to 100 characters, in one line. Never null.',
    )
    expect(described('PaymentInput.amount')).toMatch(/ 0 or more\.$/)
  })
})
