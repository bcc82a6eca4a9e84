import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HasuraError } from '../hasura-error.ts'

/** Writes a refusal to the bare socket, which has no response object yet, and ends the connection. */
export function refuseSocket(socket: Duplex, { status, message, path, code }: HasuraError): void {
  const body = JSON.stringify({ extensions: { path, code }, message })
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  // The client may have closed the connection already.
  socket.once('error', () => undefined)
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}
