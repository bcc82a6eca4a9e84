import { expect, test } from 'vitest'
import { refusedOption } from './dump-options.ts'

test.each([
  [['-O', '-x', '--schema-only', '--schema', 'public', '--exclude-schema', 'audit']],
  [['--no-owner', '--no-acl', '--data-only', '--column-inserts', '--table', 'author']],
  [['-Oxs', '-n', 'public', '-nother', '--encoding=utf8']],
])('the usual options are accepted: %j', (args) => {
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
  'an option that names a file, a server or a user is refused, also in any form that pg_dump accepts: %s',
  (option) => {
    expect(refusedOption(['-O', option, '-x'])).toBe(option)
  },
)
