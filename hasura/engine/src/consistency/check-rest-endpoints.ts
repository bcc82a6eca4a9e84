import { Kind, OperationTypeNode, parse } from 'graphql'
import type { Json } from '../metadata/parse.ts'
import { findCollectionQuery } from '../metadata/edit-metadata.ts'
import type { Metadata, RestEndpoint } from '../metadata/types.ts'
import { parseRestPath, pathsOverlap, restPathProblem } from '../schema/rest-path.ts'
import type { Inconsistency } from '../snapshot.ts'
import { type Checked, restEndpointObject } from './metadata-object.ts'

/** An endpoint needs a valid URL that no other endpoint matches, and a query that exists. */
export function checkRestEndpoints(metadata: Metadata): Checked<RestEndpoint> {
  const inconsistencies: Inconsistency[] = []
  const sound = (metadata.rest_endpoints ?? []).filter((endpoint) => {
    const reason = restPathProblem(endpoint.url) ?? queryProblem(endpoint, metadata)
    if (reason !== undefined) inconsistencies.push({ ...restEndpointObject(endpoint), reason })
    return reason === undefined
  })
  const groups = ambiguousGroups(sound)
  const ambiguous = new Set(groups.flat())
  return {
    kept: sound.filter((endpoint) => !ambiguous.has(endpoint)),
    inconsistencies: [...inconsistencies, ...groups.map((group) => ambiguity(group, metadata))],
  }
}

function queryProblem({ name, definition }: RestEndpoint, metadata: Metadata): string | undefined {
  const { collection_name, query_name } = definition.query
  const found = findCollectionQuery(metadata, collection_name, query_name)
  const at = `Inconsistent object: in endpoint ${name}: `
  if (found === undefined)
    return `${at}query with name ${query_name} does not exist in collection ${collection_name}`
  switch (operationsOf(found)) {
    case 'invalid':
      return `${at}query with name ${query_name} is not a valid graphql query`
    case 'several':
      return `${at}query with name ${query_name} has several operations`
    case OperationTypeNode.SUBSCRIPTION:
      return `${at}query with name ${query_name} is a subscription`
    case OperationTypeNode.QUERY:
    case OperationTypeNode.MUTATION:
      return undefined
  }
}

function operationsOf(query: string): OperationTypeNode | 'invalid' | 'several' {
  try {
    const operations = parse(query, { noLocation: true }).definitions.filter(
      (definition) => definition.kind === Kind.OPERATION_DEFINITION,
    )
    const [only] = operations
    return only !== undefined && operations.length === 1 ? only.operation : 'several'
  } catch {
    return 'invalid'
  }
}

/** Groups of endpoints that overlap, directly or through other endpoints. */
function ambiguousGroups(endpoints: readonly RestEndpoint[]): readonly (readonly RestEndpoint[])[] {
  const groups: RestEndpoint[][] = []
  for (const endpoint of endpoints) {
    const near = groups.filter((group) => group.some((other) => overlap(endpoint, other)))
    for (const group of near) groups.splice(groups.indexOf(group), 1)
    groups.push([...near.flat(), endpoint])
  }
  return groups.filter((group) => group.length > 1)
}

const overlap = (one: RestEndpoint, other: RestEndpoint): boolean =>
  one.methods.some((method) => other.methods.includes(method)) &&
  pathsOverlap(parseRestPath(one.url), parseRestPath(other.url))

function ambiguity(group: readonly RestEndpoint[], metadata: Metadata): Inconsistency {
  const sorted = group.toSorted((a, b) => (a.url < b.url ? -1 : 1))
  const urls = sorted.map(({ url }) => url).join(', ')
  const conflicts = sorted.map(({ name, url, methods, comment, definition }): Json => {
    const { collection_name, query_name } = definition.query
    const query = findCollectionQuery(metadata, collection_name, query_name) ?? null
    return { definition: { query }, url, methods, name, comment: comment ?? null }
  })
  return {
    type: 'endpoint',
    name: `endpoints ${urls}`,
    reason: `Ambiguous URL paths: ${urls}`,
    definition: null,
    conflicts,
  }
}
