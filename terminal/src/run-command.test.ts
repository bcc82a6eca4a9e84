import { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { printResult, withJson } from './print-result.ts'
import { runCommand } from './run-command.ts'
import { wholeNumber } from './whole-number.ts'
import { WrongUse } from './wrong-use.ts'

class Refused extends Error {
  override readonly name = 'Refused'
}

afterEach(() => vi.restoreAllMocks())

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `npm run shop -- list` in this process. */
async function run(action: () => void, ...args: readonly string[]): Promise<Ended> {
  let [stdout, stderr] = ['', '']
  const argv = process.argv
  const listeners = process.stdout.listeners('error')
  process.argv = ['node', 'shop.ts', ...args]
  vi.spyOn(console, 'log').mockImplementation((line: string) => (stdout += `${line}\n`))
  vi.spyOn(console, 'error').mockImplementation((line: string) => (stderr += `${line}\n`))
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (stdout += String(text)) !== '')
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (stderr += String(text)) !== '')
  let code = 0
  vi.spyOn(process, 'exit').mockImplementation((given) => {
    code = Number(given)
    return undefined as never
  })
  const command = new Command('npm run shop --')
  withJson(command.command('list')).option('--limit <n>', 'how many', wholeNumber(1, 9)).action(action)
  try {
    await runCommand(command, { expected: [Refused], failed: 7 })
  } finally {
    process.argv = argv
    for (const added of process.stdout.listeners('error'))
      if (!listeners.includes(added)) process.stdout.off('error', added as () => void)
    vi.restoreAllMocks()
  }
  return { code, stdout, stderr }
}

const nothing = () => undefined
const fail = (error: Error) => () => {
  throw error
}

test('a result ends with 0', async () => {
  const print = () => printResult({ count: 2 }, { json: true }, () => '2')
  expect(await run(print, 'list', '--json')).toEqual({ code: 0, stdout: '{"count":2}\n', stderr: '' })
})

test('a reader that goes away early ends it like other programs, without a stack', async () => {
  const leave = () =>
    void process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  expect(await run(leave, 'list')).toEqual({ code: 141, stdout: '', stderr: '' })
})

test.each([
  [['list', '--limt', '3'], 'unknown option'],
  [['list', '--limit', 'x'], 'must be a whole number from 1 to 9'],
  [['list', '--limit', ''], 'must be a whole number from 1 to 9'],
  [['list', 'all'], 'too many arguments'],
  [['lst'], 'unknown command'],
])(
  '%j was called wrongly: that ends with 2 and names what is valid, without a stack',
  async (args, problem) => {
    const { code, stdout, stderr } = await run(nothing, ...args)
    expect(stderr).toContain(problem)
    expect(stderr).toMatch(/npm run shop --( list)? --help lists the options\.\n$/)
    expect(stderr).not.toMatch(/^ +at /m)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  },
)

test('without its subcommand, a command ends with 2 and shows its help', async () => {
  const { code, stdout, stderr } = await run(nothing)
  expect(stderr).toContain('list [options]')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})

test('options that don’t go together end with 2', async () => {
  const { code, stderr } = await run(fail(new WrongUse('Name ids, or say --all.')), 'list')
  expect(stderr).toBe('error: Name ids, or say --all.\n')
  expect(code).toBe(2)
})

test('an error that the caller can mend ends with the command’s code, without a stack', async () => {
  const { code, stdout, stderr } = await run(fail(new Refused('There is no shop')), 'list')
  expect(stderr).toBe('error: There is no shop\n')
  expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
})

test('what the operating system refuses has no stack either', async () => {
  const refused = Object.assign(new Error('EACCES: permission denied, mkdir /backups'), { syscall: 'mkdir' })
  const { code, stderr } = await run(fail(refused), 'list')
  expect(stderr).toBe('error: EACCES: permission denied, mkdir /backups\n')
  expect(code).toBe(7)
})

test('a fault of the program is told with its stack and its cause', async () => {
  const { code, stderr } = await run(fail(new TypeError('x is undefined', { cause: new Error('y') })), 'list')
  expect(stderr).toMatch(/TypeError: x is undefined\n +at [^]*caused by Error: y\n +at /)
  expect(code).toBe(7)
})

test.each([
  [['list', '--limt', '3', '--json'], nothing, { code: 'WRONG_USE', message: /^unknown option '--limt'/ }, 2],
  [['list', '--json'], fail(new WrongUse('so')), { code: 'WRONG_USE', message: /^so$/ }, 2],
  [['list', '--json'], fail(new Refused('gone')), { code: 'FAILED', message: /^gone$/ }, 7],
  [['list', '--json'], fail(new TypeError('odd')), { code: 'INTERNAL', message: /^odd$/ }, 7],
] as const)(
  '%j has its error as the one JSON document of standard output',
  async (args, action, error, code) => {
    const ended = await run(action, ...args)
    expect(JSON.parse(ended.stdout)).toEqual({
      error: { code: error.code, message: expect.stringMatching(error.message) as string },
    })
    expect(ended.code).toBe(code)
    if (error.code !== 'INTERNAL') expect(ended.stderr).toBe('')
  },
)

test('--json after two dashes is an argument, and errors are for a person', async () => {
  const { code, stdout, stderr } = await run(nothing, 'list', '--', '--json')
  expect(stderr).toContain('too many arguments')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})
