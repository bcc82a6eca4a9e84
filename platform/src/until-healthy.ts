import { setTimeout as sleep } from 'node:timers/promises'
import { PlatformError } from './platform-error.ts'

const healthTimeoutMs = 30_000

/** Waits until a URL answers with success. @throws PlatformError with its last answer after the time-out */
export async function untilHealthy(url: string, timeoutMs = healthTimeoutMs): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const problem = await healthProblem(url)
    if (problem === undefined) return
    if (Date.now() > deadline) throw new PlatformError(`${url} stays unhealthy: ${problem}`)
    await sleep(25)
  }
}

/** Undefined if the URL answers with success. */
export async function healthProblem(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) })
    return response.ok ? undefined : await response.text()
  } catch (error) {
    const { message, cause } = error as Error
    return cause instanceof Error ? cause.message || message : message
  }
}
