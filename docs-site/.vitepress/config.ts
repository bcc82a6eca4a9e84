import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type DefaultTheme } from 'vitepress'
import { titleOf } from '../src/domain-page.ts'
import { readDomains, readSchema } from '../src/operations.ts'

const item = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link })

const guides: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: [
      item('Start here', '/'),
      item('Open a shop', '/open-a-shop'),
      item('Admin', '/admin'),
      item('A year of a demo shop', '/demo'),
    ],
  },
  {
    text: 'Build',
    items: [
      item('A storefront', '/storefront'),
      item('The client', '/client'),
      item('Other clients', '/clients'),
      item('Recipes', '/recipes'),
      item('Admin kits', '/admin-kits'),
      item('Live data', '/subscriptions'),
      item('Webhooks and events', '/webhooks'),
      item('Keep a copy in step', '/sync'),
      item('Persisted queries and caches', '/caching'),
    ],
  },
  {
    text: 'Sell',
    items: [
      item('Carts, orders, stock, payments', '/commerce'),
      item('Take payments', '/payments'),
      item('Test payments', '/test-payments'),
      item('Bookings', '/booking'),
      item('Customers', '/crm'),
      item('E-mail and notifications', '/messaging'),
      item('Search and articles', '/search'),
      item('Reports', '/analytics'),
      item('Files', '/files'),
      item('Metadata', '/metadata'),
      item('Users and roles', '/identity'),
      item('Import: move in', '/import'),
      item('Export', '/export'),
    ],
  },
  {
    text: 'Run',
    items: [
      item('Production', '/production'),
      item('Operating', '/operating'),
      item('Upgrading', '/upgrading'),
      item('Backup and restore', '/backup'),
      item('Observability', '/observability'),
      item('Runbooks', '/runbooks'),
      item('Hasura without Docker', '/engine'),
      item('Metadata and migrations', '/metadata-and-migrations'),
    ],
  },
  {
    text: 'Concepts',
    items: [
      item('Architecture', '/architecture'),
      item('Glossary', '/glossary'),
      item('Authentication', '/authentication'),
      item('Audit log', '/audit'),
      item('Security', '/security'),
      item('Limits', '/limits'),
      item('Testing', '/testing'),
      item('Open points', '/open-points'),
      item('Decisions', '/decisions/'),
    ],
  },
  {
    text: 'Look up',
    items: [item('API reference', '/api/'), item('Errors', '/errors'), item('Changelog', '/changelog')],
  },
]

const reference: DefaultTheme.SidebarItem[] = [
  item('All operations', '/api/'),
  ...readDomains(readSchema()).map(({ name }) => item(titleOf(name), `/api/${name}`)),
]

export default defineConfig({
  title: 'Commerce Graph',
  description: 'The documentation of Commerce Graph',
  base: '/docs/',
  srcDir: 'pages',
  cleanUrls: true,
  metaChunk: true,
  lastUpdated: false,
  // A link to a page that isn't there fails the build. Addresses of this machine are examples.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Wide tables scroll: by the keyboard, too.
    config: (md) => void (md.renderer.rules['table_open'] = () => '<table tabindex="0">\n'),
  },
  themeConfig: {
    nav: [
      item('Guides', '/'),
      item('API', '/api/'),
      item('Decisions', '/decisions/'),
    ] as DefaultTheme.NavItem[],
    sidebar: { '/api/': reference, '/': guides },
    search: { provider: 'local' },
    outline: [2, 3],
  },
  /** The page's policy lets no inline script run, so the two of VitePress become files. */
  transformHtml(html, _id, { siteConfig }) {
    const folder = join(siteConfig.outDir, 'assets')
    return html.replaceAll(
      /<script id="([\w-]+)">([\s\S]*?)<\/script>/g,
      (_script, id: string, code: string) => {
        const name = `${id}.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, name), code)
        return `<script src="/docs/assets/${name}"></script>`
      },
    )
  },
})
