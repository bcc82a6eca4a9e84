import { type DocumentNode, Kind, type SelectionSetNode, visit } from 'graphql'
import { type CatalogueError, catalogueError } from '@commerce-graph/contract/errors'
import type { Limits } from './limits.ts'

/** Refuses a text that is too long to parse. Longer than this no document is read. */
export function checkDocumentLength(text: string, limits: Limits): CatalogueError | null {
  if (text.length <= limits.documentCharacters) return null
  return tooMany('query', text.length, limits.documentCharacters, 'characters in the document')
}

/**
 * Refuses a document whose validation alone would be costly, before it is validated: deep nesting (graphql-js recurses),
 * many aliases, directives or root fields. Fragments are counted where they stand; depth.ts and complexity.ts follow them.
 */
export function checkDocumentSize(document: DocumentNode, limits: Limits): CatalogueError | null {
  const { aliases, directives, depth, valueNesting } = measure(document)
  if (depth > limits.depth) return tooDeep(depth, limits)
  if (valueNesting > limits.valueNesting) {
    return tooMany('query', valueNesting, limits.valueNesting, 'values inside of each other')
  }
  if (aliases > limits.aliases) return tooMany('query', aliases, limits.aliases, 'aliases')
  if (directives > limits.directives) return tooMany('query', directives, limits.directives, 'directives')
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const fields = countRootFields(document, definition.selectionSet, new Set())
    if (fields > limits.rootFields) return tooMany('query', fields, limits.rootFields, 'root fields')
  }
  return null
}

/** SVC_GQL_001. */
export const tooDeep = (depth: number, { depth: max }: Limits): CatalogueError =>
  catalogueError('SVC_GQL_001', { depth, max }, { field: 'query' })

interface Measurement {
  readonly aliases: number
  readonly directives: number
  /** Fields inside of fields, as far as they stand so in the text; introspection doesn't count. */
  readonly depth: number
  /** Lists and objects inside of each other. */
  readonly valueNesting: number
}

function measure(document: DocumentNode): Measurement {
  let aliases = 0
  let directives = 0
  let fields = 0
  let values = 0
  let introspections = 0
  let depth = 0
  let valueNesting = 0
  const value = {
    enter: () => {
      valueNesting = Math.max(valueNesting, ++values)
    },
    leave: () => {
      values -= 1
    },
  }
  visit(document, {
    Field: {
      enter: ({ alias, name }) => {
        if (alias) aliases += 1
        if (name.value.startsWith('__')) introspections += 1
        fields += 1
        if (introspections === 0) depth = Math.max(depth, fields)
      },
      leave: ({ name }) => {
        if (name.value.startsWith('__')) introspections -= 1
        fields -= 1
      },
    },
    Directive: () => {
      directives += 1
    },
    ListValue: value,
    ObjectValue: value,
  })
  return { aliases, directives, depth, valueNesting }
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

/** SVC_VAL_003 for more of something than there may be. */
export const tooMany = (field: string, value: number, max: number, what: string): CatalogueError =>
  catalogueError(
    'SVC_VAL_003',
    { value, min: 1, max },
    { field, reason: `At most ${max} ${what} are allowed` },
  )
