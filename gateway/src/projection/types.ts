import type { TenantPrincipal } from '@commerce-graph/auth-webhook'
import type { Contract } from '@commerce-graph/contract'
import type { CatalogueError } from '@commerce-graph/contract/errors'
import type { Condition, Direction, OrderBy } from './condition.ts'
import type { Filter } from './filter.ts'

/** Hasura's role for a request. Which rows and columns each sees is metadata's business. */
export type Role = 'merchant' | 'customer' | 'guest' | 'operator'

/** The roles of those who belong to a merchant. */
export type TenantRole = Exclude<Role, 'operator'>

/**
 * The projection of a contract type on Hasura's tables. A type with rows in several tables (an address of a customer,
 * an order or a warehouse) has one projection for each.
 */
export interface TypeProjection {
  /** The contract's object type. */
  readonly type: string
  /** The table of its rows as Hasura calls it: `catalog_product`, its type of the rows and its root field for the list. */
  readonly table: string
  /** The fields that are not simply a column, or a to-one relationship, of the same name (`columnName`). */
  readonly fields?: Readonly<Record<string, FieldProjection>>
}

/** Where a field's value is, seen from the row of its type. */
export type FieldProjection =
  /** A column of another name. */
  | { readonly kind: 'column'; readonly column: string }
  /** The objects that a jsonb column lists, whose members have the names of the contract's fields. */
  | { readonly kind: 'stored'; readonly column: string }
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }
  /** A column of the row that an object relationship leads to, or `absent` where there is no such row. */
  | {
      readonly kind: 'path'
      readonly relationship: string
      readonly column: string
      readonly absent?: string | number
    }
  /** The row that an object relationship leads to; null when its column `absentWhen` is null. */
  | {
      readonly kind: 'object'
      readonly relationship: string
      readonly projection?: string
      readonly absentWhen?: string
    }
  /** An object made of columns of the row itself; null when each of `absentWhen` is null or false. */
  | { readonly kind: 'embedded'; readonly projection: string; readonly absentWhen: readonly string[] }
  /** The first row, by `orderBy`, that an array relationship leads to. */
  | ({ readonly kind: 'first' } & ToMany)
  | ({ readonly kind: 'list'; readonly limit?: Limit } & ToMany)
  /** Whether an array relationship leads anywhere. */
  | { readonly kind: 'exists'; readonly relationship: string; readonly where?: Condition }
  | {
      readonly kind: 'aggregate'
      readonly relationship: string
      readonly aggregate: Aggregate
      readonly where?: Condition
    }
  | {
      readonly kind: 'connection'
      readonly relationship: string
      /** For a link table: the object relationship from the link to the node. */
      readonly through?: string
      readonly link?: LinkKeyset
      readonly connection: ConnectionProjection
    }

/** An array relationship, or the list of a root field. */
export interface ToMany {
  readonly relationship: string
  /** For a link table: the object relationship from the link to the item. */
  readonly through?: string
  readonly projection?: string
  readonly where?: Condition
  readonly orderBy: readonly OrderBy[]
}

/**
 * The columns of a link row that repeat columns of its node. Sorted by one of them, a page comes from an index of the
 * link table, however long the list is.
 */
export interface LinkKeyset {
  /** The link's column with the node's id. */
  readonly id: string
  /** Sort columns of the node that the link has too, under the same names. */
  readonly columns: readonly string[]
}

/** An argument that says how many items at most. */
export interface Limit {
  readonly argument: string
  /** The default of the argument. If absent, the list has its usual bound, and the answer names a shortened list. */
  readonly preset?: number
}

export type PresetLimit = Limit & { readonly preset: number }

export type Aggregate =
  | { readonly function: 'count' }
  | { readonly function: 'sum' | 'avg'; readonly column: string; readonly empty: number | null }

/** The properties of a connection that don't depend on its place in the contract. */
export interface ConnectionProjection {
  /** The nodes' projection; they need an `id` column. */
  readonly projection: string
  /** The columns of the `sortBy` argument's values. They are NOT NULL, because a keyset has no place for null. */
  readonly sortFields: Readonly<Record<string, SortField>>
  readonly preset: { readonly sortBy: string; readonly direction: Direction }
  /** Members of the `filters` argument, and arguments of the same name on the list itself. */
  readonly filters: Readonly<Record<string, Filter>>
  /** The condition that a role's lists have in addition to its row permissions. */
  readonly visible?: Readonly<Record<TenantRole, Condition>>
  /** Fields of the connection itself, beside those that every connection has. */
  readonly aggregates?: Readonly<Record<string, Aggregate>>
}

export interface SortField {
  readonly column: string
  /** Hasura's type of the column. */
  readonly type: string
}

/** The record that exactly one of the arguments `by` names. */
export interface Lookup {
  readonly kind: 'lookup'
  readonly projection: string
  readonly by: Readonly<Record<string, Filter>>
  readonly visible?: Readonly<Record<TenantRole, Condition>>
}

