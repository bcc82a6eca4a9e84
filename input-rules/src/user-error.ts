/** The sentences of SVC_VAL_001 to 004. What stands in brackets is replaced, brackets included. */
export const inputSentences = {
  required: 'Field [fieldName] is required but was not provided',
  format: 'Field [fieldName] has invalid format. Expected: [format]',
  range: 'Value [value] is outside acceptable range [min]-[max]',
  taken: 'A record with [field]=[value] already exists',
} as const

/** What is wrong with one field of a mutation's input, as the payload's `errors` say it. */
export interface InputError {
  /** Path within the input, dots between its steps: `price`, `items.0.quantity`. */
  readonly field: string
  readonly message: string
  readonly code:
    'REQUIRED_FIELD' | 'INVALID_FORMAT' | 'INVALID_VALUE' | 'OUT_OF_RANGE' | 'ALREADY_EXISTS' | 'NOT_FOUND'
}

/** The sentence with its brackets replaced; long values are cut. */
export function fillIn(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replaceAll(/\[(\w+)\]/g, (_, name: string) => clip(String(values[name])))
}

/** What a client sent is quoted in messages; a megabyte of it is not. */
export function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

export const requiredField = (field: string): InputError => ({
  field,
  message: fillIn(inputSentences.required, { fieldName: field }),
  code: 'REQUIRED_FIELD',
})

/** @param format what would have been right */
export const invalidFormat = (field: string, format: string): InputError => ({
  field,
  message: fillIn(inputSentences.format, { fieldName: field, format }),
  code: 'INVALID_FORMAT',
})

/** Well formed, but not a value that this field can have. */
export const invalidValue = (field: string, message: string): InputError => ({
  field,
  message,
  code: 'INVALID_VALUE',
})

/** @param value the number at fault, or what was counted: `of 201 characters` */
export const outOfRange = (field: string, value: string | number, min: number, max: number): InputError => ({
  field,
  message: fillIn(inputSentences.range, { value, min, max }),
  code: 'OUT_OF_RANGE',
})

export const alreadyExists = (field: string, value: string): InputError => ({
  field,
  message: fillIn(inputSentences.taken, { field: lastStep(field), value }),
  code: 'ALREADY_EXISTS',
})

/**
 * The id is unknown, or another merchant's: the two are not told apart.
 *
 * @param what the record's name as a sentence begins: `Product`
 */
export const notFound = (field: string, what: string, id: string): InputError => ({
  field,
  message: `${what} ${clip(id)} does not exist`,
  code: 'NOT_FOUND',
})

const lastStep = (field: string): string => field.slice(field.lastIndexOf('.') + 1)
