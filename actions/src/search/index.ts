export { followLanguages } from './follow-languages.ts'
