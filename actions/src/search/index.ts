export { followAttributes } from './follow-attributes.ts'
export { followLanguages } from './follow-languages.ts'
export { followTallies, tallyCommonWords, tallyLargeMerchants } from './follow-tallies.ts'
export { refreshSearch } from './refresh-search.ts'
