import type { DocumentTypeDecoration, TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, Kind, type OperationTypeNode, print } from 'graphql'

/** A document as a text with types, which codegen's `documentMode: 'string'` makes. */
export type TypedDocumentString<Data, Variables> = DocumentTypeDecoration<Data, Variables> & {
  // Of the class String.
  toString(): string
  readonly length: number
}

/** A document with the types of its data and its variables, as codegen and gql.tada make it. */
export type TypedDocument<Data, Variables> =
  | TypedDocumentNode<Data, Variables>
  | TypedDocumentString<Data, Variables>

export type Variables = Readonly<Record<string, unknown>>

/** The variables of a call, which may be left out if all of them are optional, and its options. */
export type Rest<Own, Options> =
  Record<string, never> extends Own
    ? [variables?: NoInfer<Own>, options?: Options]
    : [variables: NoInfer<Own>, options?: Options]

const texts = new WeakMap<object, string>()

const isNode = (document: object): document is DocumentNode => 'kind' in document

/** The document as it is sent. */
export function textOf(document: string | TypedDocument<unknown, never>): string {
  if (typeof document === 'string') return document
  if (!isNode(document)) return document.toString()
  const known = texts.get(document)
  if (known !== undefined) return known
  const text = print(document)
  texts.set(document, text)
  return text
}

/**
 * Throws an Error if a parsed document has another operation than the one that is needed: a mistake of the program.
 * Texts aren't parsed.
 */
export function requireOperation(
  document: string | TypedDocument<unknown, never>,
  needed: `${OperationTypeNode}`,
): void {
  if (typeof document === 'string' || !isNode(document)) return
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const operation: `${OperationTypeNode}` = definition.operation
    if (operation !== needed) throw new Error(`A ${needed} is needed, and the document has a ${operation}.`)
  }
}
