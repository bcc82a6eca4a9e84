#!/usr/bin/env node
// Fails if a shipped dependency has a known vulnerability of severity high or critical, according to `npm audit`. A
// registry without that service, or no network, is reported and ignored, because it says nothing about the
// dependencies. Arguments go to npm, for example --registry=https://…
import { spawnSync } from 'node:child_process'

const timeoutMs = 120_000
const asked = ['audit', '--omit=dev', '--audit-level=high', '--json', ...process.argv.slice(2)]
const { stdout, error } = spawnSync('npm', asked, {
  encoding: 'utf8',
  timeout: timeoutMs,
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'ignore'],
  shell: process.platform === 'win32',
})
const report = parsed(stdout)
if (report?.metadata?.vulnerabilities === undefined) {
  const reason = error?.message ?? report?.message ?? report?.error?.summary ?? 'npm audit gave no report'
  console.log(`The dependencies could not be audited, and this step says nothing of them: ${reason}`)
  process.exit(0)
}
const { high = 0, critical = 0 } = report.metadata.vulnerabilities
for (const { name, severity, via } of Object.values(report.vulnerabilities ?? {})) {
  const titles = via.map((each) =>
    typeof each === 'string' ? `by ${each}` : `${each.title} ${each.url ?? ''}`,
  )
  console.log(`${severity}: ${name}: ${titles.join('; ')}`)
}
console.log(`${critical} critical and ${high} high of known vulnerabilities in what is shipped`)
process.exit(high + critical > 0 ? 1 : 0)

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
