import { randomUUID } from 'node:crypto'

/**
 * The id that a request is known by in the answer and in the log: the caller's `x-request-id`, so that a trace can
 * go on through us, or a new one. One that could forge log lines or headers is not taken over.
 */
export const requestIdFrom = (header: string | string[] | undefined): string =>
  typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : randomUUID()
