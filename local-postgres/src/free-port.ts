import { createServer } from 'node:net'

/** Whether nothing listens on the port of the loopback address. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== undefined
}

/** A port that was free a moment ago; who binds it should be ready to find it taken. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0)
  if (port === undefined) throw new Error('The system has no free port')
  return port
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const bound = typeof address === 'object' && address !== null ? address.port : undefined
      server.close(() => resolve(bound))
    })
  })
}
