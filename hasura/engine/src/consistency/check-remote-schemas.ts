import { isSpecifiedScalarType, isScalarType } from 'graphql'
import { displayName, qualifiedKey } from '../metadata/qualified-name.ts'
import {
  type RelationshipTarget,
  argumentVariables,
  relationshipTarget,
} from '../metadata/relationship-target.ts'
import type { Metadata, RemoteRelationship, RemoteSchema } from '../metadata/types.ts'
import { permittedSchema } from '../remote/permitted-schema.ts'
import type { Introspections } from '../remote/remote-directory.ts'
import { type RoleRemote, roleRemotes } from '../remote/role-remote.ts'
import { fieldAt } from '../schema/remote-graph.ts'
import { buildRoleSchema } from '../schema/role-schema.ts'
import type { SourceModel } from '../schema/source-model.ts'
import { adminRole } from '../session/types.ts'
import type { Inconsistency } from '../snapshot.ts'
import {
  inconsistency,
  remoteRelationshipObject,
  remoteSchemaObject,
  remoteSchemaPermissionObject,
  remoteTypeRelationshipObject,
} from './metadata-object.ts'
import { type CheckedTable, type TrackedTable, withKept } from './tracked-tables.ts'

/**
 * A remote schema must answer, and its names must not be taken. Permissions and relationships into it are checked
 * against its introspection. `metadata` is the part that was found consistent so far.
 */
export function checkRemoteSchemas(
  metadata: Metadata,
  introspections: Introspections,
  source: SourceModel,
): { readonly kept: readonly RemoteSchema[]; readonly inconsistencies: readonly Inconsistency[] } {
  const inconsistencies: Inconsistency[] = []
  let kept: readonly RemoteSchema[] = []
  for (const remote of metadata.remote_schemas ?? []) {
    const problem = remoteProblem(remote, kept, metadata, introspections, source)
    if (problem !== undefined) inconsistencies.push(inconsistency(remoteSchemaObject(remote), problem))
    else kept = [...kept, withValidPermissions(remote, introspections, inconsistencies)]
  }
  const remotes = roleRemotes({ remote_schemas: kept }, introspections, adminRole, {
    permissionsEnabled: false,
  })
  return {
    kept: kept.map((remote) => withValidRelationships(remote, remotes, source, inconsistencies)),
    inconsistencies,
  }
}

function remoteProblem(
  remote: RemoteSchema,
  others: readonly RemoteSchema[],
  metadata: Metadata,
  introspections: Introspections,
  source: SourceModel,
): string | undefined {
  if (others.some(({ name }) => name === remote.name))
    return `multiple definitions in metadata for remote schema "${remote.name}"`
  const introspection = introspections.get(remote.name)
  if (introspection?.kind !== 'introspected') return introspection?.reason ?? 'it has not been asked yet'
  const [own] = adminRemotes([remote], introspections)
  return own && nameConflict(own, adminRemotes(others, introspections), metadata, source)
}

const adminRemotes = (remotes: readonly RemoteSchema[], introspections: Introspections) =>
  roleRemotes(
    { remote_schemas: remotes.map((remote) => ({ ...remote, remote_relationships: [] })) },
    introspections,
    adminRole,
    { permissionsEnabled: false },
  )

/** Conflicts of the remote schema's types and root fields with those that admin already has. */
function nameConflict(
  remote: RoleRemote,
  others: readonly RoleRemote[],
  metadata: Metadata,
  source: SourceModel,
): string | undefined {
  const options = {
    api: 'graphql',
    role: adminRole,
    backendOnly: false,
    inferFunctionPermissions: true,
  } as const
  const taken = buildRoleSchema(metadata, source, options, others).schema
  const { schema } = buildRoleSchema(
    { version: 3, sources: [] },
    { ...source, tables: new Map(), functions: [], nativeQueries: [] },
    options,
    [remote],
  )
  const rootFields = (root: typeof schema) => [
    ...Object.keys(root.getQueryType()?.getFields() ?? {}),
    ...Object.keys(root.getMutationType()?.getFields() ?? {}),
  ]
  const known = new Set(rootFields(taken))
  const field = rootFields(schema).find((name) => known.has(name) && name !== 'no_queries_available')
  if (field !== undefined)
    return `field "${field}" is already there; give the remote schema a namespace or a prefix`
  const type = Object.values(schema.getTypeMap()).find((each) => {
    const other = taken.getType(each.name)
    const isShared =
      each.name.startsWith('__') ||
      ['query_root', 'mutation_root', 'subscription_root'].includes(each.name) ||
      isSpecifiedScalarType(each) ||
      (isScalarType(each) && isScalarType(other))
    return other !== undefined && !isShared
  })
  return type && `Found conflicting definitions for "${type.name}"; give its types a prefix`
}

