import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  type GraphQLInputFieldConfig,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import type { CatalogType } from '../catalog/types.ts'
import { type BinaryComparison, castTarget, comparisonOperators } from './comparison-operator.ts'
import { columnInput, columnListInput, nonNull } from './input-rule.ts'
import { memoize } from './memoize.ts'
import { type Naming, renamed } from './naming.ts'
import { baseType, scalarName } from './postgres-type.ts'
import { type SchemaContext, tableOf } from './schema-context.ts'
import type { SpatialInput, SpatialOperator } from './spatial-operator.ts'
import type { ColumnModel, TableModel } from './source-model.ts'

const builtin: ReadonlyMap<string, GraphQLScalarType> = new Map(
  [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID].map((type) => [type.name, type]),
)

type LeafType = GraphQLScalarType | GraphQLEnumType

export interface ScalarTypes {
  readonly scalar: (graphqlName: string) => GraphQLScalarType
  /** The type of a column or of a function's result, lists included. */
  readonly ofType: (type: CatalogType) => GraphQLScalarType | GraphQLList<LeafWrapper>
  readonly ofColumn: (column: ColumnModel) => LeafType | GraphQLList<LeafWrapper>
  readonly enumOf: (table: TableModel) => GraphQLEnumType
  readonly comparisonOfType: (type: CatalogType) => GraphQLInputObjectType
  readonly comparisonOfColumn: (column: ColumnModel) => GraphQLInputObjectType
}

/** The type of an array column's items. */
type LeafWrapper = GraphQLNonNull<GraphQLScalarType>

/** The leaf types of a role's schema, scalars and enum tables, and their comparisons. */
export function createScalarTypes(context: SchemaContext): ScalarTypes {
  const { naming } = context.source
  const scalar = memoize(
    (name: string): GraphQLScalarType => builtin.get(name) ?? new GraphQLScalarType({ name }),
  )
  const ofType = memoizeType((type) =>
    type.category === 'array'
      ? new GraphQLList(new GraphQLNonNull(scalar(scalarName(type.element))))
      : scalar(scalarName(type)),
  )
  const enumOf = memoize(
    (table: TableModel) =>
      new GraphQLEnumType({
        name: table.typeNamed('enum'),
        values: renamed(
          Object.fromEntries(
            (table.enumValues ?? []).map(({ value, comment }) => [value, { description: comment ?? null }]),
          ),
          naming.enumValue,
        ),
      }),
  )
  const enumComparison = memoize((table: TableModel) => {
    const type = enumOf(table)
    const many = new GraphQLList(new GraphQLNonNull(type))
    return new GraphQLInputObjectType({
      name: naming.type(`${type.name}_comparison_exp`),
      description: `Boolean expression to compare columns of type "${type.name}". All fields are combined with logical 'AND'.`,
      fields: renamed<GraphQLInputFieldConfig>(
        {
          _eq: nonNull(type),
          _in: nonNull(many),
          _is_null: nonNull(GraphQLBoolean),
          _neq: nonNull(type),
          _nin: nonNull(many),
        },
        naming.field,
      ),
    })
  })
  const spatialInput = createSpatialInput(scalar)
  const comparisonOfType: ScalarTypes['comparisonOfType'] = memoizeType((type) =>
    comparisonType(type, ofType(type), { scalar, comparisonOfType, spatialInput }, naming),
  )
  const enumTable = ({ enumTable: key }: ColumnModel): TableModel | undefined =>
    key === undefined ? undefined : tableOf(context, key)
  return {
    scalar,
    ofType,
    enumOf,
    ofColumn: (column) => {
      const table = enumTable(column)
      return table === undefined ? ofType(column.type) : enumOf(table)
    },
    comparisonOfType,
    comparisonOfColumn: (column) => {
      const table = enumTable(column)
      return table === undefined ? comparisonOfType(column.type) : enumComparison(table)
    },
  }
}

