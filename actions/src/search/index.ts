export { followAttributes } from './follow-attributes.ts'
export { followLanguages } from './follow-languages.ts'
export { refreshSearch } from './refresh-search.ts'
