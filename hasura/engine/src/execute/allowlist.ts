import { type DocumentNode, parse, print, visit } from 'graphql'
import type { Metadata } from '../metadata/types.ts'

/** The normal forms of the documents that a role may send. */
export function allowedDocuments(
  { allowlist = [], query_collections = [] }: Metadata,
  role: string,
): ReadonlySet<string> {
  const collections = new Set(
    allowlist
      .filter(({ scope }) => scope === undefined || scope.global || scope.roles.includes(role))
      .map(({ collection }) => collection),
  )
  return new Set(
    query_collections
      .filter(({ name }) => collections.has(name))
      .flatMap(({ definition }) => definition.queries.flatMap(({ query }) => normalForms(query))),
  )
}

/** A text that can't be parsed allows nothing. */
function normalForms(query: string): readonly string[] {
  try {
    return [normalForm(parse(query, { noLocation: true }))]
  } catch {
    return []
  }
}

/** Documents are compared without `__typename`, which clients add, and without their layout. */
export const normalForm = (document: DocumentNode): string =>
  print(
    visit(document, {
      Field: (node) => (node.name.value === '__typename' ? null : undefined),
    }),
  )
