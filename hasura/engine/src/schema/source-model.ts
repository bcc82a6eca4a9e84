import type { CatalogFunction, CatalogTable, CatalogType, EnumTableValue } from '../catalog/types.ts'
import type { Naming, RootFieldNames } from './naming.ts'
import type { FunctionMetadata, QualifiedName, TableMetadata } from '../metadata/types.ts'
import type { NativeCodePart } from './native-code.ts'

/** Metadata joined with the catalog: the tracked objects, by their GraphQL names, the same for every role. */
export interface SourceModel {
  readonly naming: Naming
  readonly tables: ReadonlyMap<string, TableModel>
  readonly functions: readonly FunctionModel[]
  readonly nativeQueries: readonly NativeQueryModel[]
}

export interface TableModel {
  readonly key: string
  readonly name: QualifiedName
  /** The GraphQL object type. */
  readonly typeName: string
  /** The name of another type of the table, like `typeNamed('bool_exp')`. */
  readonly typeNamed: (suffix: string, prefix?: string) => string
  readonly comment: string | undefined
  readonly catalog: CatalogTable
  readonly metadata: TableMetadata
  /** By GraphQL name, in the order of the table. */
  readonly columns: ReadonlyMap<string, ColumnModel>
  readonly columnsByName: ReadonlyMap<string, ColumnModel>
  readonly relationships: ReadonlyMap<string, RelationshipModel>
  readonly computedFields: ReadonlyMap<string, ComputedFieldModel>
  readonly rootFields: RootFieldNames
  /** Metadata's descriptions of root fields, by field name. They replace the usual ones. */
  readonly rootFieldComments: ReadonlyMap<string, string>
  /** Set on enum tables: the rows that are the enum's values. */
  readonly enumValues: readonly EnumTableValue[] | undefined
}

export interface ColumnModel {
  readonly name: string
  readonly graphqlName: string
  readonly type: CatalogType
  readonly nullable: boolean
  readonly hasDefault: boolean
  readonly writable: boolean
  readonly comment: string | undefined
  /** Key of the enum table that the column's foreign key refers to. */
  readonly enumTable: string | undefined
}

export interface RelationshipModel {
  readonly name: string
  readonly kind: 'object' | 'array'
  readonly comment: string | undefined
  /** Key of the other table. */
  readonly target: string
  /** Pairs of columns that must be equal. */
  readonly mapping: readonly ColumnPair[]
  readonly nullable: boolean
  /** In a nested insert, whether the related row is written before the row that has the relationship. */
  readonly insertedFirst: boolean
}

export interface ColumnPair {
  readonly local: string
  readonly remote: string
}

export interface ComputedFieldModel {
  readonly name: string
  readonly comment: string | undefined
  readonly function: CatalogFunction
  /** The position of the function's argument that takes the row. */
  readonly tableIndex: number
  readonly sessionArgument: string | undefined
  /** Arguments that the client passes. */
  readonly arguments: readonly FunctionArgumentModel[]
  readonly returns:
    | { readonly kind: 'scalar'; readonly type: CatalogType }
    | { readonly kind: 'table'; readonly table: string }
}

export interface FunctionArgumentModel {
  readonly graphqlName: string
  /** Undefined for an unnamed argument, which is passed by position. */
  readonly name: string | undefined
  readonly type: CatalogType
  readonly hasDefault: boolean
  /** Its position in the function's signature. */
  readonly index: number
}

export interface FunctionModel {
  readonly metadata: FunctionMetadata
  readonly catalog: CatalogFunction
  readonly rootField: string
  readonly aggregateRootField: string
  readonly connectionRootField: string
  readonly argumentsTypeName: string
  readonly exposedAs: 'query' | 'mutation'
  readonly sessionArgument: string | undefined
  readonly arguments: readonly FunctionArgumentModel[]
  /** Key of the table whose rows it returns. */
  readonly table: string
}

/** A native query, prepared for calls. Its rows are treated as those of a table. */
export interface NativeQueryModel {
  readonly rootField: string
  readonly description: string | undefined
  readonly arguments: readonly NativeArgumentModel[]
  readonly code: readonly NativeCodePart[]
  /** The logical model as a table, with its permissions. */
  readonly table: TableModel
}

export interface NativeArgumentModel {
  readonly name: string
  readonly type: CatalogType
  readonly nullable: boolean
  readonly description: string | undefined
}
