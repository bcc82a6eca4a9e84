import type { Command } from 'commander'
import { type Cell, shownCell } from './shown-cell.ts'

/** The option that all commands with results have. */
export interface Json {
  readonly json?: true | undefined
}

export const withJson = (command: Command, prints = 'print the result as JSON'): Command =>
  command.option('--json', prints)

/** Prints what a command has done: for a program as one JSON document, for a person as a text. */
export const printResult = (result: object, { json }: Json, text: () => string): void =>
  console.log(json === true ? JSON.stringify(result) : text())

/** A line for each field that has a value. */
export const fieldLines = <Fields extends Readonly<Record<keyof Fields, Cell>>>(fields: Fields): string =>
  Object.entries<Cell>(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${shownCell(value)}`)
    .join('\n')
