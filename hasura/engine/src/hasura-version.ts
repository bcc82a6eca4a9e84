/** The version of Hasura whose API this is. hasura-cli and the console derive from it what they can use. */
export const hasuraVersion = 'v2.48.0'
