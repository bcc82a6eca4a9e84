import { z } from 'zod'

const port = z
  .string()
  .regex(/^\d+$/, 'must be a port number')
  .transform(Number)
  .refine((value) => value >= 1 && value <= 65_535, { error: 'must be from 1 to 65535' })

/** The environment variables about metrics. */
export const telemetryVariables = {
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
}

/** Where Prometheus finds the metrics. */
export interface MetricsAddress {
  readonly port: number
  readonly host: string
}

interface TelemetryValues {
  readonly METRICS_PORT?: number | undefined
  readonly METRICS_HOST: string
}

export const metricsOf = ({ METRICS_PORT, METRICS_HOST }: TelemetryValues): MetricsAddress | undefined =>
  METRICS_PORT === undefined ? undefined : { port: METRICS_PORT, host: METRICS_HOST }
