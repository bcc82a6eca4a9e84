export { operatorActions } from './actions.ts'
