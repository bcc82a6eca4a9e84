/** A file that can't be read: nothing of it is imported. */
export class InputError extends Error {
  override readonly name = 'InputError'
}
