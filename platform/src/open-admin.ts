import type { AdminOptions } from '@commerce-graph/gateway'
import { join } from 'node:path'
import { AdminBuild } from './admin/admin-build.ts'
import { serveAdmin } from './admin/serve-admin.ts'
import type { PlatformConfig } from './configuration.ts'
import { adminFolder } from './data-folder.ts'
import type { Services } from './services.ts'

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
  const build = new AdminBuild({
    folder: join(dataDir, adminFolder),
    logger: logger.child({ service: 'admin' }),
  })
  started.defer(() => build.stop())
  return {
    pages: serveAdmin(build),
    defaultShop: admin.shop ?? demoShop,
    secureCookie: mode === 'live',
  }
}
