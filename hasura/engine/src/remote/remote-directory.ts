import {
  type GraphQLSchema,
  type IntrospectionQuery,
  buildClientSchema,
  getIntrospectionQuery,
} from 'graphql'
import type { Metadata, RemoteSchema } from '../metadata/types.ts'
import { type Environment, UnsetVariable } from '../webhook/environment.ts'
import { sendRemote } from './send-remote.ts'

/** A remote schema's introspection, or why it failed. */
type Introspection =
  | { readonly kind: 'introspected'; readonly schema: GraphQLSchema; readonly result: IntrospectionQuery }
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Introspections by the name of the remote schema. */
export type Introspections = ReadonlyMap<string, Introspection>

/** Caches the introspections of remote schemas, so that a change of metadata doesn't repeat all of them. */
export interface RemoteDirectory {
  /** Introspects remote schemas that are new or have a new definition. */
  introspect(metadata: Metadata): Promise<Introspections>
  /** Drops the introspection of a remote schema, so that the next time repeats it. */
  forget(name: string): void
}

interface Known {
  readonly definition: string
  readonly introspection: Introspection
}

export function createRemoteDirectory(environment: Environment): RemoteDirectory {
  const known = new Map<string, Known>()

  const look = async ({ name, definition }: RemoteSchema): Promise<Introspection> => {
    const text = JSON.stringify(definition)
    const found = known.get(name)
    if (found?.definition === text) return found.introspection
    const introspection = await introspectRemote(definition, environment)
    known.set(name, { definition: text, introspection })
    return introspection
  }

  return {
    introspect: async ({ remote_schemas: remotes = [] }) => {
      const names = new Set(remotes.map(({ name }) => name))
      for (const name of known.keys()) if (!names.has(name)) known.delete(name)
      return new Map(
        await Promise.all(remotes.map(async (remote) => [remote.name, await look(remote)] as const)),
      )
    },
    forget: (name) => {
      known.delete(name)
    },
  }
}

const query = getIntrospectionQuery({ descriptions: true })

async function introspectRemote(
  definition: RemoteSchema['definition'],
  environment: Environment,
): Promise<Introspection> {
  try {
    const answer = await sendRemote(definition, { query }, { environment })
    switch (answer.kind) {
      case 'unavailable':
        return { kind: 'unavailable', reason: answer.message }
      case 'errors':
        return { kind: 'unavailable', reason: answer.errors.map(({ message }) => message).join(', ') }
      case 'data': {
        const result = answer.data as unknown as IntrospectionQuery
        return { kind: 'introspected', schema: buildClientSchema(result), result }
      }
      default:
        return answer satisfies never
    }
  } catch (error) {
    // A variable is not set, or graphql-js can't build a schema from the introspection.
    if (error instanceof UnsetVariable || error instanceof Error)
      return { kind: 'unavailable', reason: error.message }
    throw error
  }
}
