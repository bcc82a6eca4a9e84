export { bookingActions } from './actions.ts'
export { writeReminders } from './appointments.ts'
