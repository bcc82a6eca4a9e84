import type { AnswerType, Field } from './answer-type.ts'
import type { Declarations } from './declarations.ts'
import type { SqlFunction } from './read-functions.ts'

type JsonSchema = Readonly<Record<string, unknown>>

const scalars: Readonly<Record<string, JsonSchema>> = {
  integer: { type: 'integer' },
  bigint: { type: 'integer' },
  numeric: { type: 'number' },
  boolean: { type: 'boolean' },
  null: { type: 'null' },
  jsonb: {},
  object: { type: 'object' },
  texts: { type: 'object', additionalProperties: { type: 'string' } },
}

/** The JSON Schema of each declared jsonb answer. Tests compare the answers with it. */
export function answerSchemas(
  functions: readonly SqlFunction[],
  declarations: Declarations,
): Readonly<Record<string, JsonSchema>> {
  const schemaOf = (type: AnswerType): JsonSchema => {
    switch (type.kind) {
      case 'name':
      case 'answers':
      case 'union': {
        const members = declarations.membersOf(type)
        const [only] = members
        if (only?.kind === 'name' && members.length === 1) return scalars[only.name] ?? { type: 'string' }
        return { anyOf: members.map(schemaOf) }
      }
      case 'literal':
        return { const: type.value }
      case 'list':
        return { type: 'array', items: schemaOf(type.of) }
      case 'rows':
        return objectOf(null, type.fields)
      case 'object':
        return objectOf(type.outcome, type.fields)
      default:
        return type satisfies never
    }
  }
  const objectOf = (outcome: string | null, fields: readonly Field[]): JsonSchema => ({
    type: 'object',
    properties: {
      ...(outcome !== null && { outcome: { const: outcome } }),
      ...Object.fromEntries(fields.map(({ name, type }) => [name, schemaOf(type)])),
    },
    required: [
      ...(outcome === null ? [] : ['outcome']),
      ...fields.filter(({ optional }) => !optional).map(({ name }) => name),
    ],
    additionalProperties: false,
  })
  return Object.fromEntries(
    functions.flatMap(({ name, answers, returns }) =>
      answers === null || returns !== 'jsonb' ? [] : [[name, schemaOf(answers)]],
    ),
  )
}
