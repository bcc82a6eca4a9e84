import { isGraphqlName } from './graphql-name.ts'
import type { CustomRootFields, QualifiedName, Source } from '../metadata/types.ts'

export type NamingConvention = 'hasura-default' | 'graphql-default'

type Customization = NonNullable<Source['customization']>

/** The GraphQL names of a source's tables and columns, and of the fields and types that Hasura adds. */
export interface Naming {
  readonly convention: NamingConvention
  /** A name that Hasura adds, given in the form of `hasura-default`: `order_by`, `stddev_pop`. */
  readonly field: (name: string) => string
  /** The same for types that don't belong to a table: `String_comparison_exp`. */
  readonly type: (name: string) => string
  readonly enumValue: (name: string) => string
  /** A type of a table or function: its stem with Hasura's suffix or prefix. */
  readonly typeOf: (stem: Stem, suffix?: string, prefix?: string) => string
  /** A root field: its stem with Hasura's prefix and suffix. */
  readonly rootField: (stem: Stem, prefix: string, suffix: string) => string
  /** The same for a name from the metadata. */
  readonly givenRootField: (name: string) => string
  /** The field that contains the source's root fields, if metadata has one. */
  readonly namespace: string | undefined
}

/** The part of a name that identifies the table. A name from metadata keeps its letters, except after a prefix. */
export interface Stem {
  readonly name: string
  readonly isCustom: boolean
}

/** `schema_name` outside of `public`, unless metadata sets a name. */
export const stemOf = ({ schema, name }: QualifiedName, custom: string | undefined): Stem => ({
  name: custom ?? (schema === 'public' ? name : `${schema}_${name}`),
  isCustom: custom !== undefined,
})

/** The rules of Hasura's documentation ("Postgres: Naming Conventions") and of its customization of sources. */
export const createNaming = (
  { naming_convention, root_fields, type_names }: Customization = {},
  defaultConvention: NamingConvention = 'hasura-default',
): Naming =>
  (naming_convention ?? defaultConvention) === 'graphql-default'
    ? graphqlNaming(root_fields ?? {}, type_names ?? {})
    : hasuraNaming(root_fields ?? {}, type_names ?? {})

interface Affixes {
  readonly prefix?: string | undefined
  readonly suffix?: string | undefined
}

interface RootFieldsCustomization extends Affixes {
  readonly namespace?: string | undefined
}

function hasuraNaming(rootFields: RootFieldsCustomization, typeNames: Affixes): Naming {
  const within = ({ prefix = '', suffix = '' }: Affixes, name: string): string => prefix + name + suffix
  return {
    convention: 'hasura-default',
    field: (name) => name,
    type: (name) => name,
    enumValue: (name) => name,
    typeOf: ({ name }, suffix, prefix) => within(typeNames, snake([prefix, name, suffix])),
    rootField: ({ name }, prefix, suffix) => within(rootFields, snake([prefix, name, suffix])),
    givenRootField: (name) => within(rootFields, name),
    namespace: rootFields.namespace,
  }
}

const snake = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join('_')

function graphqlNaming(rootFields: RootFieldsCustomization, typeNames: Affixes): Naming {
  const within = ({ prefix, suffix = '' }: Affixes, name: string): string =>
    (prefix === undefined ? name : prefix + upperFirst(name)) + upperFirst(suffix)
  const stemParts = ({ name, isCustom }: Stem): readonly string[] => (isCustom ? [name] : words(name))
  const pascal = (parts: readonly string[]): string => parts.map(upperFirst).join('')
  return {
    convention: 'graphql-default',
    field: (name) => orAsItWas(name, camelCase(name)),
    type: (name) => pascal(words(name)),
    enumValue: (name) => orAsItWas(name, name.toUpperCase()),
    typeOf: (stem, suffix, prefix) => {
      const [first = '', ...rest] = stemParts(stem)
      const start =
        prefix === undefined
          ? stem.isCustom
            ? first
            : upperFirst(first)
          : upperFirst(prefix) + upperFirst(first)
      return within(typeNames, start + pascal([...rest, ...words(suffix ?? '')]))
    },
    rootField: (stem, prefix, suffix) => {
      const [first = '', ...rest] = stemParts(stem)
      const start = prefix === '' ? (stem.isCustom ? first : lowerFirst(first)) : prefix + upperFirst(first)
      return within(rootFields, start + pascal([...rest, ...words(suffix)]))
    },
    givenRootField: (name) => within(rootFields, name),
    namespace: rootFields.namespace,
  }
}

