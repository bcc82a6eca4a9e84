import {
  compressPages,
  installPackages,
  nodeStep,
  PackageBuild,
  type PagesPackage,
  serveBuiltPages,
  type ServedPages,
} from '@commerce-graph/built-pages'
import { join } from 'node:path'
import type { PlatformConfig } from './configuration.ts'
import { docsFolder } from './data-folder.ts'
import type { Services } from './services.ts'

const docsPackage: PagesPackage = {
  title: 'the documentation',
  takes: 'a minute',
  folder: 'docs-site',
  // docs-site/src/site-map.ts says which pages it shows; the reference is made of the contract.
  sources: [
    'docs-site/.vitepress/config.ts',
    'docs-site/.vitepress/theme',
    'docs-site/package-lock.json',
    'docs-site/package.json',
    'docs-site/src',
    'docs-site/start.md',
    'docs-site/tsconfig.json',
    'docs',
    'client/README.md',
    'hasura/engine/README.md',
    'CHANGELOG.md',
    'contract/domains',
  ],
  steps: [
    installPackages('--omit=dev'),
    nodeStep({ name: 'write', text: 'Write the reference' }, 'src/write-pages.ts'),
    nodeStep({ name: 'build', text: 'Build the pages' }, 'node_modules/vitepress/bin/vitepress.js', 'build'),
    compressPages('.vitepress/dist'),
  ],
  output: '.vitepress/dist',
}

const servedDocs: ServedPages = {
  path: '/docs',
  /** Scripts are files of its own. Styles may be inline: the highlighting of code writes a colour at each word. */
  policy: [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  inFolders: true,
  notFound: '404.html',
  pageAt(address) {
    const path = address.slice(1)
    if (path === '' || path.endsWith('/')) return `${path}index.html`
    return /\.\w+$/.test(path) ? path : `${path}.html`
  },
}

/** The documentation, which is built at its first visit. Undefined: the deployment has none. */
export function openDocs(
  { started, logger }: Pick<Services, 'started' | 'logger'>,
  { docs, dataDir }: Pick<PlatformConfig, 'docs' | 'dataDir'>,
): ReturnType<typeof serveBuiltPages> | undefined {
  if (docs !== true) return undefined
  const build = new PackageBuild({
    pages: docsPackage,
    folder: join(dataDir, docsFolder),
    logger: logger.child({ service: 'docs' }),
  })
  started.add('the build of /docs', () => build.stop())
  return serveBuiltPages(build, servedDocs)
}
