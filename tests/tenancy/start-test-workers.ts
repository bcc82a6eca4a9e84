import { startWorkers, type Workers, type WorkersOptions } from '@commerce-graph/actions'
import { createSecretBox, parseEncryptionKeys } from '@commerce-graph/secret-box'
import { pino } from 'pino'
import { encryptionKeys } from '../support/role-processes.ts'

const noFiles = {
  get: () => Promise.resolve(null),
  delete: () => Promise.resolve(),
  deleteFolder: () => Promise.resolve(),
  sweep: () => Promise.resolve(0),
} as unknown as WorkersOptions['files']

/** Workers without files, mail, DNS and servers to call. @param databaseUrl of a login of the workers */
export const startTestWorkers = (
  databaseUrl: string,
  intervals: WorkersOptions['intervals'],
): Promise<Workers> =>
  startWorkers({
    databaseUrl,
    processors: [],
    secretBox: createSecretBox(parseEncryptionKeys(encryptionKeys)),
    files: noFiles,
    filesUrl: 'http://127.0.0.1:9/files',
    graphqlUrl: 'http://127.0.0.1:9/graphql',
    unsubscribeUrl: 'http://127.0.0.1:9/unsubscribe',
    webhooks: { live: false, refusedNetworks: [], graphqlUrl: 'http://127.0.0.1:9/graphql' },
    senders: { lookup: { texts: () => Promise.resolve([]) }, settings: { dkim: null, spfInclude: null } },
    ...(intervals !== undefined && { intervals }),
    logger: pino({ level: 'silent' }),
  })
