import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'

const root = path.resolve(import.meta.dirname, '..')
const manifest = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')))

const help = (...options: readonly string[]): string =>
  execFileSync(process.execPath, [path.join(root, 'scripts/help.mjs'), ...options], { encoding: 'utf8' })

test('npm run help lists every command of package.json once, with a line that fits a terminal', () => {
  const listed = z
    .array(z.object({ group: z.string(), command: z.string(), purpose: z.string().min(3) }))
    .parse(JSON.parse(help('--json')))
  const names = listed.map(({ command }) => command.replace(/^npm (run )?/, ''))
  expect(names.toSorted()).toEqual(Object.keys(manifest.scripts).toSorted())
  const lines = help().split('\n')
  for (const { command, purpose } of listed)
    expect(
      lines.filter((line) => line.startsWith(`  ${command} `) && line.endsWith(`  ${purpose}`)),
    ).toHaveLength(1)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100)
})

test('npm run help has no colours where its output is no terminal', () => {
  expect(help()).not.toContain('\u001B')
})
