import { utf8Texts } from '@commerce-graph/contract/input'
import { createReadStream } from 'node:fs'
import { InputError } from './input-error.ts'

/**
 * A file's text in pieces.
 *
 * @throws InputError if it is not UTF-8
 */
export const fileTexts = (file: string): AsyncGenerator<string> =>
  utf8Texts(createReadStream(file), (message) => new InputError(`${file}: ${message}`))
