import type { MetaFunction } from 'react-router'
import type { RootData } from '../root.tsx'
import type { MessageName } from './catalogue.ts'
import { translate } from './translate.ts'

/** What a page of one visitor says about itself: its title in the visitor's language, and that search engines leave it out. */
export const privatePage =
  (title: MessageName): MetaFunction =>
  ({ matches }) => {
    const root = matches[0]?.loaderData as RootData | undefined
    return [{ title: translate(root?.language ?? 'en', title) }, { name: 'robots', content: 'noindex' }]
  }
