import { type DocumentNode, parse, print, visit } from 'graphql'
import type { Metadata } from '../metadata/types.ts'

/** The documents that a role may send, each as its normal form. */
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

/** A query that is none allows nothing. */
function normalForms(query: string): readonly string[] {
  try {
    return [normalForm(parse(query, { noLocation: true }))]
  } catch {
    return []
  }
}

/** Clients add `__typename` everywhere, and print documents in their own way. */
export const normalForm = (document: DocumentNode): string =>
  print(
    visit(document, {
      Field: (node) => (node.name.value === '__typename' ? null : undefined),
    }),
  )
