export { addedFiles, type BaseBackup, listBackups } from './backup/base-backup.ts'
export { isGone, pathsBelow } from './backup/copy-files.ts'
export { restoreCluster } from './backup/restore-cluster.ts'
export { takeBackup } from './backup/take-backup.ts'
export { basesFolder, type WalArchive } from './backup/wal-archive.ts'
export { freePorts, isPortFree } from './free-port.ts'
export { LocalPostgresError } from './local-postgres-error.ts'
export {
  endLeftServer,
  type LocalPostgres,
  type LocalPostgresOptions,
  startLocalPostgres,
} from './local-postgres.ts'
export type { Group, Login } from './logins.ts'
export { acquireLock, type LockAttempt } from './process-lock.mjs'
export { type ServerExit } from './server-process.ts'