function withValidPermissions(
  remote: RemoteSchema,
  introspections: Introspections,
  inconsistencies: Inconsistency[],
): RemoteSchema {
  const introspection = introspections.get(remote.name)
  if (remote.permissions === undefined || introspection?.kind !== 'introspected') return remote
  const permissions = remote.permissions.filter((permission) => {
    const checked = permittedSchema(permission.definition.schema, introspection.schema)
    if (checked.kind === 'invalid')
      inconsistencies.push(
        inconsistency(
          remoteSchemaPermissionObject(remote.name, permission),
          `validation for the given role-based schema failed: ${checked.problems.join('; ')}`,
        ),
      )
    return checked.kind === 'permitted'
  })
  return { ...remote, permissions }
}

function withValidRelationships(
  remote: RemoteSchema,
  remotes: readonly RoleRemote[],
  source: SourceModel,
  inconsistencies: Inconsistency[],
): RemoteSchema {
  const upstream = remotes.find(({ name }) => name === remote.name)?.upstream
  if (remote.remote_relationships === undefined || upstream === undefined) return remote
  return {
    ...remote,
    remote_relationships: remote.remote_relationships.map(({ type_name: typeName, relationships }) => ({
      type_name: typeName,
      relationships: relationships.filter((relationship) => {
        const type = upstream.getType(typeName)
        const known = type !== undefined && 'getFields' in type ? Object.keys(type.getFields()) : undefined
        const problem =
          known === undefined
            ? `the remote schema has no type "${typeName}"`
            : relationshipProblem(relationship, known, remotes, source)
        if (problem !== undefined)
          inconsistencies.push(
            inconsistency(remoteTypeRelationshipObject(remote.name, typeName, relationship), problem),
          )
        return problem === undefined
      }),
    })),
  }
}

function relationshipProblem(
  relationship: RemoteRelationship,
  known: readonly string[],
  remotes: readonly RoleRemote[],
  source: SourceModel,
): string | undefined {
  const target = relationshipTarget(relationship)
  if (target === undefined) return 'the definition is neither to_remote_schema nor to_source'
  return target.kind === 'source'
    ? sourceProblem(target, known, source)
    : remoteTargetProblem(target, known, remotes)
}

function sourceProblem(
  { table, mapping }: Extract<RelationshipTarget, { kind: 'source' }>,
  known: readonly string[],
  source: SourceModel,
): string | undefined {
  const found = source.tables.get(qualifiedKey(table))
  if (found === undefined) return `table "${displayName(table)}" is not tracked`
  const own = Object.keys(mapping).find((name) => !known.includes(name))
  if (own !== undefined) return `field "${own}" does not exist`
  const column = Object.values(mapping).find((name) => !found.columnsByName.has(name))
  return column === undefined
    ? undefined
    : `column "${column}" does not exist in table "${displayName(table)}"`
}

function remoteTargetProblem(
  { remoteSchema, lhsFields, steps }: Extract<RelationshipTarget, { kind: 'remote-schema' }>,
  known: readonly string[],
  remotes: readonly RoleRemote[],
): string | undefined {
  const remote = remotes.find(({ name }) => name === remoteSchema)
  if (remote === undefined) return `remote schema "${remoteSchema}" does not exist`
  const own = lhsFields.find((name) => !known.includes(name))
  if (own !== undefined) return `field "${own}" does not exist`
  for (const [index, { field, arguments: given }] of steps.entries()) {
    const found = fieldAt({ permitted: remote.upstream }, steps.slice(0, index + 1))
    if (found === undefined) return `field "${field}" does not exist in remote schema "${remoteSchema}"`
    const argument = Object.keys(given).find((name) => !found.args.some((each) => each.name === name))
    if (argument !== undefined) return `argument "${argument}" does not exist in field "${field}"`
    const variable = argumentVariables(given).find((name) => !lhsFields.includes(name))
    if (variable !== undefined) return `"$${variable}" is not among lhs_fields`
  }
  return undefined
}

/** Checks a table's relationships into remote schemas. */
export function checkTableRelationships(
  source: string,
  table: TrackedTable,
  remotes: readonly RemoteSchema[],
  introspections: Introspections,
): CheckedTable {
  const { metadata, catalog } = table
  if (metadata.remote_relationships === undefined) return { table, inconsistencies: [] }
  const inconsistencies: Inconsistency[] = []
  const known = adminRemotes(remotes, introspections)
  const columns = catalog.columns.map(({ name }) => name)
  const remoteRelationships = metadata.remote_relationships.filter((relationship) => {
    const target = relationshipTarget(relationship)
    const problem =
      target?.kind === 'remote-schema'
        ? remoteTargetProblem(target, columns, known)
        : 'the embedded engine has one source, and relationships of its tables to remote schemas'
    if (problem !== undefined)
      inconsistencies.push(
        inconsistency(remoteRelationshipObject(source, metadata.table, relationship), problem),
      )
    return problem === undefined
  })
  return withKept(table, { remote_relationships: remoteRelationships }, inconsistencies)
}
