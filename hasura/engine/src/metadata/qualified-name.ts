import { z } from 'zod'
import { record } from './parse.ts'

/** A table, view or function of Postgres. Metadata may say `author` for `{schema: public, name: author}`. */
export const qualifiedName = z.union([
  z
    .string()
    .min(1)
    .transform((name) => ({ name, schema: 'public' })),
  record({ name: z.string().min(1), schema: z.string().min(1).default('public') }),
])

export type QualifiedName = Readonly<z.output<typeof qualifiedName>>

/** The key under which the catalog and the metadata index find it. */
export const qualifiedKey = ({ schema, name }: QualifiedName): string => `${schema}.${name}`

/** As Hasura prints it in messages and in generated names: the schema `public` is left out. */
export const displayName = ({ schema, name }: QualifiedName): string =>
  schema === 'public' ? name : `${schema}.${name}`
