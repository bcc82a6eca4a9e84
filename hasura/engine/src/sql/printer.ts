import type {
  ConflictTarget,
  Batch,
  CommonTable,
  Delete,
  Expression,
  FromItem,
  FunctionCall,
  Insert,
  OnConflict,
  OrderTerm,
  Projection,
  Select,
  Statement,
  TypeName,
  Update,
} from './ast.ts'
import { type ParameterSource, parameterKey } from './parameter.ts'

/** A printed statement: `$1` is `parameters[0]`, or in a batch the column `v1`. */
export interface PrintedStatement {
  readonly text: string
  readonly parameters: readonly ParameterSource[]
}

/** Prints a statement. The same tree always gives the same text, which names its prepared statement. */
export function printStatement(statement: Statement): PrintedStatement {
  const printer = new Printer()
  const text = printer.statement(statement)
  return { text, parameters: printer.parameters }
}

const conflictTarget = (target: ConflictTarget): string =>
  target.kind === 'constraint'
    ? `ON CONSTRAINT ${identifier(target.name)}`
    : `(${target.names.map(identifier).join(', ')})`

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A literal in the E'' form, which treats backslashes alike whatever `standard_conforming_strings` is. */
export function stringLiteral(value: string): string {
  const quoted = value.replaceAll("'", "''")
  return quoted.includes('\\') ? `E'${quoted.replaceAll('\\', '\\\\')}'` : `'${quoted}'`
}

const qualified = ({ schema, name }: { readonly schema: string; readonly name: string }): string =>
  `${identifier(schema)}.${identifier(name)}`

/** Built-in types need no schema; other types are qualified. */
const typeName = (type: TypeName): string =>
  type.schema === 'pg_catalog' ? identifier(type.name) : qualified(type)

const operatorName = ({ operator, schema }: Extract<Expression, { kind: 'binary' | 'quantified' }>): string =>
  schema === undefined ? operator : `OPERATOR(${identifier(schema)}.${operator})`

class Printer {
  readonly parameters: ParameterSource[] = []
  readonly #numbers = new Map<string, number>()
  #inBatch = false

  statement(statement: Statement): string {
    switch (statement.kind) {
      case 'select':
        return this.#select(statement)
      case 'insert':
        return this.#insert(statement)
      case 'update':
        return this.#update(statement)
      case 'delete':
        return this.#delete(statement)
      case 'batch':
        return this.#batch(statement)
      default:
        return statement satisfies never
    }
  }

  #select(select: Select): string {
    const projections = [
      ...(select.star === undefined ? [] : [`${identifier(select.star)}.*`]),
      ...select.projections.map((projection) => this.#projection(projection)),
    ]
    // Clauses are printed in their textual order, so that parameters are numbered from left to right.
    const common = this.#with(select.with)
    const distinct = select.distinctOn === undefined ? '' : ` DISTINCT ON (${this.#list(select.distinctOn)})`
    return [
      `${common}SELECT${distinct} ${projections.join(', ')}`,
      select.from === undefined ? '' : ` FROM ${this.#from(select.from)}`,
      select.where === undefined ? '' : ` WHERE ${this.#expression(select.where)}`,
      this.#orderBy(select.orderBy),
      select.limit === undefined ? '' : ` LIMIT ${this.#expression(select.limit)}`,
      select.offset === undefined ? '' : ` OFFSET ${this.#expression(select.offset)}`,
    ].join('')
  }

