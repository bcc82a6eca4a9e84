import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { CatalogueError } from '@commerce-graph/contract/errors'
import { refusalBody } from '../errors/error-body.ts'
import { requestIdFrom } from './request-id.ts'

/** Refuses on the bare socket, where node:http has no response to write to, and ends the connection. */
export function refuseSocket(socket: Duplex, error: CatalogueError): void {
  const requestId = requestIdFrom(undefined)
  const body = refusalBody([error], { requestId, now: Date.now() })
  // A refused client may have disconnected already.
  socket.once('error', () => undefined)
  socket.end(
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  )
}
