const folderFormat = /^[A-Za-z0-9_-]{1,64}(\/[A-Za-z0-9_-]{1,64}){0,5}$/
const nameFormat = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/

/**
 * Whether a text is a key: folders and a name, of letters, digits, `-`, `_`, and dots within the name. So no key leaves
 * its folder, and each is the same in a path, in a URL and in XML.
 */
export function isFileKey(text: string): boolean {
  const end = text.lastIndexOf('/')
  return end > 0 && folderFormat.test(text.slice(0, end)) && nameFormat.test(text.slice(end + 1))
}

/** @throws TypeError if it is no key */
export function requireFileKey(key: string): string {
  if (!isFileKey(key)) throw new TypeError(`${JSON.stringify(key)} is no key of a file`)
  return key
}

/** @throws TypeError if it is no folder of keys */
export function requireFolder(folder: string): string {
  if (!folderFormat.test(folder)) throw new TypeError(`${JSON.stringify(folder)} is no folder of files`)
  return folder
}

/** Whether a file may be read without a signature: its key begins with `<merchant>/public/`. */
export const isPublicKey = (key: string): boolean => /^[^/]+\/public\//.test(key)