/** Types are compared by their GraphQL names. */
function memoizeType<Made>(make: (type: CatalogType) => Made): (type: CatalogType) => Made {
  const made = new Map<string, Made>()
  return (type) => {
    const base = baseType(type)
    const key = base.category === 'array' ? `[${scalarName(base.element)}]` : scalarName(base)
    const known = made.get(key) ?? make(base)
    made.set(key, known)
    return known
  }
}

/** The types that comparisons are built from. */
interface ComparisonTypes extends Pick<ScalarTypes, 'scalar' | 'comparisonOfType'> {
  readonly spatialInput: (input: SpatialInput) => GraphQLInputType
}

function comparisonType(
  type: CatalogType,
  own: ReturnType<ScalarTypes['ofType']>,
  types: ComparisonTypes,
  naming: Naming,
): GraphQLInputObjectType {
  const base = baseType(type)
  const name = base.category === 'array' ? `${scalarName(base.element)}_array` : scalarName(base)
  const cast = castTarget(base)
  return new GraphQLInputObjectType({
    name: naming.type(`${name}_comparison_exp`),
    description: `Boolean expression to compare columns of type "${name}". All fields are combined with logical 'AND'.`,
    fields: () =>
      renamed<GraphQLInputFieldConfig>(
        {
          ...(cast === undefined
            ? {}
            : {
                _cast: nonNull(
                  castType(
                    naming.type(`${name}_cast_exp`),
                    cast.graphqlName,
                    types.comparisonOfType(cast.type),
                  ),
                ),
              }),
          _is_null: nonNull(GraphQLBoolean),
          ...Object.fromEntries(
            comparisonOperators(base).map((operator): [string, GraphQLInputFieldConfig] => [
              operator.name,
              operator.kind === 'function'
                ? spatialField(operator, types)
                : operatorField(operator, operandType(operator, own, types)),
            ]),
          ),
        },
        naming.field,
      ),
  })
}

const castType = (name: string, target: string, comparison: GraphQLInputObjectType): GraphQLInputObjectType =>
  new GraphQLInputObjectType({ name, fields: { [target]: nonNull(comparison) } })

function spatialField(
  { input, description }: SpatialOperator,
  { spatialInput }: ComparisonTypes,
): GraphQLInputFieldConfig {
  const type = spatialInput(input)
  return input.kind === 'value' ? columnInput(type, { description }) : nonNull(type, { description })
}

const operatorField = (
  { description, operand, nullable = false }: BinaryComparison,
  type: GraphQLInputType,
): GraphQLInputFieldConfig =>
  operand.kind === 'each' || operand.kind === 'array'
    ? columnListInput(type, { description })
    : columnInput(type, { description, nullable })

function operandType(
  { operand }: BinaryComparison,
  own: ReturnType<ScalarTypes['ofType']>,
  { scalar }: ComparisonTypes,
): GraphQLInputType {
  switch (operand.kind) {
    case 'same':
      return own
    case 'each':
      return new GraphQLList(new GraphQLNonNull(own))
    case 'other':
      return scalar(operand.graphqlName)
    case 'array':
      return new GraphQLList(new GraphQLNonNull(scalar(operand.graphqlName)))
    default:
      return operand satisfies never
  }
}

/** The types of spatial operators' operands, each built once. */
function createSpatialInput(scalar: ScalarTypes['scalar']): ComparisonTypes['spatialInput'] {
  const made = new Map<string, GraphQLInputObjectType>()
  return (input) => {
    if (input.kind === 'value') return scalar(input.type.name)
    const known = made.get(input.graphqlName)
    if (known !== undefined) return known
    const fields = input.fields.map(({ name, graphqlName, absent }): [string, GraphQLInputFieldConfig] => {
      const type = scalar(graphqlName)
      if (absent === 'refused') return [name, columnInput(new GraphQLNonNull(type))]
      return [name, columnInput(type, absent === 'true' ? { nullable: true, defaultValue: true } : {})]
    })
    const type = new GraphQLInputObjectType({ name: input.graphqlName, fields: Object.fromEntries(fields) })
    made.set(input.graphqlName, type)
    return type
  }
}
