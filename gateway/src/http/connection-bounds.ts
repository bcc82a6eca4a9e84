import { boundConnections, type ConnectionBounds } from '@commerce-graph/http-server'
import type { Server } from 'node:http'
import {
  type CatalogueError,
  catalogueError,
  unexpectedError,
  withStatus,
} from '@commerce-graph/contract/errors'
import type { Limits } from '../limits/limits.ts'
import { refuseSocket } from './refuse-socket.ts'

export type IsTrustedProxy = ConnectionBounds['isTrustedProxy']

/** Bounds the gateway's connections, and tells in the catalogue's words why one isn't taken. */
export function boundGatewayConnections(
  server: Server,
  { connections, connectionsPerAddress }: Pick<Limits, 'connections' | 'connectionsPerAddress'>,
  isTrustedProxy: IsTrustedProxy,
): void {
  boundConnections(server, {
    connections,
    connectionsPerAddress,
    isTrustedProxy,
    refuse: (socket, refusal) =>
      refuseSocket(
        socket,
        refusal === 'too_many'
          ? withStatus(unexpectedError(), 503)
          : tooManyFromOneAddress(connectionsPerAddress),
      ),
  })
}

function tooManyFromOneAddress(bound: number): CatalogueError {
  const reason = `At most ${bound} connections may be open from one address`
  return catalogueError('SVC_RATE_001', { time: 'closing others' }, { reason, limit: 'connections' })
}
