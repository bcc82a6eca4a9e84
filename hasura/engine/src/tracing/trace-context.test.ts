import { expect, test } from 'vitest'
import { resumeTrace, startTrace, traceHeaders, traceSetting } from './trace-context.ts'

const id = (digits: number) => expect.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`)) as string

test('a request without B3 headers begins a new trace', () => {
  const [one, two] = [startTrace(), startTrace({})]
  expect(one).toEqual({ traceId: id(32), spanId: id(16), parentSpanId: undefined, sampled: true })
  expect(one.traceId).not.toBe(two.traceId)
})

test('of a thousand traces, no two have an id in common', () => {
  const ids = Array.from({ length: 1000 }, () => startTrace()).flatMap(({ traceId, spanId }) => [
    traceId.slice(0, 16),
    traceId.slice(16),
    spanId,
  ])
  expect(new Set(ids).size).toBe(ids.length)
})

test('a client’s trace continues under its span', () => {
  const headers = { 'x-b3-traceid': '463AC35C9F6413AD48485A3953BB6124', 'x-b3-spanid': 'a2fb4a1d1a96d312' }
  const trace = startTrace(headers)
  expect(trace).toMatchObject({
    traceId: '463ac35c9f6413ad48485a3953bb6124',
    parentSpanId: 'a2fb4a1d1a96d312',
  })
  expect(trace.spanId).not.toBe('a2fb4a1d1a96d312')
})

test.each(['', 'x', '0000000000000000', '463ac35c', 'zz3ac35c9f6413ad'])(
  'an invalid id begins a new trace: %j',
  (given) => {
    expect(startTrace({ 'x-b3-traceid': given }).traceId).toEqual(id(32))
    expect(startTrace({ 'x-b3-traceid': given }).parentSpanId).toBeUndefined()
  },
)

test('each call is a span of its own, except in a trace that is not sampled', () => {
  const trace = startTrace()
  const headers = traceHeaders(trace)
  expect(headers).toEqual([
    ['X-B3-TraceId', trace.traceId],
    ['X-B3-SpanId', id(16)],
    ['X-B3-ParentSpanId', trace.spanId],
    ['X-B3-Sampled', '1'],
  ])
  expect(traceHeaders(trace)[1]).not.toEqual(headers[1])
  const silent = startTrace({ 'x-b3-traceid': trace.traceId, 'x-b3-sampled': '0' })
  expect(traceHeaders(silent)).toEqual([
    ['X-B3-TraceId', trace.traceId],
    ['X-B3-SpanId', silent.spanId],
    ['X-B3-Sampled', '0'],
  ])
})

test('an event’s stored trace is resumed, and an invalid one is replaced', () => {
  const trace = startTrace()
  expect(resumeTrace(JSON.parse(traceSetting(trace)))).toMatchObject({
    traceId: trace.traceId,
    parentSpanId: trace.spanId,
    sampled: true,
  })
  for (const stored of [null, undefined, 'x', {}, { trace_id: 7 }, { trace_id: 'x' }])
    expect(resumeTrace(stored)).toMatchObject({ traceId: id(32), parentSpanId: undefined })
})