  /**
   * The first parameter numbers the members. Each parameter of the select is one more: an array with a text for each
   * member. Texts are cast at their use, like the values of ordinary parameters.
   */
  #batch({ select }: Batch): string {
    this.#inBatch = true
    const inner = this.#select(select)
    this.#inBatch = false
    const columns = this.parameters.map((_, index) => `v${index + 1}`)
    const arrays = columns.map((_, index) => `($${index + 2})::"_text"`)
    const batch = `unnest(${['($1)::"_int4"', ...arrays].join(', ')}) AS "batch"(${['member', ...columns].map(identifier).join(', ')})`
    return `SELECT "batch"."member", "answer".* FROM ${batch} LEFT JOIN LATERAL (${inner}) AS "answer" ON TRUE`
  }

  #with(tables: readonly CommonTable[] | undefined): string {
    if (tables === undefined || tables.length === 0) return ''
    const printed = tables.map(
      ({ name, statement }) => `${identifier(name)} AS (${this.statement(statement)})`,
    )
    return `WITH ${printed.join(', ')} `
  }

  #insert(insert: Insert): string {
    const target = `INSERT INTO ${qualified(insert.table)} AS ${identifier(insert.alias)}`
    const values =
      insert.columns.length === 0
        ? ' DEFAULT VALUES'
        : ` (${insert.columns.map(identifier).join(', ')}) VALUES ${insert.rows
            .map((row) => `(${this.#list(row)})`)
            .join(', ')}`
    const conflict = insert.onConflict === undefined ? '' : this.#onConflict(insert.onConflict)
    return `${target}${values}${conflict}${this.#returning(insert.returning)}`
  }

  #onConflict({ target: given, update }: OnConflict): string {
    const target = given === undefined ? '' : ` ${conflictTarget(given)}`
    if (update === undefined) return ` ON CONFLICT${target} DO NOTHING`
    const where = update.where === undefined ? '' : ` WHERE ${this.#expression(update.where)}`
    return ` ON CONFLICT${target} DO UPDATE SET ${this.#assignments(update.set)}${where}`
  }

  #update(update: Update): string {
    const target = `UPDATE ${qualified(update.table)} AS ${identifier(update.alias)}`
    const set = ` SET ${this.#assignments(update.set)}`
    return `${target}${set} WHERE ${this.#expression(update.where)}${this.#returning(update.returning)}`
  }

  #delete(statement: Delete): string {
    const target = `DELETE FROM ${qualified(statement.table)} AS ${identifier(statement.alias)}`
    return `${target} WHERE ${this.#expression(statement.where)}${this.#returning(statement.returning)}`
  }

  #assignments(set: Update['set']): string {
    return set.map(({ column, value }) => `${identifier(column)} = ${this.#expression(value)}`).join(', ')
  }

  #returning(projections: readonly Projection[]): string {
    return projections.length === 0
      ? ''
      : ` RETURNING ${projections.map((projection) => this.#projection(projection)).join(', ')}`
  }

  #projection({ value, alias }: Projection): string {
    const printed = this.#expression(value)
    return alias === undefined ? printed : `${printed} AS ${identifier(alias)}`
  }

  #from(item: FromItem): string {
    switch (item.kind) {
      case 'table':
        return `${qualified(item.name)} AS ${identifier(item.alias)}`
      case 'common-table':
        return `${identifier(item.name)} AS ${identifier(item.alias)}`
      case 'derived':
        return `(${this.#select(item.select)}) AS ${identifier(item.alias)}`
      case 'left-join': {
        const lateral = item.right.kind === 'derived' ? 'LATERAL ' : ''
        return `${this.#from(item.left)} LEFT JOIN ${lateral}${this.#from(item.right)} ON ${this.#expression(item.on)}`
      }
      case 'function':
        return `${this.#call(item.call)} AS ${identifier(item.alias)}`
      case 'native': {
        const printed = item.code.map((piece) =>
          piece.kind === 'sql' ? piece.text : this.#expression(piece.expression),
        )
        // The line breaks end a comment at the end of the code.
        return `(\n${printed.join('')}\n) AS ${identifier(item.alias)}`
      }
      case 'recordset': {
        const columns = item.columns.map(({ name, type }) => `${identifier(name)} ${typeName(type)}`)
        return `json_to_recordset(${this.#expression(item.json)}) AS ${identifier(item.alias)}(${columns.join(', ')})`
      }
      default:
        return item satisfies never
    }
  }

  #orderBy(terms: readonly OrderTerm[] | undefined): string {
    if (terms === undefined || terms.length === 0) return ''
    const printed = terms.map(
      ({ value, direction, nulls }) => `${this.#expression(value)} ${direction} NULLS ${nulls}`,
    )
    return ` ORDER BY ${printed.join(', ')}`
  }

  #list(expressions: readonly Expression[]): string {
    return expressions.map((expression) => this.#expression(expression)).join(', ')
  }

  #expression(node: Expression): string {
    switch (node.kind) {
      case 'column':
        return `${identifier(node.relation)}.${identifier(node.name)}`
      case 'row':
        return `${identifier(node.relation)}.*`
      case 'record':
        return identifier(node.relation)
      case 'parameter':
        return `(${this.#value(node.source, node.type)})::${typeName(node.type)}`
      case 'text':
        return stringLiteral(node.value)
      case 'integer':
        return String(node.value)
      case 'boolean':
        return node.value ? 'TRUE' : 'FALSE'
      case 'null':
        return 'NULL'
      case 'tuple':
        return `(${this.#list(node.items)})`
      case 'default':
        return 'DEFAULT'
      case 'cast':
        return `(${this.#expression(node.operand)})::${typeName(node.type)}`
      case 'binary':
        return `(${this.#expression(node.left)} ${operatorName(node)} ${this.#expression(node.right)})`
      case 'quantified':
        return `(${this.#expression(node.left)} ${operatorName(node)} ${node.quantifier} (${this.#expression(node.array)}))`
      case 'and':
        return `(${node.operands.map((operand) => this.#expression(operand)).join(' AND ')})`
      case 'or':
        return `(${node.operands.map((operand) => this.#expression(operand)).join(' OR ')})`
      case 'not':
        return `(NOT ${this.#expression(node.operand)})`
      case 'is-null':
        return `(${this.#expression(node.operand)} IS ${node.negated ? 'NOT ' : ''}NULL)`
      case 'exists':
        return `EXISTS (${this.#select(node.select)})`
      case 'subquery':
        return `(${this.#select(node.select)})`
      case 'array':
        return `ARRAY[${this.#list(node.items)}]::${typeName(node.type)}`
      case 'case':
        return `CASE WHEN ${this.#expression(node.condition)} THEN ${this.#expression(node.then)} ELSE ${this.#expression(node.otherwise)} END`
      case 'window':
        return `${this.#call(node.call)} OVER (${this.#orderBy(node.orderBy).trimStart()})`
      case 'call':
        return this.#call(node)
      default:
        return node satisfies never
    }
  }

  #call(node: FunctionCall): string {
    const name = typeof node.function === 'string' ? node.function : qualified(node.function)
    const values = node.arguments.map(({ name: argument, value }) => {
      const printed = value.kind === 'star' ? '*' : this.#expression(value)
      return argument === undefined ? printed : `${identifier(argument)} => ${printed}`
    })
    const order = this.#orderBy(node.orderBy)
    const filter = node.filter === undefined ? '' : ` FILTER (WHERE ${this.#expression(node.filter)})`
    return `${name}(${node.distinct === true ? 'DISTINCT ' : ''}${values.join(', ')}${order})${filter}`
  }

  #value(source: ParameterSource, type: TypeName): string {
    const number = this.#number(source, type)
    return this.#inBatch ? `"batch".${identifier(`v${number}`)}` : `$${number}`
  }

  /**
   * One number per source and type. Postgres fixes a parameter's type at its first use, so the same value under two
   * types needs two numbers.
   */
  #number(source: ParameterSource, type: TypeName): number {
    const key = `${type.schema}.${type.name} ${parameterKey(source)}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.parameters.push(source)
    const number = this.parameters.length
    this.#numbers.set(key, number)
    return number
  }
}
