import { type GatewayOptions, startGateway } from '@commerce-graph/gateway'

/** A gateway in this process, over the data layer that is given. Returns its endpoint's URL. */
export async function startLocalGateway(
  started: AsyncDisposableStack,
  options: Omit<GatewayOptions, 'port' | 'host' | 'firstQuery'>,
): Promise<string> {
  const gateway = await startGateway({ ...options, port: 0, host: '127.0.0.1', firstQuery: '' })
  started.defer(() => gateway.stop({ graceMilliseconds: 0 }))
  return `http://127.0.0.1:${gateway.port}/graphql`
}
