import { createHash } from 'node:crypto'
import type { EntitiesPlan } from '../plan/plan-entities.ts'
import type { RootField } from '../plan/root-field.ts'
import { typeNameOf } from '../schema/permission-expression.ts'
import type {
  DeletePlan,
  InsertPlan,
  InsertStep,
  MutationPlan,
  SelectPlan,
  UpdatePlan,
} from '../plan/tree.ts'
import type { Statement } from '../sql/ast.ts'
import {
  answerStatement,
  insertStepStatement,
  mutationStatement,
  nestedAnswerStatement,
  readsOtherRows,
  rowsStatement,
} from '../sql/mutation-statement.ts'
import type { ParameterSource } from '../sql/parameter.ts'
import { printStatement } from '../sql/printer.ts'
import { relatedStatement, selectStatement } from '../sql/select-expression.ts'
import { readsOf, type StatementReads } from '../sql/statement-reads.ts'
import { Aliases, type Translation } from '../sql/translation.ts'

/** A prepared statement; its name is derived from its text. */
export interface CompiledStatement {
  readonly name: string
  readonly text: string
  readonly parameters: readonly ParameterSource[]
}

/** A statement, and what it reads. */
export interface CompiledReading {
  readonly statement: CompiledStatement
  readonly reads: StatementReads
}

/** The statements of a root field. Each returns a single value, the finished JSON; no row means null. */
export type CompiledField =
  | (CompiledReading & { readonly kind: 'statement'; readonly path: string })
  | { readonly kind: 'write'; readonly write: CompiledWrite; readonly path: string }
  /** Each write gives an item of the answer's list. */
  | { readonly kind: 'list'; readonly writes: readonly CompiledWrite[]; readonly path: string }
  | {
      readonly kind: 'entities'
      readonly groups: readonly CompiledEntities[]
      readonly size: number
      readonly path: string
    }
  | {
      readonly kind: 'nested-insert'
      readonly steps: readonly CompiledStep[]
      readonly answer: CompiledStatement
      readonly path: string
      /** Whether the answer is a single row; null when a conflict wrote no row. */
      readonly one: boolean
    }

/** A field that only reads. */
export type CompiledRead = Extract<CompiledField, { kind: 'statement' | 'entities' }>

export const isRead = (field: CompiledField): field is CompiledRead =>
  field.kind === 'statement' || field.kind === 'entities'

/** A statement that writes rows of one table. */
export interface CompiledWrite {
  readonly statement: CompiledStatement
  /** Builds the answer from the returned rows, if the statement itself doesn't. */
  readonly answer: CompiledStatement | undefined
}

/** Rows by their keys. The statement returns the row's JSON, or null, for each reference in order. */
interface CompiledEntities {
  readonly statement: CompiledStatement
  /** A JSON array of keys. */
  readonly references: string
  /** The position in the answer of each reference's row. */
  readonly places: readonly number[]
}

export interface CompiledStep {
  readonly statement: CompiledStatement
  /** How many of the returned columns are the row's; a check's result may follow. */
  readonly width: number
  readonly needed: InsertStep['needed']
  readonly path: string
}

export function compileStatement(
  stringifyNumbers: boolean,
  translate: (translation: Translation) => Statement,
): CompiledStatement {
  const { text, parameters } = printStatement(
    translate({ aliases: new Aliases(), stringifyNumbers, held: [] }),
  )
  const name = `hasura_${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`
  return { name, text, parameters }
}

export function compileReading(
  stringifyNumbers: boolean,
  translate: (translation: Translation) => Statement,
): CompiledReading {
  let reads: StatementReads = { relations: [], functions: [], isOpaque: true }
  const statement = compileStatement(stringifyNumbers, (translation) => {
    const translated = translate(translation)
    reads = readsOf(translated)
    return translated
  })
  return { statement, reads }
}

export const compileSelect = (select: SelectPlan, stringifyNumbers: boolean): CompiledField => ({
  kind: 'statement',
  ...compileReading(stringifyNumbers, (translation) => selectStatement(select, translation)),
  // Hasura reports every error of a query at the root.
  path: '$',
})

/** A key that is not of its column's type is an error at the representations. */
export const compileEntities = (
  { path }: Pick<RootField, 'path'>,
  { groups, size }: EntitiesPlan,
  stringifyNumbers: boolean,
): CompiledField => ({
  kind: 'entities',
  groups: groups.map(({ select, key, references }) => ({
    statement: compileStatement(stringifyNumbers, (translation) =>
      relatedStatement(
        key.map(({ name, type }) => ({ name, type: typeNameOf(type) })),
        [select],
        translation,
      ),
    ),
    references: JSON.stringify(references.map(({ values }) => values)),
    places: references.map(({ place }) => place),
  })),
  size,
  path: `${path}.args.representations`,
})

/** Compiles a mutation's field. `path` is where Hasura reports errors of Postgres. */
export function compileMutation(
  { path }: Pick<RootField, 'path'>,
  mutation: MutationPlan,
  stringifyNumbers: boolean,
): CompiledField {
  const compiled = (translate: (translation: Translation) => Statement): CompiledStatement =>
    compileStatement(stringifyNumbers, translate)
  const written = (plan: InsertPlan | UpdatePlan | DeletePlan): CompiledWrite => {
    const isRead = readsOtherRows(plan.output)
    return {
      statement: compiled((translation) => (isRead ? rowsStatement : mutationStatement)(plan, translation)),
      answer: isRead ? compiled((translation) => answerStatement(plan, translation)) : undefined,
    }
  }
  switch (mutation.kind) {
    case 'insert':
      return {
        kind: 'write',
        write: written(mutation),
        path: `${path}.args.${mutation.output.kind === 'row' ? 'object' : 'objects'}`,
      }
    case 'nested-insert':
      return {
        kind: 'nested-insert',
        steps: mutation.steps.map((step) => ({
          statement: compiled((translation) => insertStepStatement(step, translation)),
          width: step.table.columns.length + 1,
          needed: step.needed,
          path: step.path,
        })),
        answer: compiled((translation) => nestedAnswerStatement(mutation, translation)),
        path: `${path}.args.${mutation.output.kind === 'row' ? 'object' : 'objects'}`,
        one: mutation.output.kind === 'row',
      }
    case 'update':
    case 'delete':
      return { kind: 'write', write: written(mutation), path: '$' }
    case 'update-many':
      return { kind: 'list', writes: mutation.updates.map(written), path: '$' }
    case 'call':
      return compileSelect(mutation.select, stringifyNumbers)
    default:
      return mutation satisfies never
  }
}

/** The statements of a field, in the order of their execution. */
export function statementsOf(field: CompiledField): readonly CompiledStatement[] {
  switch (field.kind) {
    case 'statement':
      return [field.statement]
    case 'write':
      return statementsOfWrite(field.write)
    case 'list':
      return field.writes.flatMap(statementsOfWrite)
    case 'entities':
      return field.groups.map(({ statement }) => statement)
    case 'nested-insert':
      return [...field.steps.map(({ statement }) => statement), field.answer]
    default:
      return field satisfies never
  }
}

const statementsOfWrite = ({ statement, answer }: CompiledWrite): readonly CompiledStatement[] =>
  answer === undefined ? [statement] : [statement, answer]
