import {
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql'

/** A field of a type, and how to get to it from a root field that takes no arguments which matter here. */
export interface FieldPath {
  /** `Order.items` */
  readonly name: string
  /** From the root on: the fields to select inside of each other. */
  readonly steps: readonly Step[]
}

interface Step {
  readonly type: GraphQLObjectType
  readonly field: GraphQLField<unknown, unknown>
}

/** The shortest way to every field of every object type that a query can reach. Types that none reaches are missing. */
export function fieldPaths(schema: GraphQLSchema): readonly FieldPath[] {
  const root = schema.getQueryType()
  if (!root) throw new Error('the schema has no Query')
  const ways = new Map<GraphQLObjectType, readonly Step[]>([[root, []]])
  const paths: FieldPath[] = []
  // A Map is walked in the order in which it grows, so each type is met by its shortest way.
  for (const [type, way] of ways) {
    for (const field of Object.values(type.getFields())) {
      const steps = [...way, { type, field }]
      if (type !== root) paths.push({ name: `${type.name}.${field.name}`, steps })
      const next = getNamedType(field.type)
      if (isObjectType(next) && !ways.has(next)) ways.set(next, steps)
    }
  }
  return paths
}

/** A query for one path; required arguments get the values that `argument` says, as literals. */
export function pathQuery({ steps }: FieldPath, argument: (name: string, type: string) => string): string {
  const last = steps.at(-1)?.field
  const leaf = last === undefined || isLeafType(getNamedType(last.type)) ? '' : ' { __typename }'
  return steps.reduceRight((inner, { field }) => {
    const given = field.args
      .filter(({ type }) => isNonNullType(type))
      .map(({ name, type }) => `${name}: ${argument(name, String(type))}`)
    return ` { ${field.name}${given.length > 0 ? `(${given.join(', ')})` : ''}${inner} }`
  }, leaf)
}
