import { posix } from 'node:path'

/**
 * A page of the repository as a page of the site. Links to pages of the site lead there; files of the repository that are no pages are
 * named and not linked, because a reader of the site doesn't have them.
 *
 * @param path the file's path in the repository
 */
export function pageOf(text: string, path: string, pages: ReadonlyMap<string, string>): string {
  const withoutComments = outsideOfCode(text, (part) => part.replaceAll(/<!--[\s\S]*?-->\n?/g, ''))
  const linked = outsideOfCode(withoutComments, (part) =>
    part.replaceAll(
      /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g,
      (link, image: string, label: string, target: string) => {
        if (/^[a-z]+:|^#|^\//.test(target)) return link
        const [file = '', hash] = target.split('#', 2)
        const named = posix.normalize(posix.join(posix.dirname(path), file))
        if (image !== '') return `![${label}](/${named.replace(/^docs\//, '')})`
        if (named === 'docs/schema.graphql') return `<a href="/docs/schema">${label}</a>`
        const page = pages.get(named) ?? pages.get(posix.join(named, 'README.md'))
        if (page === undefined) return label
        return `[${label}](/${page}${hash === undefined ? '' : `#${hash}`})`
      },
    ),
  )
  // What stands in double braces would be read as an expression of Vue.
  return linked.includes('{{') ? `::: v-pre\n${linked}\n:::\n` : linked
}

/** Changes a text, but not what is in its blocks of code. */
const outsideOfCode = (text: string, change: (part: string) => string): string =>
  text
    .split(/(^ *```[\s\S]*?^ *```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')
