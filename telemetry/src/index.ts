export { createMetrics, type Metrics, type MetricSource, type Sample } from './metrics.ts'
export { type MetricsServer, serveMetrics } from './metrics-server.ts'
export type {
  DeliveryChannel,
  Observer,
  ProcessorOutcome,
  RequestOutcome,
  ServedRequest,
} from './observations.ts'
