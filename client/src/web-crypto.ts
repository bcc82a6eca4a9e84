/** The Web Crypto API of browsers and workers. */
export const webCrypto: Pick<Crypto, 'randomUUID' | 'subtle'> = globalThis.crypto
