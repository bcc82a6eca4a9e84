import { runCommand } from '@commerce-graph/terminal'
import { expectedErrors } from '../src/expected-errors.ts'
import { program } from '../src/verify-command.ts'

await runCommand(program(), { expected: expectedErrors, failed: 2 })
