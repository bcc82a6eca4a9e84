import { type DocumentNode, Kind, type SelectionSetNode, visit } from 'graphql'
import { type CatalogueError, catalogueError } from '../errors/catalogue-error.ts'
import type { Limits } from './limits.ts'

/** Refuses a text that is too long to parse. Longer than this no document is read. */
export function checkDocumentLength(text: string, limits: Limits): CatalogueError | null {
  if (text.length <= limits.documentCharacters) return null
  return tooMany('query', text.length, limits.documentCharacters, 'characters in the document')
}

/**
 * Refuses a document whose validation alone would be costly, before it is validated: many aliases, many root fields.
 * Fragments are counted where they stand, so a field that is spread twice counts once here; complexity counts it twice.
 */
export function checkDocumentSize(document: DocumentNode, limits: Limits): CatalogueError | null {
  let aliases = 0
  visit(document, {
    Field: ({ alias }) => {
      if (alias) aliases += 1
    },
  })
  if (aliases > limits.aliases) return tooMany('query', aliases, limits.aliases, 'aliases')
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const fields = countRootFields(document, definition.selectionSet, new Set())
    if (fields > limits.rootFields) return tooMany('query', fields, limits.rootFields, 'root fields')
  }
  return null
}

function countRootFields(
  document: DocumentNode,
  { selections }: SelectionSetNode,
  seen: Set<string>,
): number {
  let fields = 0
  for (const selection of selections) {
    switch (selection.kind) {
      case Kind.FIELD:
        fields += 1
        break
      case Kind.INLINE_FRAGMENT:
        fields += countRootFields(document, selection.selectionSet, seen)
        break
      case Kind.FRAGMENT_SPREAD: {
        const name = selection.name.value
        if (seen.has(name)) break
        seen.add(name)
        for (const definition of document.definitions) {
          if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name) {
            fields += countRootFields(document, definition.selectionSet, seen)
          }
        }
        break
      }
    }
  }
  return fields
}

function tooMany(field: string, value: number, max: number, what: string): CatalogueError {
  return catalogueError(
    'SVC_VAL_003',
    { value, min: 1, max },
    { field, reason: `At most ${max} ${what} are allowed` },
  )
}
