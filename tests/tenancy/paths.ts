import {
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql'

/** A field of a type, and the path to it from a root field without relevant arguments. */
export interface FieldPath {
  /** `Order.items` */
  readonly name: string
  /** From the root on: the nested fields to select. */
  readonly steps: readonly Step[]
}

interface Step {
  readonly type: GraphQLObjectType
  readonly field: GraphQLField<unknown, unknown>
}

/**
 * The shortest path to every field of every object type that a query can reach. Types that none reaches are missing.
 */
export function fieldPaths(schema: GraphQLSchema): readonly FieldPath[] {
  const root = schema.getQueryType()
  if (!root) throw new Error('the schema has no Query')
  const ways = new Map<GraphQLObjectType, readonly Step[]>([[root, []]])
  const paths: FieldPath[] = []
  // A Map can grow during iteration (breadth-first), so each type is found by its shortest path.
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

/** A query for one path; `argument` gives the values of required arguments as literals. */
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
