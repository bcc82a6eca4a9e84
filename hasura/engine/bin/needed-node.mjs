/** The first release of Node that the engine runs on. */
export const neededNode = 24
