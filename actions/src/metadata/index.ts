export { type KeptFields, keepingWith, merchantsFieldErrors } from './kept-fields.ts'
