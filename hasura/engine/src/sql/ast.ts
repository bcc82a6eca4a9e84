import type { QualifiedName } from '../metadata/types.ts'
import type { ParameterSource } from './parameter.ts'

/**
 * The part of SQL that the engine emits, as readonly nodes. They hold no SQL text: only `printer.ts` writes it, so
 * quoting and the order of clauses are decided in one place.
 */

/** A type by its catalogue name (`int4`, `_text`), never by user text. */
export interface TypeName {
  readonly schema: string
  readonly name: string
}

export type BinaryOperator =
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | '||'
  | '->'
  | '->>'
  | '#-'
  | '@>'
  | '<@'
  | '?'
  | '?|'
  | '?&'
  | '~'
  | '~*'
  | '!~'
  | '!~*'
  | '@'
  | '@?'
  | '@@'
  | '^@>'
  | '^<@'
  | 'LIKE'
  | 'NOT LIKE'
  | 'ILIKE'
  | 'NOT ILIKE'
  | 'SIMILAR TO'
  | 'NOT SIMILAR TO'
  | 'IS DISTINCT FROM'
  | '#>'
  | '&&'

export type Expression =
  | { readonly kind: 'column'; readonly relation: string; readonly name: string }
  /** A whole row as a function's argument. */
  | { readonly kind: 'row'; readonly relation: string }
  /** A whole row as a value. The name must not be that of a column, which would take precedence. */
  | { readonly kind: 'record'; readonly relation: string }
  | { readonly kind: 'parameter'; readonly source: ParameterSource; readonly type: TypeName }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'integer'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  /** `(a, b)`. */
  | { readonly kind: 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'default' }
  | { readonly kind: 'cast'; readonly operand: Expression; readonly type: TypeName }
  | {
      readonly kind: 'binary'
      readonly operator: BinaryOperator
      /** The schema of an extension's operator. Without it, the operator is found on the search path. */
      readonly schema?: string | undefined
      readonly left: Expression
      readonly right: Expression
    }
  /** `left operator ANY (array)` or `ALL`. */
  | {
      readonly kind: 'quantified'
      readonly operator: BinaryOperator
      readonly schema?: string | undefined
      readonly quantifier: 'ANY' | 'ALL'
      readonly left: Expression
      readonly array: Expression
    }
  | { readonly kind: 'and'; readonly operands: readonly Expression[] }
  | { readonly kind: 'or'; readonly operands: readonly Expression[] }
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'is-null'; readonly operand: Expression; readonly negated: boolean }
  | { readonly kind: 'exists'; readonly select: Select }
  | { readonly kind: 'subquery'; readonly select: Select }
  | { readonly kind: 'array'; readonly items: readonly Expression[]; readonly type: TypeName }
  | {
      readonly kind: 'case'
      readonly condition: Expression
      readonly then: Expression
      readonly otherwise: Expression
    }
  | { readonly kind: 'window'; readonly call: FunctionCall; readonly orderBy: readonly OrderTerm[] }
  | FunctionCall

export interface FunctionCall {
  readonly kind: 'call'
  readonly function: BuiltinFunction | QualifiedName
  readonly arguments: readonly FunctionArgument[]
  readonly distinct?: boolean
  /** The order of the rows in the aggregate. */
  readonly orderBy?: readonly OrderTerm[]
  readonly filter?: Expression
}

interface FunctionArgument {
  /** Named notation (`name => value`). */
  readonly name?: string
  readonly value: Expression | { readonly kind: 'star' }
}

export type BuiltinFunction =
  | 'avg'
  | 'bit_and'
  | 'bit_or'
  | 'bool_and'
  | 'bool_or'
  | 'coalesce'
  | 'convert_to'
  | 'corr'
  | 'count'
  | 'covar_samp'
  | 'encode'
  | 'json_agg'
  | 'json_build_array'
  | 'json_build_object'
  | 'json_populate_recordset'
  | 'least'
  | 'max'
  | 'min'
  | 'replace'
  | 'row_number'
  | 'row_to_json'
  | 'stddev'
  | 'stddev_pop'
  | 'stddev_samp'
  | 'sum'
  | 'to_json'
  | 'var_pop'
  | 'var_samp'
  | 'variance'

export type FromItem =
  | { readonly kind: 'table'; readonly name: QualifiedName; readonly alias: string }
  | { readonly kind: 'common-table'; readonly name: string; readonly alias: string }
  | { readonly kind: 'derived'; readonly select: Select; readonly alias: string }
  /** A derived table on the right may refer to the left. */
  | { readonly kind: 'left-join'; readonly left: FromItem; readonly right: FromItem; readonly on: Expression }
  | { readonly kind: 'function'; readonly call: FunctionCall; readonly alias: string }
  /** SQL of the metadata, with expressions in it. */
  | {
      readonly kind: 'native'
      readonly code: readonly NativeCodePiece[]
      readonly alias: string
    }
  /** The rows of a JSON array as a table: `json_to_recordset(…) AS alias(name type, …)`. */
  | {
      readonly kind: 'recordset'
      readonly json: Expression
      readonly alias: string
      readonly columns: readonly { readonly name: string; readonly type: TypeName }[]
    }

export type NativeCodePiece =
  | { readonly kind: 'sql'; readonly text: string }
  | { readonly kind: 'expression'; readonly expression: Expression }

export interface OrderTerm {
  readonly value: Expression
  readonly direction: 'ASC' | 'DESC'
  readonly nulls: 'FIRST' | 'LAST'
}

export interface Projection {
  readonly value: Expression
  readonly alias?: string
}

export interface Select {
  readonly kind: 'select'
  readonly with?: readonly CommonTable[]
  readonly distinctOn?: readonly Expression[]
  /** Every column of this relation, before `projections`. */
  readonly star?: string
  readonly projections: readonly Projection[]
  readonly from?: FromItem
  readonly where?: Expression
  readonly orderBy?: readonly OrderTerm[]
  readonly limit?: Expression
  readonly offset?: Expression
}

export interface CommonTable {
  readonly name: string
  readonly statement: Select | Insert | Update | Delete
}

export interface Insert {
  readonly kind: 'insert'
  readonly table: QualifiedName
  readonly alias: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Expression[])[]
  readonly onConflict?: OnConflict
  readonly returning: readonly Projection[]
}

export interface OnConflict {
  /** Absent: any conflict. */
  readonly target: ConflictTarget | undefined
  /** Absent: do nothing. */
  readonly update?: { readonly set: readonly Assignment[]; readonly where?: Expression }
}

/** A constraint, or the columns of a unique index. */
export type ConflictTarget =
  | { readonly kind: 'constraint'; readonly name: string }
  | { readonly kind: 'columns'; readonly names: readonly string[] }

export interface Assignment {
  readonly column: string
  readonly value: Expression
}

export interface Update {
  readonly kind: 'update'
  readonly table: QualifiedName
  readonly alias: string
  readonly set: readonly Assignment[]
  readonly where: Expression
  readonly returning: readonly Projection[]
}

export interface Delete {
  readonly kind: 'delete'
  readonly table: QualifiedName
  readonly alias: string
  readonly where: Expression
  readonly returning: readonly Projection[]
}

/**
 * A select that runs for every member of a batch at once. Its parameters are columns of the batch, so each member has
 * its own values. A row of the answer has the member's number and then the select's columns.
 */
export interface Batch {
  readonly kind: 'batch'
  readonly select: Select
}

export type Statement = Select | Insert | Update | Delete | Batch
