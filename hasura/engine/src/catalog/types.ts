import type { QualifiedName } from '../metadata/qualified-name.ts'

/** The catalog of the database, read in one statement. Maps are keyed by `qualifiedKey` ("schema.name"). */
export interface Catalog {
  /** What Postgres said of itself. Catalogs with the same document differ in `enumTables` at most. */
  readonly document: string
  /** Of the system catalogs when they were read: as long as it is the same, so is the document. */
  readonly stamp: string
  readonly tables: ReadonlyMap<string, CatalogTable>
  /** Functions may be overloaded, so each name has a list. */
  readonly functions: ReadonlyMap<string, readonly CatalogFunction[]>
  readonly enums: ReadonlyMap<string, EnumType>
  /** The rows of the tables that metadata tracks with `is_enum`. */
  readonly enumTables: ReadonlyMap<string, readonly EnumTableValue[]>
  /** Names of all base types of the database (`uuid`, `jsonb`, `citext`, …), whether a table uses them or not. */
  readonly scalars: ReadonlySet<string>
  /** In the form of `server_version_num`: 150004. */
  readonly serverVersion: number
}

export type TableKind = 'table' | 'view' | 'materialized-view' | 'foreign-table' | 'partitioned-table'

export interface CatalogTable {
  readonly name: QualifiedName
  readonly oid: number
  readonly kind: TableKind
  readonly comment: string | undefined
  /** In the order of the table. */
  readonly columns: readonly CatalogColumn[]
  readonly primaryKey: UniqueKey | undefined
  readonly uniqueConstraints: readonly UniqueKey[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly checkConstraints: readonly { readonly constraint: string; readonly expression: string }[]
  /** Whether Postgres can insert into it; true for tables, and for some views. */
  readonly insertable: boolean
  readonly updatable: boolean
  readonly deletable: boolean
}

export interface CatalogColumn {
  readonly name: string
  /** attnum: keeps its value when other columns are dropped or the column is renamed. */
  readonly position: number
  readonly type: CatalogType
  readonly nullable: boolean
  readonly hasDefault: boolean
  readonly generated: boolean
  readonly identity: 'always' | 'by-default' | undefined
  readonly comment: string | undefined
}

/** A Postgres type by its catalogue name: `int4`, `timestamptz`, `numeric`, `_text`, `citext`. */
export type CatalogType =
  | {
      readonly category: 'base' | 'composite' | 'enum' | 'range' | 'pseudo'
      readonly schema: string
      readonly name: string
    }
  /** `name` is the array's own name (`_int4`). */
  | {
      readonly category: 'array'
      readonly schema: string
      readonly name: string
      readonly element: CatalogType
    }
  | {
      readonly category: 'domain'
      readonly schema: string
      readonly name: string
      readonly base: CatalogType
    }

export interface UniqueKey {
  readonly constraint: string
  readonly columns: readonly string[]
}

export interface ForeignKey {
  readonly constraint: string
  readonly columns: readonly string[]
  readonly refTable: QualifiedName
  /** In the order of `columns`. */
  readonly refColumns: readonly string[]
}

export interface CatalogFunction {
  readonly name: QualifiedName
  readonly oid: number
  readonly comment: string | undefined
  readonly volatility: 'immutable' | 'stable' | 'volatile'
  /** A set-returning function (`RETURNS SETOF`). */
  readonly returnsSet: boolean
  readonly returns: CatalogType
  /** Set when the result is a row of a table or view. */
  readonly returnsTable: QualifiedName | undefined
  readonly variadic: boolean
  /** Input arguments in order. */
  readonly arguments: readonly FunctionArgument[]
}

export interface FunctionArgument {
  readonly name: string | undefined
  readonly type: CatalogType
  readonly hasDefault: boolean
  /** Set when the argument is a row of a table or view: the table argument of a computed field. */
  readonly table: QualifiedName | undefined
}

export interface EnumType {
  readonly name: QualifiedName
  readonly values: readonly string[]
}

export interface EnumTableValue {
  readonly value: string
  readonly comment: string | undefined
}
