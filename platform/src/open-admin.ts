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

/**
 * Nothing inline, and nothing from elsewhere, except the pictures of products, which may be at any address, and the storage of files, to
 * which uploads go.
 */
const policyWith = (storage: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' ${storage} https: data: blob:`,
    "font-src 'self'",
    `connect-src 'self' ${storage}`,
    // The frame of an e-mail.
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Its rules are in admin/src/trusted-types.ts.
    'trusted-types default',
  ].join('; ')

/** A blank page, into which the admin puts an e-mail. An e-mail has its styles in its tags. */
const mailFrame = '/mail-frame.html'

/** Styles and pictures, and nothing else: no script, no form, and nobody else's page around it. */
const mailPolicyWith = (storage: string): string =>
  [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src 'self' ${storage} https: data:`,
    'font-src https: data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')

const servedAdmin = (storage: string): ServedPages => ({
  path: '/admin',
  policy: policyWith(storage),
  ownPolicies: { [mailFrame]: mailPolicyWith(storage) },
  // One document beside that frame: its scripts show the page of the address.
  pageAt: (address) => (address === mailFrame ? mailFrame.slice(1) : 'index.html'),
})

/** Where clients reach files: the address of the gateway's own route, or of the bucket. */
const storageOf = (
  { addresses }: Pick<Services, 'addresses'>,
  { filesUrl, filesBucket }: Pick<PlatformConfig, 'filesUrl' | 'filesBucket'>,
): string =>
  [...new Set([filesUrl ?? addresses.gateway, filesBucket?.endpoint])]
    .flatMap((url) => (url === undefined ? [] : [new URL(url).origin]))
    .join(' ')

/**
 * The pages for merchants' people, which are built at their first visit. Undefined: the deployment has none.
 *
 * @param demoShop the shop that is assumed where no other one is set
 */
export function openAdmin(
  services: Pick<Services, 'started' | 'logger' | 'addresses'>,
  config: Pick<PlatformConfig, 'admin' | 'dataDir' | 'mode' | 'filesUrl' | 'filesBucket'>,
  demoShop: string | undefined,
): AdminOptions | undefined {
  const { admin, dataDir, mode } = config
  const { started, logger } = services
  if (admin === undefined) return undefined
  const build = new PackageBuild({
    pages: adminPackage,
    folder: join(dataDir, adminFolder),
    logger: logger.child({ service: 'admin' }),
  })
  started.add('the build of /admin', () => build.stop())
  return {
    pages: serveBuiltPages(build, servedAdmin(storageOf(services, config))),
    defaultShop: admin.shop ?? demoShop,
    secureCookie: mode === 'live',
  }
}
