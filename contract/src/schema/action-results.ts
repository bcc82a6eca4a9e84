import { type ConstDirectiveNode, Kind, type ObjectTypeDefinitionNode, parse, print } from 'graphql'

/** The row that an action's result leads to. */
export interface ResultRecord {
  /** The relationship in Hasura. */
  readonly name: string
  readonly table: string
  /** The field of the result that has the key; null: the merchant's only row. */
  readonly key: string | null
  readonly column: string
}

/** A type of results.graphql. */
export interface ResultType {
  readonly name: string
  readonly record: ResultRecord | null
  /** The fields that the file gives it, by name, as it writes them. */
  readonly fields: ReadonlyMap<string, string>
}

/** The result types of the actions for Hasura, by name. */
export function readResults(sdl: string): ReadonlyMap<string, ResultType> {
  const types = parse(sdl, { noLocation: true }).definitions.filter(
    (definition) => definition.kind === Kind.OBJECT_TYPE_DEFINITION,
  )
  return new Map(types.map((type) => [type.name.value, resultType(type)]))
}

function resultType({ name, directives, fields = [] }: ObjectTypeDefinitionNode): ResultType {
  const directive = directives?.find((given) => given.name.value === 'record')
  return {
    name: name.value,
    record: directive ? recordOf(directive) : null,
    fields: new Map(fields.map((field) => [field.name.value, print(field)])),
  }
}

function recordOf(directive: ConstDirectiveNode): ResultRecord {
  const text = (argument: string): string | null => {
    const value = directive.arguments?.find(({ name }) => name.value === argument)?.value
    return value?.kind === Kind.STRING ? value.value : null
  }
  return {
    name: text('name') ?? '',
    table: text('table') ?? '',
    key: text('key'),
    column: text('column') ?? 'id',
  }
}
