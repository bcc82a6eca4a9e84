/** The Web Crypto API of browsers and workers. */
export const webCrypto: Pick<Crypto, 'getRandomValues' | 'subtle'> = globalThis.crypto