/** A leading underscore belongs to the first word. */
function words(name: string): readonly string[] {
  const [first = '', second, ...rest] = name.split('_')
  return first === '' && second !== undefined ? [`_${second}`, ...rest] : name.split('_')
}

function camelCase(name: string): string {
  const [first = '', ...rest] = words(name)
  return lowerFirst(first) + rest.map(upperFirst).join('')
}

const upperFirst = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
const lowerFirst = (word: string): string => word.slice(0, 1).toLowerCase() + word.slice(1)

const orAsItWas = (name: string, cased: string): string => (isGraphqlName(cased) ? cased : name)

export interface RootFieldNames {
  readonly select: string
  readonly selectByPk: string
  readonly selectAggregate: string
  readonly selectStream: string
  readonly selectConnection: string
  readonly insert: string
  readonly insertOne: string
  readonly update: string
  readonly updateByPk: string
  readonly updateMany: string
  readonly delete: string
  readonly deleteByPk: string
}

export function rootFieldNames(naming: Naming, stem: Stem, custom: CustomRootFields): RootFieldNames {
  const named = (field: keyof CustomRootFields, prefix: string, suffix: string): string => {
    const entry = custom[field]
    const given = typeof entry === 'string' ? entry : entry?.name
    return given == null ? naming.rootField(stem, prefix, suffix) : naming.givenRootField(given)
  }
  return {
    select: named('select', '', ''),
    selectByPk: named('select_by_pk', '', 'by_pk'),
    selectAggregate: named('select_aggregate', '', 'aggregate'),
    selectStream: named('select_stream', '', 'stream'),
    selectConnection: naming.rootField(stem, '', 'connection'),
    insert: named('insert', 'insert', ''),
    insertOne: named('insert_one', 'insert', 'one'),
    update: named('update', 'update', ''),
    updateByPk: named('update_by_pk', 'update', 'by_pk'),
    updateMany: named('update_many', 'update', 'many'),
    delete: named('delete', 'delete', ''),
    deleteByPk: named('delete_by_pk', 'delete', 'by_pk'),
  }
}

const customizable = [
  ['select', 'select'],
  ['select_by_pk', 'selectByPk'],
  ['select_aggregate', 'selectAggregate'],
  ['select_stream', 'selectStream'],
  ['insert', 'insert'],
  ['insert_one', 'insertOne'],
  ['update', 'update'],
  ['update_by_pk', 'updateByPk'],
  ['update_many', 'updateMany'],
  ['delete', 'delete'],
  ['delete_by_pk', 'deleteByPk'],
] as const satisfies readonly (readonly [keyof CustomRootFields, keyof RootFieldNames])[]

/** The metadata's comments on root fields, by field name. An empty comment removes the description. */
export const rootFieldComments = (
  names: RootFieldNames,
  custom: CustomRootFields,
): ReadonlyMap<string, string> =>
  new Map(
    customizable.flatMap(([key, field]): readonly [string, string][] => {
      const entry = custom[key]
      return typeof entry === 'object' && entry.comment !== undefined ? [[names[field], entry.comment]] : []
    }),
  )

/** The original name of an argument, input field or enum value, before the source's convention renames it. */
interface Named {
  readonly canonicalName?: string
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-empty-object-type
  interface GraphQLArgumentExtensions extends Named {}
  // oxlint-disable-next-line typescript/no-empty-object-type
  interface GraphQLInputFieldExtensions extends Named {}
  // oxlint-disable-next-line typescript/no-empty-object-type
  interface GraphQLEnumValueExtensions extends Named {}
}

/** Renames arguments, input fields or enum values by the convention. The planner uses their original names. */
export const renamed = <Config extends object>(
  configs: Readonly<Record<string, Config>>,
  rename: (name: string) => string,
): Record<string, Config> =>
  Object.fromEntries(
    Object.entries(configs).map(([name, config]) => {
      const given = rename(name)
      return [
        given,
        given === name ? config : { ...config, extensions: { ...extensionsOf(config), canonicalName: name } },
      ]
    }),
  )

const extensionsOf = (config: object): object =>
  'extensions' in config && typeof config.extensions === 'object' ? { ...config.extensions } : {}

export const canonicalName = ({
  name,
  extensions,
}: {
  readonly name: string
  readonly extensions: Named
}): string => extensions.canonicalName ?? name
