import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'
import { gatheredOutput } from './testing-output.ts'

/** Shows a progress with a clock that the test moves. */
function shown(columns?: number) {
  const { stream, text } = gatheredOutput(columns)
  let at = 0
  const progress = createProgress({ doing: 'Copying', stream, now: () => at })
  return {
    ...progress,
    text,
    /** What stands in the line of the terminal now. */
    line: () => stripVTControlCharacters(text()).split('\r').at(-1),
    wait: (milliseconds: number) => {
      at += milliseconds
    },
  }
}

test('a terminal gets a line that is written again, with what is done and how long it takes', () => {
  const { start, update, stop, wait, line, text } = shown(100)
  start(1_000)
  update(0)
  wait(5_000)
  update(250, '3 refused')
  expect(line()).toBe('Copying ██████░░░░░░░░░░░░░░░░░░  25 %  250 of 1,000  3 refused  15 s left')
  wait(15_000)
  update(1_000, '3 refused')
  stop()
  expect(line()).toBe('Copying ████████████████████████ 100 %  1,000 of 1,000  3 refused\n')
  expect(text().match(/\n/g)).toHaveLength(1)
})

test('the last state is shown, however fast it came', () => {
  const { start, update, stop, line } = shown(100)
  start(3)
  for (const done of [1, 2, 3]) update(done)
  stop()
  expect(line()).toContain('3 of 3')
})

test('what an interrupted run did before does not make the rest look short', () => {
  const { start, update, wait, line } = shown(100)
  start(1_000)
  update(900)
  wait(10_000)
  update(910)
  expect(line()).toContain('2 min left')
})

test('no line is wider than the terminal, where it could not be written over', () => {
  const { start, update, line } = shown(30)
  start(1_000)
  update(250, 'a note that is long')
  expect(line()).toHaveLength(29)
})

test('a pipe gets a plain line each five seconds, and none of what is shorter', () => {
  const { start, update, stop, wait, text } = shown()
  start(1_000)
  update(100)
  expect(text()).toBe('')
  wait(5_000)
  update(200, '1 refused')
  update(300)
  stop()
  expect(text()).toBe('Copying: 200 of 1,000, 1 refused\n')
})
