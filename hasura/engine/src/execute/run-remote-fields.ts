import type { RootField } from '../plan/root-field.ts'
import type { RemoteCaller } from '../remote/send-remote.ts'
import { askRemote, shaped } from './ask-remote.ts'

type RemoteField = Extract<RootField, { kind: 'remote' }>

export interface RemoteFieldAnswer {
  readonly key: string
  readonly value: unknown
  readonly cookies: readonly string[]
}

/**
 * Runs root fields of remote schemas. Neighbouring fields of one remote schema are one request; each namespace is one
 * request.
 */
export async function runRemoteFields(
  fields: readonly RemoteField[],
  caller: RemoteCaller,
): Promise<readonly RemoteFieldAnswer[]> {
  const answers: RemoteFieldAnswer[] = []
  for (const group of requests(fields)) answers.push(...(await askTogether(group, caller)))
  return answers
}

function requests(fields: readonly RemoteField[]): readonly (readonly RemoteField[])[] {
  const groups: RemoteField[][] = []
  for (const field of fields) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && fitsTogether(last[0], field)) last.push(field)
    else groups.push([field])
  }
  return groups
}

/** Variables are numbered for each field, so two fields with variables can't share a request. */
const fitsTogether = (one: RemoteField, other: RemoteField): boolean =>
  one.remote === other.remote &&
  !one.isNamespace &&
  !other.isNamespace &&
  other.selection.variables.definitions.length === 0

async function askTogether(
  group: readonly RemoteField[],
  caller: RemoteCaller,
): Promise<readonly RemoteFieldAnswer[]> {
  const [first] = group
  if (first === undefined) return []
  const { remote, operation, isNamespace, selection } = first
  const nodes = group.flatMap((field) => field.selection.nodes)
  // All fields of the namespace were left out by @include or @skip.
  if (nodes.length === 0) return [{ key: first.key, value: {}, cookies: [] }]
  const { variables } = selection
  const { data, cookies } = await askRemote(remote, { operation, nodes, variables }, caller)
  if (isNamespace) return [{ key: first.key, value: shaped(data, selection.shape, remote), cookies }]
  return group.map((field, index) => {
    const own = shaped({ [field.key]: data[field.key] ?? null }, field.selection.shape, remote)
    const value = (own as Readonly<Record<string, unknown>>)[field.key]
    return { key: field.key, value, cookies: index === 0 ? cookies : [] }
  })
}
