export { userActions } from './user-actions.ts'
