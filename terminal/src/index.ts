export { createLiveLine, type LiveLine } from './live-line.ts'
export { type Column, printList } from './print-list.ts'
export { fieldLines, type Json, printResult, withJson } from './print-result.ts'
export {
  bytesInWords,
  createProgress,
  type Progress,
  type ProgressOptions,
  silentProgress,
} from './progress.ts'
export { readArguments } from './read-arguments.ts'
export { type CommandEnding, runCommand } from './run-command.ts'
export { time } from './shown-cell.ts'
export { wholeNumber } from './whole-number.ts'
export { WrongUse } from './wrong-use.ts'
