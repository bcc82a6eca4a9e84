import {
  compressPages,
  installPackages,
  nodeStep,
  PackageBuild,
  type PagesPackage,
  serveBuiltPages,
  type ServedPages,
} from '@commerce-graph/built-pages'
import type { AdminOptions } from '@commerce-graph/gateway'
import { join } from 'node:path'
import type { PlatformConfig } from './configuration.ts'
import { adminFolder } from './data-folder.ts'
import type { Services } from './services.ts'

const adminPackage: PagesPackage = {
  title: 'the admin',
  takes: 'half a minute',
  folder: 'admin',
  // It calls the API with the client.
  sources: ['admin', 'client/src'],
  steps: [
    installPackages('--omit=dev'),
    nodeStep({ name: 'build', text: 'Build the pages' }, 'node_modules/vite/bin/vite.js', 'build'),
    compressPages('dist'),
  ],
  output: 'dist',
}

const servedAdmin: ServedPages = {
  path: '/admin',
  /** Nothing inline, and nothing from elsewhere, except the pictures of products, which may be at any address. */
  policy: [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' https: data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Its rules are in admin/src/trusted-types.ts.
    'trusted-types default',
  ].join('; '),
  // One document: its scripts show the page of the address.
  pageAt: () => 'index.html',
}

/**
 * The pages for merchants' people, which are built at their first visit. Undefined: the deployment has none.
 *
 * @param demoShop the shop that is assumed where no other one is set
 */
export function openAdmin(
  { started, logger }: Pick<Services, 'started' | 'logger'>,
  { admin, dataDir, mode }: Pick<PlatformConfig, 'admin' | 'dataDir' | 'mode'>,
  demoShop: string | undefined,
): AdminOptions | undefined {
  if (admin === undefined) return undefined
  const build = new PackageBuild({
    pages: adminPackage,
    folder: join(dataDir, adminFolder),
    logger: logger.child({ service: 'admin' }),
  })
  started.add('the build of /admin', () => build.stop())
  return {
    pages: serveBuiltPages(build, servedAdmin),
    defaultShop: admin.shop ?? demoShop,
    secureCookie: mode === 'live',
  }
}
