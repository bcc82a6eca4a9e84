import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { CompositePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { B3InjectEncoding, B3Propagator } from '@opentelemetry/propagator-b3'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  TracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import { installTracer, type SpanOptions, type Tracer } from './tracer.ts'

export interface TracingOptions {
  /** The collector's address, without `/v1/traces`. */
  readonly endpoint: string
  /** Headers for the collector, such as a key. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly serviceName: string
  /** The share of traces that is recorded, from 0 to 1. */
  readonly ratio: number
}

export interface Tracing {
  /** Sends what is recorded, for a few seconds at most, and ends. */
  stop(): Promise<void>
}

/** Spans that wait for the collector. While it is away, later ones are dropped. */
const maxQueued = 8_192
/** Milliseconds. */
const exportTimeout = 5_000
const flushEvery = 2_000

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const

/** From now on the process's tracer records spans, and sends them by OTLP over HTTP. */
export function startTracing({ endpoint, headers, serviceName, ratio }: TracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: exportTimeout,
  })
  const byRatio = new TraceIdRatioBasedSampler(ratio)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    // A client can ask not to be recorded, but not to be: the trace's id decides, so that all services decide alike.
    sampler: new ParentBasedSampler({
      root: byRatio,
      remoteParentSampled: byRatio,
      remoteParentNotSampled: new AlwaysOffSampler(),
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: maxQueued,
        scheduledDelayMillis: flushEvery,
        exportTimeoutMillis: exportTimeout,
      }),
    ],
  })
  const manager = new AsyncLocalStorageContextManager().enable()
  context.setGlobalContextManager(manager)
  propagation.setGlobalPropagator(
    new CompositePropagator({
      propagators: [
        new B3Propagator({ injectEncoding: B3InjectEncoding.MULTI_HEADER }),
        new W3CTraceContextPropagator(),
      ],
    }),
  )
  const uninstall = installTracer(tracerOf(provider))
  return {
    async stop() {
      uninstall()
      // A collector that is away must not hold up the stop, and what it misses is no reason to fail.
      await provider.shutdown().catch(() => undefined)
      context.disable()
      propagation.disable()
    },
  }
}

function tracerOf(provider: TracerProvider): Tracer {
  const spans = provider.getTracer('commerce-graph')
  return {
    span: (name, options, work) => {
      const parent = parentContext(options)
      const span = spans.startSpan(
        name,
        { kind: kinds[options.kind ?? 'internal'], attributes: { ...options.attributes } },
        parent,
      )
      return context.with(trace.setSpan(parent, span), () => ended(span, work))
    },
    note(attributes, name) {
      const span = trace.getActiveSpan()
      span?.setAttributes({ ...attributes })
      if (name !== undefined) span?.updateName(name)
    },
    current() {
      const position = trace.getActiveSpan()?.spanContext()
      return (
        position && {
          traceId: position.traceId,
          spanId: position.spanId,
          sampled: (position.traceFlags & 1) === 1,
        }
      )
    },
  }
}

function parentContext({ parent }: SpanOptions): Context {
  if (parent === undefined) return context.active()
  return parent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, parent)
}

async function ended<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    span.setStatus({ code: SpanStatusCode.ERROR, message })
    throw error
  } finally {
    span.end()
  }
}
