/** The reason why the embedded Postgres can't run, and what the user can do about it. */
export class LocalPostgresError extends Error {
  override readonly name = 'LocalPostgresError'
}

/** Another process holds the data folder. */
export class DataFolderInUse extends LocalPostgresError {
  readonly pid: number

  constructor(dataDir: string, pid: number) {
    super(`${dataDir} is in use by process ${pid}.`)
    this.pid = pid
  }
}
