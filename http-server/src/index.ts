export {
  boundConnections,
  boundSending,
  type ConnectionBounds,
  type ConnectionRefusal,
  type SendingBounds,
} from './connection-bounds.ts'
export { compress, minCompressedBytes } from './compress.ts'
export { inNetworks } from './in-networks.ts'
export { networkOf } from './network-of.ts'
export { cachedCheck } from './cached-check.ts'
export { type ServerStop, stopping, type StopOptions } from './stop-server.ts'
export { keepAliveTimeoutBuffer } from './keep-alive.ts'
