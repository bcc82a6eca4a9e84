import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HasuraError } from '../hasura-error.ts'

/** Refuses on the bare socket, where there is no response to write to, and ends the connection. */
export function refuseSocket(socket: Duplex, { status, message, path, code }: HasuraError): void {
  const body = JSON.stringify({ extensions: { path, code }, message })
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  // Who is refused may be gone already.
  socket.once('error', () => undefined)
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}
