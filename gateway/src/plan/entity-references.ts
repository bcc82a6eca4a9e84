/** The maximum number of `representations`. A router requests all records of a page at once, and those below them. */
export const maxReferences = 1000

/** A record that a federation router refers to, as it wrote it. */
export type EntityReference = Readonly<Record<string, unknown>>

/** The references in a coerced `representations` argument. A single one stands for a list of one. */
export const referencesIn = (representations: unknown): readonly EntityReference[] =>
  (Array.isArray(representations) ? representations : [representations]) as readonly EntityReference[]

/** The types that are referred to, each once, in alphabetical order. */
export const referencedTypes = (references: readonly EntityReference[]): readonly string[] =>
  [...new Set(references.map(({ __typename: type }) => (typeof type === 'string' ? type : '')))].sort()
