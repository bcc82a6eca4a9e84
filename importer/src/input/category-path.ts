/** The names of the levels of a path such as `Clothing > Jackets`, from the root. */
export const levelsOf = (path: string): string[] =>
  path
    .split(' > ')
    .map((level) => level.trim())
    .filter((level) => level !== '')
