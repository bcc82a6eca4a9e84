import type { TracingOptions } from '@commerce-graph/telemetry/tracing'
import { z } from 'zod'
import { url } from './url-variable.ts'

const port = z
  .string()
  .regex(/^\d+$/, 'must be a port number')
  .transform(Number)
  .refine((value) => value >= 1 && value <= 65_535, { error: 'must be from 1 to 65535' })

const milliseconds = z
  .string()
  .regex(/^\d+$/, 'must be a number of milliseconds')
  .transform(Number)
  .refine((value) => value >= 1 && value <= 3_600_000, { error: 'must be from 1 to 3600000 milliseconds' })

/** The environment variables about metrics and traces. OpenTelemetry gave those of traces their names. */
export const telemetryVariables = {
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/, 'http://127.0.0.1:4318').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .regex(/^[^=,]+=[^=,]*(,[^=,]+=[^=,]*)*$/, 'must be headers like name=value,name=value')
    .transform(
      (text) =>
        Object.fromEntries(
          text.split(',').map((pair) => pair.split('=').map((part) => decodeURIComponent(part.trim()))),
        ) as Record<string, string>,
    )
    .optional(),
  SLOW_REQUEST_MILLISECONDS: milliseconds.default(1_000),
  SLOW_STATEMENT_MILLISECONDS: milliseconds.default(500),
  OTEL_SERVICE_NAME: z.string().default('commerce-graph'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .refine((ratio) => ratio >= 0 && ratio <= 1, { error: 'must be a share from 0 to 1' })
    .default(1),
}

/** Where Prometheus finds the metrics. */
export interface MetricsAddress {
  readonly port: number
  readonly host: string
}

type TelemetryValues = z.output<z.ZodObject<typeof telemetryVariables>>

export const metricsOf = ({
  METRICS_PORT,
  METRICS_HOST,
}: Pick<TelemetryValues, 'METRICS_PORT' | 'METRICS_HOST'>): MetricsAddress | undefined =>
  METRICS_PORT === undefined ? undefined : { port: METRICS_PORT, host: METRICS_HOST }

/** Where traces are sent to; undefined: nowhere, and none are recorded. */
export const tracingOf = (values: TelemetryValues): TracingOptions | undefined =>
  values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? undefined
    : {
        endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: values.OTEL_EXPORTER_OTLP_HEADERS,
        serviceName: values.OTEL_SERVICE_NAME,
        ratio: values.OTEL_TRACES_SAMPLER_ARG,
      }

/** From how many milliseconds on requests, calls of actions and statements are logged as slow. */
export interface SlowThresholds {
  readonly request: number
  readonly statement: number
}

export const slowOf = (values: TelemetryValues): SlowThresholds => ({
  request: values.SLOW_REQUEST_MILLISECONDS,
  statement: values.SLOW_STATEMENT_MILLISECONDS,
})
