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
import { Aliases, type Translation } from '../sql/translation.ts'

/** A statement ready to be run again and again: the name is that of its text. */
export interface CompiledStatement {
  readonly name: string
  readonly text: string
  readonly parameters: readonly ParameterSource[]
}

/** What to run for a root field. Each statement's only value is finished JSON; no row stands for null. */
export type CompiledField =
  | { readonly kind: 'statement'; readonly statement: CompiledStatement; readonly path: string }
  | { readonly kind: 'write'; readonly write: CompiledWrite; readonly path: string }
  /** Each gives an item of the answer's list. */
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
      /** A single row that a conflict left unwritten answers null. */
      readonly one: boolean
    }

/** Some rows of one table are written. */
export interface CompiledWrite {
  readonly statement: CompiledStatement
  /** Makes the answer of the rows that the statement returned, if the statement does not. */
  readonly answer: CompiledStatement | undefined
}

/** Rows by their keys: the statement answers each reference, in order, with its row's JSON or null. */
interface CompiledEntities {
  readonly statement: CompiledStatement
  /** A JSON array of keys. */
  readonly references: string
  /** Where the row of each reference stands in the answer. */
  readonly places: readonly number[]
}

export interface CompiledStep {
  readonly statement: CompiledStatement
  /** How many columns of the returned row belong to it; a check's result may follow. */
  readonly width: number
  readonly needed: InsertStep['needed']
  readonly path: string
}

export function compileStatement(
  stringifyNumbers: boolean,
  translate: (translation: Translation) => Statement,
): CompiledStatement {
  const { text, parameters } = printStatement(translate({ aliases: new Aliases(), stringifyNumbers }))
  const name = `hasura_${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`
  return { name, text, parameters }
}

export const compileSelect = (select: SelectPlan, stringifyNumbers: boolean): CompiledField => ({
  kind: 'statement',
  statement: compileStatement(stringifyNumbers, (translation) => selectStatement(select, translation)),
  // Whatever goes wrong in a query, Hasura reports it at the root.
  path: '$',
})

/** A value that is not of its column's type is reported at the representations. */
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

/** The field of a mutation, with the path that Hasura reports errors of Postgres at. */
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

/** The statements of a field, in the order in which they run. */
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
