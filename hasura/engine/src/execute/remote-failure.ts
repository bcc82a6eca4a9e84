import type { GraphQLError } from '../graphql-request.ts'
import type { RemoteError } from '../remote/send-remote.ts'
import { RequestFailure } from './request-failure.ts'

/** A remote schema has refused. The whole operation fails with its words, as in Hasura. */
export class RemoteFailure extends Error {
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super(errors.map(({ message }) => message).join(', '))
    this.errors = errors
  }
}

export const remoteRefusal = (errors: readonly RemoteError[]): RemoteFailure =>
  new RemoteFailure(
    errors.map(({ message, extensions }) => ({
      message,
      extensions: { path: '$', code: 'remote-schema-error', ...jsonOf(extensions) },
    })),
  )

/** A remote schema was not there, which is the engine's own error and no answer of the remote schema. */
export const remoteUnavailable = (name: string, reason: string): RequestFailure =>
  new RequestFailure({
    message: `the remote schema "${name}" does not answer: ${reason}`,
    extensions: { path: '$', code: 'remote-schema-error' },
  })

/** Without what was kept as text, which is for JSON.stringify alone. */
const jsonOf = (extensions: RemoteError['extensions']): RemoteError['extensions'] =>
  JSON.parse(JSON.stringify(extensions ?? {})) as RemoteError['extensions']
