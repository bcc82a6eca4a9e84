import { create } from 'content-disposition'

/**
 * The types that browsers may show. None of them runs a script. SVG and HTML do, so they are not among them; PDF isn't
 * either, because its viewers run scripts.
 */
export const shownTypes: readonly string[] = [
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]

/** The type of everything else. */
const downloadType = 'application/octet-stream'

/** How a file is served: under its type if that is listed, and otherwise as bytes to save. */
export function servedAs(contentType: string, fileName: string | null): Readonly<Record<string, string>> {
  const shown = shownTypes.includes(contentType) && fileName === null
  return {
    'content-type': shownTypes.includes(contentType) ? contentType : downloadType,
    'content-disposition': shown ? 'inline' : attachment(fileName),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  }
}

/** The header with which browsers save a file under a name. */
export const attachment = (fileName: string | null): string => create(fileName ?? undefined)