/** Where a field of the subscription root gets its answers: a record as it changes, or the records that are added. */
export type SubscriptionProjection = Lookup | Stream

/** Rows one by one, each once, in the order of a column. */
export interface Stream {
  readonly kind: 'stream'
  readonly projection: string
  readonly cursor: {
    /** Unique among the rows that a role sees, and none is ever committed below one that was. Not null. */
    readonly column: string
    /** Hasura's type of the column. */
    readonly type: string
    /** The argument that says after which value to begin. */
    readonly argument: string
  }
}

/** Where a field of Query gets its answer: from the table of its projection's rows, unless it says otherwise. */
export type RootProjection =
  | Lookup
  /** The one row that the role sees. */
  | { readonly kind: 'only'; readonly projection: string }
  | {
      readonly kind: 'list'
      readonly projection: string
      readonly filters: Readonly<Record<string, Filter>>
      /** Which rows there are for the list. */
      readonly only?: Condition
      readonly orderBy: readonly OrderBy[]
      /** The maximum number of rows in the answer, which names longer lists. */
      readonly limit: number
    }
  | { readonly kind: 'connection'; readonly connection: ConnectionProjection }
  /** The rows that a function of the database, tracked by Hasura, makes of the field's arguments. */
  | {
      readonly kind: 'function'
      /** Hasura's root field. */
      readonly function: string
      readonly projection: string
      /** By name in the contract; the function's is the same in SQL (`columnName`). */
      readonly args: Readonly<Record<string, FunctionArgument>>
      /** The errors of arguments that the contract's types accept. */
      readonly check: (args: Readonly<Record<string, unknown>>) => readonly CatalogueError[]
      readonly orderBy: readonly OrderBy[]
      /** The maximum number of rows in the answer, which names longer lists; or the argument that sets it. */
      readonly limit: number | PresetLimit
    }
  /** An object whose fields are made by functions of the database, each of the same arguments of the field. */
  | {
      readonly kind: 'functions'
      /** The contract's object type. */
      readonly type: string
      /** By name; the functions' are the same in SQL (`columnName`). */
      readonly args: Readonly<Record<string, FunctionArgument>>
      readonly check: (args: Readonly<Record<string, unknown>>) => readonly CatalogueError[]
      /** The size of a page of a `union`. */
      readonly limit: PresetLimit
      readonly parts: Readonly<Record<string, FunctionPart>>
    }
  /** Known from the credential alone, which is a merchant's. */
  | { readonly kind: 'principal'; readonly value: (principal: TenantPrincipal) => LocalValue }
  /** Known from the contract itself. */
  | { readonly kind: 'contract'; readonly value: (contract: Contract) => LocalValue }
  /** Records of any type that has a key, by references to them. */
  | { readonly kind: 'entities' }
  /** Records of any type that has a key, by their ids alone. */
  | { readonly kind: 'nodes' }

/** A field that a function makes. `function` is Hasura's root field. */
export type FunctionPart =
  | {
      readonly kind: 'list'
      readonly function: string
      readonly projection: string
      readonly orderBy: readonly OrderBy[]
    }
  /**
   * A number in a column of the row that the function returns, or 0 if it returns none. The rows of a `list` that is asked for as
   * well may have it, too, as the sum over some of them: then the function isn't called.
   */
  | {
      readonly kind: 'value'
      readonly function: string
      readonly column: string
      readonly sumOf: {
        readonly list: string
        readonly column: string
        readonly where: { readonly column: string; readonly is: string }
      }
    }
  /** Where the page of a `union` begins and ends, by the columns of `search.hit` that its function returns. */
  | { readonly kind: 'pageInfo'; readonly of: string; readonly list: string }
  /**
   * Records of several types: of each row, the one that an object relationship leads to. A page of them; the function returns one
   * more if there is another page.
   */
  | {
      readonly kind: 'union'
      readonly function: string
      /** The members' projections, by the relationships that lead to them. */
      readonly members: Readonly<Record<string, string>>
      readonly orderBy: readonly OrderBy[]
    }

export interface FunctionArgument {
  /** Hasura's type. */
  readonly type: string
  /** Where its value is among the field's arguments; under its own name when absent. */
  readonly read?: (args: Readonly<Record<string, unknown>>) => unknown
  /** The contract's value as Hasura's; the same when absent. */
  readonly toVariable?: (value: unknown) => unknown
}

/** A value that is there without asking Hasura. */
export type LocalValue =
  | string
  | number
  | boolean
  | null
  | readonly LocalValue[]
  | { readonly [field: string]: LocalValue }

/** A domain's part of the contract. */
export interface DomainProjection {
  readonly queries?: Readonly<Record<string, RootProjection>>
  readonly subscriptions?: Readonly<Record<string, SubscriptionProjection>>
  /** By the projection's name, which is the type's where a type has one projection only. */
  readonly types?: Readonly<Record<string, TypeProjection>>
  /** Fields that this domain adds to another's types, by projection. */
  readonly extensions?: Readonly<Record<string, Readonly<Record<string, FieldProjection>>>>
}
