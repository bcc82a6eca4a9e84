/** A file that can't be read as a whole: nothing of it is imported. */
export class InputError extends Error {
  override readonly name = 'InputError'
}
