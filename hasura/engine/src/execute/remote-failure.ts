import type { GraphQLError } from '../graphql-request.ts'
import type { RemoteError } from '../remote/send-remote.ts'
import { RequestFailure } from './request-failure.ts'

/** A remote schema's errors. As in Hasura, the whole operation fails with them. */
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

/** The error for a remote schema that doesn't answer: an error of the engine, not of the remote schema. */
export const remoteUnavailable = (name: string, reason: string): RequestFailure =>
  new RequestFailure({
    message: `the remote schema "${name}" does not answer: ${reason}`,
    extensions: { path: '$', code: 'remote-schema-error' },
  })

/** The extensions with numbers as JSON values; their raw text is only for JSON.stringify. */
const jsonOf = (extensions: RemoteError['extensions']): RemoteError['extensions'] =>
  JSON.parse(JSON.stringify(extensions ?? {})) as RemoteError['extensions']
