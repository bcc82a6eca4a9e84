/**
 * Milliseconds for which the servers behind the engine keep an idle connection beyond the time that they promise. The
 * engine may be in the same process: a request that it has written is read only after the current turn of the event
 * loop, and a long turn would let the idle connection time out first. `fetch` doesn't repeat such a request.
 */
export const keepAliveTimeoutBuffer = 5_000
