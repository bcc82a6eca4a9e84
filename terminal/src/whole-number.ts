import { InvalidArgumentError } from 'commander'

/** Reads an option's or argument's value for commander. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = Number(text)
    if (text.trim() === '' || !Number.isInteger(number) || number < least || number > most)
      throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}`)
    return number
  }
