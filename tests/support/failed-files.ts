import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** Writes the paths of the test files that failed into the file FAILED_FILES, a line each: CI runs them once more. */
export default class FailedFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env['FAILED_FILES']
    if (file === undefined) return
    const failed = modules.filter((module) => module.state() === 'failed')
    appendFileSync(file, failed.map((module) => `${module.relativeModuleId}\n`).join(''))
  }
}
