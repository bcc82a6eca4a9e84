import pg from 'pg'

/** The messages of the driver's connection that are sent here; its types lack them. */
interface Wire {
  parse(message: { readonly text: string; readonly name: string }): void
  bind(message: { readonly statement: string; readonly values: readonly string[] }): void
  execute(): void
}

/** What the driver's own class does, which its types leave out. */
interface DriverQuery {
  prepare(connection: Wire): void
  handleCommandComplete(message: object, connection: Wire): void
}

const Query = pg.Query as unknown as new (config: pg.QueryConfig & { queryMode: 'extended' }) => DriverQuery

/** Returns no row, so that the result has only the statement's rows. */
const setSchema = `select from (select set_config('search_path', $1, true) as value offset 0) s where value is null`

/**
 * A statement whose names are looked up in a schema. The schema is set in the same transaction and the same write, so
 * it costs no round trip, and the session keeps nothing of it: another process's statement may be its next.
 */
export class StatementInSchema extends Query {
  readonly #schema: string
  #isSet = false

  constructor(schema: string, text: string, values: readonly unknown[]) {
    super({ text, values: [...values], queryMode: 'extended' })
    this.#schema = schema
  }

  override prepare(connection: Wire): void {
    connection.parse({ text: setSchema, name: '' })
    connection.bind({ statement: '', values: [this.#schema] })
    connection.execute()
    super.prepare(connection)
  }

  override handleCommandComplete(message: object, connection: Wire): void {
    if (this.#isSet) super.handleCommandComplete(message, connection)
    this.#isSet = true
  }
}
