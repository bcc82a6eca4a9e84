/** The names of a path from a root, such as `Clothing > Jackets`; null if one of them is empty or too long. */
export function categoryPath(text: string): readonly string[] | null {
  const names = text.split('>').map((name) => name.trim())
  return names.length <= 10 && names.every((name) => name !== '' && name.length <= 200) ? names : null
}
