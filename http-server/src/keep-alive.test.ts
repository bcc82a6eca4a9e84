import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { keepAliveTimeoutBuffer } from './keep-alive.ts'

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

test('a request that waits while the event loop is busy for longer than the keep-alive time is answered', async () => {
  const server = createServer(
    { keepAliveTimeout: 100, keepAliveTimeoutBuffer },
    (_request, response) => void response.end('here'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    for (const busyMilliseconds of [0, 1_500]) {
      socket.write(request)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMilliseconds)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      expect(answer.toString()).toContain('200 OK')
    }
  } finally {
    socket.destroy()
    server.close()
  }
})
