import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import {
  Kind,
  visit,
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
} from 'graphql'

type Variables = Readonly<Record<string, unknown>>

/** An operation that has one root field, with its variables, to be sent together with others. */
export interface Field<Value> {
  readonly document: TypedDocumentNode<Readonly<Record<string, Value>>, never>
  readonly variables: Variables
  /** Whether running it twice creates two records. */
  readonly creates: boolean
}

interface Batch<Value> {
  /** Returns the value of each field by its alias. */
  readonly document: TypedDocumentNode<Readonly<Record<string, Value>>, Variables>
  readonly variables: Variables
}

/** A field that may run twice without harm. TypeScript checks the variables against the document's. */
export const field = <Value, Own extends Variables>(
  document: TypedDocumentNode<Readonly<Record<string, Value>>, Own>,
  variables: NoInfer<Own>,
): Field<Value> => ({ document, variables, creates: false })

/** A field that creates a record each time it runs. */
export const creation = <Value, Own extends Variables>(
  document: TypedDocumentNode<Readonly<Record<string, Value>>, Own>,
  variables: NoInfer<Own>,
): Field<Value> => ({ document, variables, creates: true })

export const aliasOf = (index: number): string => `f${index}`

/**
 * Combines fields into one operation, each with its own alias and variables, e.g. `$input2` for the `$input` of the
 * third. A fragment that several fields use occurs once.
 *
 * @throws Error if a document is not one operation with one root field, or if queries and mutations are mixed
 */
export function batchOf<Value>(fields: readonly Field<Value>[]): Batch<Value> {
  const operations = fields.map(({ document }, index) => ownOperation(document, index))
  const [first] = operations
  if (first === undefined) throw new Error('a batch of no fields')
  if (operations.some(({ operation }) => operation !== first.operation)) {
    throw new Error('a batch of queries and mutations')
  }
  const fragments = fields.flatMap(({ document }) => document.definitions.filter(isFragment))
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: first.operation,
    variableDefinitions: operations.flatMap(({ variableDefinitions }) => variableDefinitions ?? []),
    selectionSet: {
      kind: Kind.SELECTION_SET,
      selections: operations.map((own, index): FieldNode => {
        const alias = { kind: Kind.NAME, value: aliasOf(index) } as const
        return { ...rootFieldOf(own), alias }
      }),
    },
  }
  const byName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
  return {
    document: { kind: Kind.DOCUMENT, definitions: [operation, ...byName.values()] },
    variables: Object.fromEntries(
      fields.flatMap(({ variables }, index) =>
        Object.entries(variables).map(([name, value]) => [ownName(name, index), value]),
      ),
    ),
  }
}

const ownName = (variable: string, index: number): string => `${variable}${index}`

/** The operation with variable names that are unique in the batch. */
function ownOperation({ definitions }: DocumentNode, index: number): OperationDefinitionNode {
  const [operation, ...others] = definitions.filter(isOperation)
  if (operation === undefined || others.length > 0) throw new Error('a document of one operation is needed')
  return visit(operation, {
    Variable: (node) => ({ ...node, name: { ...node.name, value: ownName(node.name.value, index) } }),
  })
}

function rootFieldOf({ selectionSet, name }: OperationDefinitionNode): FieldNode {
  const [root, ...others] = selectionSet.selections
  if (root?.kind !== Kind.FIELD || others.length > 0) {
    throw new Error(`${name?.value ?? 'the operation'} has other root fields than one`)
  }
  return root
}

const isOperation = (definition: DefinitionNode): definition is OperationDefinitionNode =>
  definition.kind === Kind.OPERATION_DEFINITION

const isFragment = (definition: DefinitionNode): definition is FragmentDefinitionNode =>
  definition.kind === Kind.FRAGMENT_DEFINITION
