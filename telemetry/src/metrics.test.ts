import { describe, expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'
import { serveMetrics } from './metrics-server.ts'
import type { ServedRequest } from './observations.ts'

const request = (given: Partial<ServedRequest> = {}): ServedRequest => ({
  requestId: 'r-1',
  kind: 'query',
  operationName: null,
  fields: [{ name: 'products', outcome: 'ok' }],
  outcome: 'ok',
  errors: [],
  userErrors: [],
  milliseconds: 20,
  ...given,
})

describe('the metrics', () => {
  test('have rate, errors and duration by kind, root field and operation', async () => {
    const metrics = createMetrics()
    metrics.observer.request(request({ operationName: 'Front' }))
    metrics.observer.request(
      request({
        kind: 'mutation',
        fields: [{ name: 'createOrder', outcome: 'refused' }],
        outcome: 'ok',
        errors: ['SVC_BIZ_002'],
        userErrors: [{ field: 'createOrder', code: 'OUT_OF_STOCK' }],
      }),
    )
    const text = await metrics.text()
    for (const line of [
      'commerce_requests_total{kind="query",outcome="ok"} 1',
      'commerce_request_duration_seconds_bucket{le="0.025",kind="query"} 1',
      'commerce_field_requests_total{kind="mutation",field="createOrder",outcome="refused"} 1',
      'commerce_operation_requests_total{operation="Front",outcome="ok"} 1',
      'commerce_operation_duration_seconds_sum{operation="Front"} 0.02',
      'commerce_errors_total{code="SVC_BIZ_002"} 1',
      'commerce_user_errors_total{field="createOrder",code="OUT_OF_STOCK"} 1',
    ])
      expect(text).toContain(line)
  })

  test('have at most 200 operation names, whatever clients call their operations', async () => {
    const metrics = createMetrics()
    for (let n = 0; n < 1_000; n += 1)
      metrics.observer.request(request({ operationName: `Operation${n} ` + 'x'.repeat(n) }))
    const names = new Set((await metrics.text()).match(/(?<=operation=")[^"]+/g))
    expect(names.size).toBe(201)
    expect(names).toContain('other')
  })

  test('leave out a source that can not be read, and say so', async () => {
    const metrics = createMetrics()
    let answers = true
    metrics.addSource({
      name: 'queue',
      gauges: { depth: { help: 'depth', labels: ['name'] }, total: { help: 'total', labels: [] } },
      read: () =>
        answers
          ? Promise.resolve({ depth: [{ labels: { name: 'a' }, value: 3 }], total: [{ value: 3 }] })
          : Promise.reject(new Error('away')),
    })
    const read = async () =>
      (await metrics.text()).split('\n').filter((line) => /^(depth|total|commerce_source_up)/.test(line))
    expect(await read()).toEqual(['commerce_source_up{source="queue"} 1', 'depth{name="a"} 3', 'total 3'])
    answers = false
    expect(await read()).toEqual(['commerce_source_up{source="queue"} 0'])
  })

  test('are served at /metrics alone', async () => {
    const server = await serveMetrics(createMetrics(), { port: 0, host: '127.0.0.1' })
    try {
      const url = `http://127.0.0.1:${server.port}`
      const answer = await fetch(`${url}/metrics`)
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0.0.4/)
      expect(await answer.text()).toContain('nodejs_eventloop_lag_seconds')
      expect((await fetch(`${url}/`)).status).toBe(404)
      expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404)
    } finally {
      await server.stop()
    }
  })
})
