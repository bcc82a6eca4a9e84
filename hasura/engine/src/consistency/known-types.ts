import type { Catalog } from '../catalog/types.ts'
import type { CustomTypes } from '../metadata/types.ts'

const builtInScalars: ReadonlySet<string> = new Set(['Int', 'Float', 'String', 'Boolean', 'ID'])

/** `[String!]!` -> `String`. */
export const baseType = (type: string): string => type.replaceAll(/[[\]!\s]/g, '')

/** The types that an action may use. */
export interface KnownTypes {
  /** GraphQL's own scalars, custom scalars, and Postgres types. */
  readonly scalars: (name: string) => boolean
  readonly enums: ReadonlySet<string>
  readonly inputs: ReadonlySet<string>
  readonly objects: ReadonlySet<string>
}

export function knownTypes(types: CustomTypes | undefined, catalog: Catalog): KnownTypes {
  const names = (entries: readonly { readonly name: string }[] | undefined) =>
    new Set((entries ?? []).map(({ name }) => name))
  const custom = names(types?.scalars)
  return {
    scalars: (name) => builtInScalars.has(name) || custom.has(name) || catalog.scalars.has(name),
    enums: names(types?.enums),
    inputs: names(types?.input_objects),
    objects: names(types?.objects),
  }
}
