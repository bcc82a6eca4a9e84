/** The texts of all elements of a name, in S3's answers: keys, ids and codes, which have no characters to escape. */
export const xmlTexts = (xml: string, name: string): readonly string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map((match) => match[1] ?? '')
