import { z } from 'zod'
import { record } from './parse.ts'

/** A Postgres table, view or function. Metadata may write `author` for `{schema: public, name: author}`. */
export const qualifiedName = z.union([
  z
    .string()
    .min(1)
    .transform((name) => ({ name, schema: 'public' })),
  record({ name: z.string().min(1), schema: z.string().min(1).default('public') }),
])

export type QualifiedName = Readonly<z.output<typeof qualifiedName>>

/** The key by which the catalog and the metadata index it. */
export const qualifiedKey = ({ schema, name }: QualifiedName): string => `${schema}.${name}`

/** The name in Hasura's messages and generated names, without the schema `public`. */
export const displayName = ({ schema, name }: QualifiedName): string =>
  schema === 'public' ? name : `${schema}.${name}`
