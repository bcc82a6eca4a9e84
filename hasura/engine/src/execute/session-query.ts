import pg from 'pg'

/** What the driver's own query sends with; its types leave these methods out. */
interface Wire {
  parse(message: { readonly text: string; readonly name: string; readonly types: readonly number[] }): void
  bind(message: {
    readonly portal: string
    readonly statement: string
    readonly values: readonly string[]
    readonly binary: boolean
    readonly valueMapper: (value: string) => string
  }): void
  execute(message: { readonly portal: string; readonly rows: number }): void
}

interface DriverQuery extends pg.Submittable {
  prepare(connection: Wire): void
  handleCommandComplete(message: unknown, connection: Wire): void
}

const DriverQuery = pg.Query as unknown as new (
  config: pg.QueryConfig | pg.QueryArrayConfig,
  callback: (error: Error | null, result: pg.QueryArrayResult<(string | null)[]>) => void,
) => DriverQuery

/** Returns no row, so that nothing of it gets among the rows of the statement. */
const setUser = {
  name: 'hasura_set_user',
  text: `select from (select set_config('hasura.user', $1, true) as value offset 0) s where value is null`,
}

const knowsSetUser = new WeakSet<Wire>()

/**
 * A prepared statement that runs with `hasura.user` set to the session's variables, as triggers and functions of
 * the database may read them. Both go to Postgres in one message train, which is one transaction: the setting ends
 * with it, and it costs no round trip.
 */
class SessionQuery extends DriverQuery {
  readonly #user: string
  #settingDone = false

  constructor(
    user: string,
    config: pg.QueryArrayConfig,
    callback: (error: Error | null, result: pg.QueryArrayResult<(string | null)[]>) => void,
  ) {
    super(config, callback)
    this.#user = user
  }

  override prepare(connection: Wire): void {
    if (!knowsSetUser.has(connection)) {
      connection.parse({ ...setUser, types: [] })
      knowsSetUser.add(connection)
    }
    connection.bind({
      portal: '',
      statement: setUser.name,
      values: [this.#user],
      binary: false,
      valueMapper: (value) => value,
    })
    connection.execute({ portal: '', rows: 0 })
    super.prepare(connection)
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#settingDone) super.handleCommandComplete(message, connection)
    else this.#settingDone = true
  }
}

/** Runs a statement for a session: `user` is what `hasura.user` says meanwhile. */
export const queryWithUser = (
  client: pg.PoolClient,
  user: string,
  config: pg.QueryArrayConfig,
): Promise<pg.QueryArrayResult<(string | null)[]>> =>
  new Promise((resolve, reject) => {
    client.query(
      new SessionQuery(user, config, (error, result) => {
        if (error === null) resolve(result)
        else reject(error)
      }),
    )
  })
