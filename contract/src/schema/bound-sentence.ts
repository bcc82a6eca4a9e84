import { formats } from '../validation/formats.ts'
import type { Bounds, Range } from './bounds.ts'

/** The bounds as the description of their field tells them: `At most 100 entries, each 1 to 50 characters, in one line.` */
export function boundSentence({ length, range, list, format, notNull }: Bounds): string {
  const ofValue = [
    ...(length ? [lengthPhrase(length)] : []),
    ...(range ? [rangePhrase(range)] : []),
    ...(format ? [formats[format].phrase] : []),
  ].join('; ')
  const bounds = list
    ? [
        `${between(list.min, list.max)} ${list.max === 1 ? 'entry' : 'entries'}`,
        ...(ofValue ? [`each ${ofValue}`] : []),
      ]
    : ofValue
      ? [ofValue]
      : []
  return [
    ...(bounds.length > 0 ? [`${capital(bounds.join(', '))}.`] : []),
    ...(notNull ? ['Never null.'] : []),
  ].join(' ')
}

const lengthPhrase = ({ min, max, multiline }: NonNullable<Bounds['length']>): string =>
  `${between(min, max)} characters${multiline ? '' : ', in one line'}`

function rangePhrase({ min, max }: Range): string {
  if (max === null) return min === null ? 'any number' : `${number(min)} or more`
  return min === null ? `at most ${number(max)}` : `${number(min)} to ${number(max)}`
}

const between = (min: number, max: number): string =>
  min === 0 ? `at most ${number(max)}` : `${number(min)} to ${number(max)}`

const number = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 10 })

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
