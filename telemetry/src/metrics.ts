import { Counter, Gauge, Histogram, Registry, Summary, collectDefaultMetrics } from 'prom-client'
import type { Observer, ServedRequest } from './observations.ts'

/** Values that are read when Prometheus asks, like the depth of a queue. */
export interface MetricSource {
  /** Its label in `commerce_source_up`. */
  readonly name: string
  readonly gauges: Readonly<Record<string, MetricDescription>>
  /** Counts since the start of the process; none if absent. */
  readonly counters?: Readonly<Record<string, MetricDescription>>
  /** Rejects if the values can't be read now: the scrape then has none of this source. */
  readonly read: () => Promise<Readonly<Record<string, readonly Sample[]>>>
}

export interface MetricDescription {
  readonly help: string
  readonly labels: readonly string[]
}

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

export interface Metrics {
  readonly observer: Observer
  addSource(source: MetricSource): void
  /** The metrics as Prometheus' text. */
  text(): Promise<string>
  readonly contentType: string
}

/** Operation names that have a series of their own. Clients choose the names, so later ones count as `other`. */
const maxOperationNames = 200
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Fewer, because each root field of the contract has them. */
const fieldBuckets = [0.01, 0.05, 0.1, 0.5, 1, 5]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const sources: (() => Promise<void>)[] = []
  return {
    observer: createObserver(registry),
    contentType: registry.contentType,
    addSource(source) {
      sources.push(sourceReader(registry, source))
    },
    async text() {
      await Promise.all(sources.map((read) => read()))
      return registry.metrics()
    },
  }
}

function createObserver(registry: Registry): Observer {
  const registers = [registry]
  const events = new Counter({
    name: 'commerce_events_total',
    help: 'Events by topic, such as order.created, payment.succeeded and refund.created',
    labelNames: ['topic'],
    registers,
  })
  const calls = new Counter({
    name: 'commerce_processor_calls_total',
    help: 'Calls of payment processors: answered, unanswered, or left_alone while the circuit is open',
    labelNames: ['processor', 'outcome'],
    registers,
  })
  const rests = new Gauge({
    name: 'commerce_processor_left_alone_until_timestamp_seconds',
    help: 'Until when calls of a payment processor are not made because it does not answer',
    labelNames: ['processor'],
    registers,
  })
  const deliveries = new Counter({
    name: 'commerce_deliveries_total',
    help: 'Attempts to send e-mails, pushes and webhooks, by outcome',
    labelNames: ['channel', 'outcome'],
    registers,
  })
  return {
    request: requestObserver(registry),
    events(byTopic) {
      for (const [topic, count] of Object.entries(byTopic)) events.inc({ topic }, count)
    },
    processorCall: (processor, outcome) => calls.inc({ processor, outcome }),
    processorRests: (processor, milliseconds) =>
      rests.set({ processor }, (Date.now() + milliseconds) / 1_000),
    delivery: (channel, outcome) => deliveries.inc({ channel, outcome }),
  }
}

function requestObserver(registry: Registry): Observer['request'] {
  const { requests, seconds, fields, fieldSeconds, operations, operationSeconds, errors, userErrors } =
    requestMetrics(registry)
  const operationNames = new Set<string>()
  const operationOf = ({ operationName }: ServedRequest): string => {
    if (operationName === null) return 'unnamed'
    if (operationNames.size < maxOperationNames) operationNames.add(operationName)
    return operationNames.has(operationName) ? operationName : 'other'
  }
  return (request) => {
    const { kind, outcome } = request
    const duration = request.milliseconds / 1_000
    requests.inc({ kind, outcome })
    seconds.observe({ kind }, duration)
    for (const { name: field, outcome: fieldOutcome } of request.fields) {
      fields.inc({ kind, field, outcome: fieldOutcome })
      fieldSeconds.observe({ kind, field }, duration)
    }
    for (const code of request.errors) errors.inc({ code })
    for (const { field, code } of request.userErrors) userErrors.inc({ field, code })
    if (kind === 'unread') return
    const operation = operationOf(request)
    operations.inc({ operation, outcome })
    operationSeconds.observe({ operation }, duration)
  }
}

function requestMetrics(registry: Registry) {
  const registers = [registry]
  return {
    requests: new Counter({
      name: 'commerce_requests_total',
      help: 'Requests to the contract; refused: the client’s fault, failed: the platform’s, gone: the client left',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    seconds: new Histogram({
      name: 'commerce_request_duration_seconds',
      help: 'From the head of a request to its answer',
      labelNames: ['kind'],
      buckets: requestBuckets,
      registers,
    }),
    fields: new Counter({
      name: 'commerce_field_requests_total',
      help: 'Uses of each root field of the contract',
      labelNames: ['kind', 'field', 'outcome'],
      registers,
    }),
    fieldSeconds: new Histogram({
      name: 'commerce_field_duration_seconds',
      help: 'The duration of the requests that a root field was part of',
      labelNames: ['kind', 'field'],
      buckets: fieldBuckets,
      registers,
    }),
    operations: new Counter({
      name: 'commerce_operation_requests_total',
      help: `Requests by the client’s name of the operation; the first ${maxOperationNames} names, then other`,
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    operationSeconds: new Summary({
      name: 'commerce_operation_duration_seconds',
      help: 'The duration of requests by the client’s name of the operation',
      labelNames: ['operation'],
      percentiles: [],
      registers,
    }),
    errors: new Counter({
      name: 'commerce_errors_total',
      help: 'Errors in answers, by their id in docs/errors.md',
      labelNames: ['code'],
      registers,
    }),
    userErrors: new Counter({
      name: 'commerce_user_errors_total',
      help: 'User errors in the payloads of mutations, such as INSUFFICIENT_INVENTORY',
      labelNames: ['field', 'code'],
      registers,
    }),
  }
}

/** Reads a source into its gauges and counters. Old values never stand in for ones that can't be read. */
function sourceReader(
  registry: Registry,
  { name, gauges, counters = {}, read }: MetricSource,
): () => Promise<void> {
  const registers = [registry]
  const up =
    (registry.getSingleMetric('commerce_source_up') as Gauge<'source'> | undefined) ??
    new Gauge({
      name: 'commerce_source_up',
      help: 'Whether the values of a source could be read at this scrape',
      labelNames: ['source'],
      registers,
    })
  const opened = Object.entries(gauges).map(
    ([metric, { help, labels }]) =>
      [metric, new Gauge({ name: metric, help, labelNames: [...labels], registers })] as const,
  )
  const counted = Object.entries(counters).map(
    ([metric, { help, labels }]) =>
      [metric, new Counter({ name: metric, help, labelNames: [...labels], registers })] as const,
  )
  return async () => {
    const values = await read().catch(() => null)
    up.set({ source: name }, values === null ? 0 : 1)
    for (const [metric, gauge] of opened) {
      // A gauge without labels is 0 after a reset; only its removal leaves nothing.
      if (gauges[metric]?.labels.length === 0) gauge.remove()
      else gauge.reset()
      for (const { labels = {}, value } of values?.[metric] ?? []) gauge.set({ ...labels }, value)
    }
    for (const [metric, counter] of counted) {
      counter.reset()
      for (const { labels = {}, value } of values?.[metric] ?? []) counter.inc({ ...labels }, value)
    }
  }
}
