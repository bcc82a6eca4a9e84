export type { Metrics, MetricSource, Sample } from './metrics.ts'
export type {
  DeliveryChannel,
  Observer,
  ProcessorOutcome,
  RequestOutcome,
  ServedRequest,
} from './observations.ts'
export { parentFrom, storedPosition, traceHeaders, tracer } from './tracer.ts'
