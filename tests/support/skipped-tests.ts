import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Lists skipped suites after everything else, by the name that says why, the suite's or the test's own. CI collects them in
 * the file SKIPPED_TESTS for its last lines.
 */
export default class SkippedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) => {
      const tests = [...module.children.allTests('skipped')]
      const suites = Map.groupBy(tests, ({ fullName }) => whySkipped(fullName))
      return [...suites].map(
        ([suite, skipped]) => `${module.relativeModuleId}: ${suite}, ${skipped.length} tests\n`,
      )
    })
    if (lines.length === 0) return
    process.stdout.write(`\nSkipped:\n${lines.join('')}`)
    const file = process.env['SKIPPED_TESTS']
    if (file !== undefined) appendFileSync(file, lines.join(''))
  }
}

function whySkipped(fullName: string): string {
  const names = fullName.split(' > ')
  return names.find((name) => name.includes('(skipped: ')) ?? names[0] ?? fullName
}
