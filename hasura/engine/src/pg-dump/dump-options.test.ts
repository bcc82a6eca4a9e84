import { expect, test } from 'vitest'
import { refusedOption } from './dump-options.ts'

test.each([
  [['-O', '-x', '--schema-only', '--schema', 'public', '--exclude-schema', 'audit']],
  [['--no-owner', '--no-acl', '--data-only', '--column-inserts', '--table', 'author']],
  [['-Oxs', '-n', 'public', '-nother', '--encoding=utf8']],
])('what hasura-cli and people ask for is taken: %j', (args) => {
  expect(refusedOption(args)).toBeUndefined()
})

test.each([
  '--file',
  '--file=/tmp/x',
  '--fi',
  '-f',
  '-Of',
  '-Fc',
  '-j2',
  '-h',
  '-dother',
  '--host=x',
  '-W',
  '-',
  '--',
])(
  'what names a file, a server or a user is refused, and so is what pg_dump would take for it: %s',
  (option) => {
    expect(refusedOption(['-O', option, '-x'])).toBe(option)
  },
)
