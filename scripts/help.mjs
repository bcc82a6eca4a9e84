#!/usr/bin/env node
// `npm run help`: every command with a line. It needs no installation.
import process from 'node:process'
import { commandGroups } from './commands.mjs'

const bold = 1
const cyan = 36

const shown = (name) => (name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`)

const wrong = process.argv.slice(2).find((argument) => argument !== '--json' && argument !== '--help')
if (wrong !== undefined) {
  console.error(
    `error: ${wrong} is not known here. To see the options of a command: npm run verify -- --help`,
  )
  process.exitCode = 2
} else if (process.argv.includes('--json')) {
  const commands = commandGroups.flatMap(({ title, commands }) =>
    Object.entries(commands).map(([name, purpose]) => ({ group: title, command: shown(name), purpose })),
  )
  process.stdout.write(`${JSON.stringify(commands)}\n`)
} else {
  const coloured = process.stdout.isTTY && !process.env.NO_COLOR
  const styled = (code, text) => (coloured ? `\u001B[${code}m${text}\u001B[0m` : text)
  const width = Math.max(
    ...commandGroups.flatMap(({ commands }) => Object.keys(commands).map((name) => shown(name).length)),
  )
  for (const { title, commands } of commandGroups) {
    process.stdout.write(`${styled(bold, title)}\n`)
    for (const [name, purpose] of Object.entries(commands))
      process.stdout.write(`  ${styled(cyan, shown(name).padEnd(width))}  ${purpose}\n`)
    process.stdout.write('\n')
  }
  process.stdout.write('Options follow two dashes: npm run verify -- --help\n')
}
