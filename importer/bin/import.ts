#!/usr/bin/env node
import { runCommand } from '@commerce-graph/terminal'
import { expectedErrors, program } from '../src/import-command.ts'

await runCommand(program(), { expected: expectedErrors })
