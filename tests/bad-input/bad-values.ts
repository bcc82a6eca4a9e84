import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLInputType,
} from 'graphql'

type Fault =
  | 'missing'
  | 'null'
  | 'empty'
  | 'negative'
  | 'zero'
  | 'huge'
  | 'unknown'
  | 'malformed'
  | 'impossible'
  | 'too long'
  | 'card number'
  | 'foreign'

/** The valid variables of an operation with one wrong value. */
export interface BadInput {
  /** The path of the wrong value, such as `input.items.0.quantity`. */
  readonly path: string
  readonly fault: Fault
  readonly variables: Readonly<Record<string, unknown>>
}

/** A test card number of many processors, with blanks. */
const cardNumber = 'my card is 4242 4242 4242 4242'

/** Fields that may hold long numbers, or that are not stored: see contract/README.md. */
const mayHoldCardNumber =
  /^(externalId|sku|skus|reference|trackingNumber|phone|url|fileName|website|returnUrl|password|currentPassword|newPassword|token|refreshToken)$/

/** Of a valid form, with an offset that Postgres doesn't take. */
const unreadableTime = '2027-01-31T09:30:00+16:00'

/** Longer than any text that the API accepts. */
const tooLong = 'x'.repeat(200_001)

/**
 * Every way in which one leaf of the variables can be wrong.
 * @param foreignId another merchant's id of the same kind as the value, or undefined if the value names no row
 */
export function badInputs(
  args: readonly GraphQLArgument[],
  variables: Readonly<Record<string, unknown>>,
  foreignId: (value: unknown) => string | undefined,
): readonly BadInput[] {
  const found: BadInput[] = []
  const visit = (path: readonly string[], type: GraphQLInputType, value: unknown) => {
    for (const [fault, wrong] of faultsOf(type, value, foreignId)) {
      if (fault === 'card number' && mayHoldCardNumber.test(fieldOf(path))) continue
      found.push({ path: path.join('.'), fault, variables: replaced(variables, path, wrong) })
    }
    const nullable = getNullableType(type)
    if (isListType(nullable) && Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit([...path, String(index)], nullable.ofType, item)
    }
    if (isInputObjectType(nullable) && typeof value === 'object' && value !== null) {
      for (const field of Object.values(nullable.getFields())) {
        const child = (value as Readonly<Record<string, unknown>>)[field.name]
        if (child !== undefined) visit([...path, field.name], field.type, child)
      }
    }
  }
  for (const argument of args) {
    if (variables[argument.name] !== undefined)
      visit([argument.name], argument.type, variables[argument.name])
  }
  return found
}

/** The name of the field at the end of a path; an entry of a list has the list's name. */
const fieldOf = (path: readonly string[]): string => path.findLast((step) => !/^\d+$/.test(step)) ?? ''

const absent = Symbol('absent')

function faultsOf(
  type: GraphQLInputType,
  value: unknown,
  foreignId: (value: unknown) => string | undefined,
): readonly (readonly [Fault, unknown])[] {
  const required: readonly (readonly [Fault, unknown])[] = isNonNullType(type)
    ? [
        ['missing', absent],
        ['null', null],
      ]
    : []
  const nullable = getNullableType(type)
  if (isListType(nullable)) return isNonNullType(type) ? [...required, ['empty', []]] : required
  if (isInputObjectType(nullable)) return required
  if (isEnumType(nullable)) return [...required, ['unknown', 'NO_SUCH_VALUE']]
  return [...required, ...leafFaults(nullable.name, isNonNullType(type), value, foreignId)]
}

function leafFaults(
  type: string,
  required: boolean,
  value: unknown,
  foreignId: (value: unknown) => string | undefined,
): readonly (readonly [Fault, unknown])[] {
  switch (type) {
    case 'Int':
      return [
        ['negative', -1],
        ['zero', 0],
        ['huge', 2_147_483_648],
      ]
    case 'Money':
      return [
        ['negative', -1],
        ['zero', 0],
        ['huge', 9_007_199_254_740_992],
      ]
    case 'Float':
      return [
        ['negative', -0.5],
        ['zero', 0],
        ['huge', 1e300],
      ]
    case 'Boolean':
      return [['malformed', 'yes']]
    case 'JSON':
      return []
    case 'ID': {
      const foreign = foreignId(value)
      const faults: readonly (readonly [Fault, unknown])[] = [
        ...(required ? [['empty', ''] as const] : []),
        ['malformed', 'no-such-id'],
      ]
      return foreign === undefined ? faults : [...faults, ['foreign', foreign]]
    }
    case 'String':
      return [
        ...(required ? [['empty', ''] as const] : []),
        ['too long', tooLong],
        ['card number', cardNumber],
      ]
    default:
      // Texts of a fixed form: DateTime, Date, URL, EmailAddress.
      return [
        ...(required ? [['empty', ''] as const] : []),
        ['malformed', 'neither this nor that'],
        ...(type === 'DateTime' ? [['impossible', unreadableTime] as const] : []),
      ]
  }
}

function replaced(
  whole: unknown,
  path: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  const [first, ...rest] = path
  if (first === undefined) throw new Error('a path has at least one step')
  if (Array.isArray(whole)) {
    const items = whole.map((item: unknown, index) => {
      if (String(index) !== first) return item
      return rest.length === 0 ? (value === absent ? null : value) : replaced(item, rest, value)
    })
    // A step of the path may be a list, but the outermost value is an object.
    return items as unknown as Readonly<Record<string, unknown>>
  }
  const { [first]: old, ...others } = whole as Readonly<Record<string, unknown>>
  if (rest.length > 0) return { ...others, [first]: replaced(old, rest, value) }
  return value === absent ? others : { ...others, [first]: value }
}
