import { type SelectionNode, print } from 'graphql'
import type { RemoteShape, RemoteVariables } from '../plan/remote-joins.ts'
import { isRawNumber } from '../exact-json.ts'
import { remoteDocument, withPresets } from '../remote/remote-document.ts'
import type { RoleRemote } from '../remote/role-remote.ts'
import { type RemoteCaller, sendRemote } from '../remote/send-remote.ts'
import { UnsetVariable } from '../webhook/environment.ts'
import { remoteRefusal, remoteUnavailable } from './remote-failure.ts'

export interface RemoteQuestion {
  readonly operation: 'query' | 'mutation'
  readonly nodes: readonly SelectionNode[]
  readonly variables: RemoteVariables
}

export interface RemoteData {
  readonly data: Readonly<Record<string, unknown>>
  readonly cookies: readonly string[]
}

/**
 * Sends a query with the role's presets to a remote schema. Throws RemoteFailure for its errors, RequestFailure without
 * an answer.
 */
export async function askRemote(
  remote: RoleRemote,
  { operation, nodes, variables }: RemoteQuestion,
  caller: RemoteCaller,
): Promise<RemoteData> {
  const asked = remoteDocument(operation, nodes, variables.definitions)
  const { document, values } = withPresets(asked, variables, remote, caller.sessionVariables ?? {})
  try {
    const answer = await sendRemote(remote.definition, { query: print(document), variables: values }, caller)
    switch (answer.kind) {
      case 'data':
        return answer
      case 'errors':
        throw remoteRefusal(answer.errors)
      case 'unavailable':
        throw remoteUnavailable(remote.name, answer.message)
      default:
        return answer satisfies never
    }
  } catch (error) {
    if (error instanceof UnsetVariable) throw remoteUnavailable(remote.name, error.message)
    throw error
  }
}

/**
 * A remote schema's value as clients see it: with customised type names, with markers in place of relationships, and
 * without the fields that were fetched only for them.
 */
export function shaped(value: unknown, shape: RemoteShape, remote: RoleRemote): unknown {
  if (Array.isArray(value)) return value.map((item) => shaped(item, shape, remote))
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  const own = value as Readonly<Record<string, unknown>>
  const result: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(own)) {
    const join = shape.joins.get(key)
    if (join !== undefined)
      result[join.key] = {
        [join.marker]: Object.fromEntries(join.values.map(({ name, key: at }) => [name, own[at]])),
      }
    if (shape.hidden.has(key)) continue
    const inner = shape.fields.get(key)
    if (shape.typeNames.has(key) && typeof member === 'string') result[key] = remote.names.typeName(member)
    else result[key] = inner === undefined ? member : shaped(member, inner, remote)
  }
  return result
}
