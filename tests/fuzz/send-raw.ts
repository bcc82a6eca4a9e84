import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RawRequest } from './raw-requests.ts'

/** Longer than the target waits for an incomplete request. */
const timeoutMs = 15_000
const maxAnswerBytes = 5_000_000

/** Sends bytes over a new socket and reads until it ends. Null if it is still open after the time-out. */
export async function sendRaw(port: number, { pieces, pause, then }: RawRequest): Promise<Buffer | null> {
  // Some of these requests test a half-open connection.
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const answer: Buffer[] = []
  let size = 0
  socket.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size < maxAnswerBytes) answer.push(chunk)
    else socket.destroy()
  })
  // The server may cut the connection at any moment: that counts as an answer.
  socket.on('error', () => undefined)
  const ended = Promise.race([once(socket, 'end'), once(socket, 'close')]).then(() => true)
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  for (const piece of pieces) {
    if (!socket.writable) break
    socket.write(piece)
    if (pause > 0) await sleep(pause)
  }
  if (then === 'half-close') socket.end()
  if (then === 'reset') {
    await sleep(1)
    socket.resetAndDestroy()
  }
  const inTime = await Promise.race([ended, sleep(timeoutMs, false, { ref: false })])
  socket.destroy()
  return inTime ? Buffer.concat(answer) : null
}
