/** The media types of answers: that of GraphQL over HTTP, and the older one. */
export type MediaType = 'application/graphql-response+json' | 'application/json'

/**
 * Which of both a client would rather have. One who doesn't say, or wants neither, is answered `application/json`, as GraphQL
 * over HTTP has it for those who came before the other type.
 *
 * @param accept the header `Accept`
 */
export function mediaTypeFor(accept: string | undefined): MediaType {
  const ranges = (accept ?? '').split(',').map(readRange)
  const weightOf = (type: MediaType): number => ranges.find((range) => range.type === type)?.weight ?? 0
  const own = weightOf('application/graphql-response+json')
  return own > 0 && own >= weightOf('application/json')
    ? 'application/graphql-response+json'
    : 'application/json'
}

function readRange(text: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }
}
