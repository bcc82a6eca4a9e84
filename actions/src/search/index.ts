export { followLanguages } from './follow-languages.ts'
export { refreshSearch } from './refresh-search.ts'
