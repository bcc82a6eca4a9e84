/** The Hasura whose API this is. hasura-cli and the console read it to know what they may ask for. */
export const hasuraVersion = 'v2.48.0'
