import { StandardIntrospection } from '@commerce-graph/data-layer'
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { type CatalogueError, fieldRequired, syntaxError } from '@commerce-graph/contract/errors'
import { type Complexity, complexityOf } from '../limits/complexity.ts'
import { depthOf } from '../limits/depth.ts'
import { checkDocumentLength, checkDocumentSize, tooDeep } from '../limits/document-size.ts'
import { type IntrospectedValues, introspectedValuesOf } from '../limits/introspection.ts'
import type { Limits } from '../limits/limits.ts'
import { type PreparedOperation, prepareOperation } from '../plan/prepared-operation.ts'
import { type RootFieldName, rootFieldNames } from './root-field-names.ts'
import { validateDocument } from './validate.ts'
import { type VariableDefinition, variableDefinitions } from './variables.ts'

/** An operation that is parsed, valid and within the limits: all that depends on the document alone. */
export interface CheckedOperation {
  readonly kind: OperationTypeNode
  readonly prepared: PreparedOperation
  readonly variables: readonly VariableDefinition[]
  readonly rootFields: readonly RootFieldName[]
  /** Known in full only with the variables. */
  readonly complexity: Complexity
  readonly introspectedValues: IntrospectedValues
  /** Reads what the answer has under `__schema` as JSON text, where it is stored: see StandardIntrospection. */
  readonly stored: (() => Buffer) | undefined
}

export type Checked =
  | { readonly kind: 'operation'; readonly operation: CheckedOperation }
  | { readonly kind: 'refused'; readonly errors: readonly CatalogueError[] }

type CheckedDocument = ReadonlyMap<string | null, Checked>

/** The weight of a document that is only sent and not stored. */
const storedWeight = 1

/** Turns documents into operations, each document once: what clients send is mostly what they sent before. */
export class Documents {
  readonly #schema: GraphQLSchema
  readonly #limits: Limits
  readonly #standardIntrospection: StandardIntrospection
  readonly #known: LRUCache<string, CheckedDocument>

  constructor(schema: GraphQLSchema, limits: Limits) {
    this.#schema = schema
    this.#limits = limits
    this.#standardIntrospection = new StandardIntrospection(schema)
    this.#known = new LRUCache({ max: limits.cachedDocuments })
  }

  /** @param operationName which operation of the document; null where it has only one */
  check(text: string, operationName: string | null): Checked {
    let document = this.#known.get(text)
    if (!document) {
      const checked = this.#checkDocument(text)
      if ('errors' in checked) return { kind: 'refused', errors: checked.errors }
      document = checked.operations
      this.#known.set(text, document)
    }
    const operation = document.get(operationName)
    if (operation) return operation
    const reason =
      operationName === null
        ? 'The document has several operations: say which one by operationName'
        : `The document has no operation named "${operationName}"`
    return refused(syntaxError(reason, 'operationName'))
  }

  #checkDocument(
    text: string,
  ): { readonly operations: CheckedDocument } | { readonly errors: readonly CatalogueError[] } {
    const tooLong = checkDocumentLength(text, this.#limits)
    if (tooLong) return { errors: [tooLong] }
    const parsed = parseDocument(text, this.#limits)
    if ('error' in parsed) return { errors: [parsed.error] }
    const { document } = parsed
    const tooLarge = checkDocumentSize(document, this.#limits)
    if (tooLarge) return { errors: [tooLarge] }
    const errors = validateDocument(this.#schema, document)
    if (errors.length > 0) return { errors }
    return { operations: this.#checkOperations(document) }
  }

  #checkOperations(document: DocumentNode): CheckedDocument {
    const operations = document.definitions.filter(
      (definition) => definition.kind === Kind.OPERATION_DEFINITION,
    )
    const checked = operations.map(
      (operation) => [operation.name?.value ?? null, this.#checkOperation(document, operation)] as const,
    )
    const [only, ...more] = checked
    // A document's only operation needs no name, even where it has one.
    return new Map(only && more.length === 0 ? [only, [null, only[1]]] : checked)
  }

  #checkOperation(document: DocumentNode, operation: OperationDefinitionNode): Checked {
    const { operation: kind } = operation
    const prepared = prepareOperation(this.#schema, document, operation)
    const depth = depthOf(operation, prepared.fragments)
    if (depth > this.#limits.depth) return refused(tooDeep(depth, this.#limits))
    const stored = this.#standardIntrospection.find(document, operation)
    const complexity = stored
      ? () => storedWeight
      : complexityOf(this.#schema, operation, prepared.fragments, this.#limits)
    const introspectedValues = stored
      ? () => 0
      : introspectedValuesOf(this.#schema, operation, prepared.fragments, this.#limits.introspection)
    const variables = variableDefinitions(this.#schema, operation)
    return {
      kind: 'operation',
      operation: {
        kind,
        prepared,
        variables,
        rootFields: rootFieldNames(prepared),
        complexity,
        introspectedValues,
        stored,
      },
    }
  }
}

function parseDocument(
  text: string,
  { documentTokens }: Limits,
): { readonly document: DocumentNode } | { readonly error: CatalogueError } {
  if (text.trim() === '') return { error: fieldRequired('query') }
  try {
    return { document: parse(text, { maxLexicalTokens: documentTokens }) }
  } catch (error) {
    // The parser descends recursively; the stack ends before the tokens do.
    if (error instanceof RangeError)
      return { error: syntaxError('The document is nested too deeply', 'query') }
    if (!(error instanceof GraphQLError)) throw error
    const refusal = syntaxError(error.message.replace(/^Syntax Error: /, ''))
    return { error: { ...refusal, ...(error.locations && { locations: error.locations }) } }
  }
}

const refused = (error: CatalogueError): Checked => ({ kind: 'refused', errors: [error] })
