import { webcrypto } from 'node:crypto'

/** The Web Crypto API of Node, which is not a global in Node 18. */
export const webCrypto = webcrypto as Pick<Crypto, 'getRandomValues' | 'subtle'>
