import { pino } from 'pino'
import { expect, test } from 'vitest'
import { UntrustedProxies } from './untrusted-proxy.ts'

test('the first untrusted proxy is logged once, and reported afterwards', () => {
  const log: string[] = []
  const proxies = new UntrustedProxies(
    pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
  )
  expect(proxies.problem).toBeNull()
  proxies.notice('10.0.0.9')
  proxies.notice('10.0.0.10')
  expect(log).toHaveLength(1)
  expect(log[0]).toContain('TRUSTED_PROXIES')
  expect(proxies.problem).toContain('10.0.0.9')
})
