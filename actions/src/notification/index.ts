export { notificationActions } from './actions.ts'
