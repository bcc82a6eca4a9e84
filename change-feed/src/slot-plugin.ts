import type { Client } from 'pg'
import { type Pgoutput, PgoutputPlugin } from 'pg-logical-replication'
import { announcement, coveredTables } from './publication.ts'
import type { TransactionCollector } from './transaction-collector.ts'

const insertTag = 0x49
const updateTag = 0x55
const deleteTag = 0x44

/** Stands for a row that needs no reading; a feed has no use for origins. */
const unread: Pgoutput.MessageOrigin = { tag: 'origin', originLsn: null, originName: '' }

/**
 * Makes the slot in the session that reads it, so that Postgres drops it with the session: no slot that is forgotten can
 * fill the disk.
 */
export class SlotPlugin extends PgoutputPlugin {
  readonly #publication: string
  readonly #collector: TransactionCollector
  #tables: ReadonlySet<number> = new Set()

  constructor(publication: string, collector: TransactionCollector) {
    super({ protoVersion: 1, publicationNames: [publication], messages: true })
    this.#publication = publication
    this.#collector = collector
  }

  /** The tables of which every change comes, from the slot's start on. */
  get tables(): ReadonlySet<number> {
    return this.#tables
  }

  /**
   * Postgres makes a slot only when all transactions that were running have ended. So whatever comes after has been written
   * with the publication as it is read here, or a newer one, which is announced.
   */
  override async start(client: Client, slot: string, position: string): Promise<unknown> {
    const { rows } = await client.query<{ oid: string | null }>(coveredTables(this.#publication))
    if (rows.length === 0) throw new Error(`the database has no publication ${this.#publication}`)
    this.#tables = new Set(rows.flatMap(({ oid }) => (oid === null ? [] : [Number(oid)])))
    await client.query(`CREATE_REPLICATION_SLOT "${slot}" TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`)
    return super.start(client, slot, position)
  }

  override parse(buffer: Buffer): Pgoutput.Message {
    const tag = buffer[0]
    const isRow = tag === insertTag || tag === updateTag || tag === deleteTag
    return isRow && this.#collector.isSettled(buffer.readUInt32BE(1)) ? unread : super.parse(buffer)
  }
}

export const announcesSchema = ({ prefix, content }: Pgoutput.MessageMessage): boolean =>
  prefix === announcement.prefix && Buffer.from(content).toString() === announcement.content
