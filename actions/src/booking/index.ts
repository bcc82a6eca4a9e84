export { bookingActions } from './actions.ts'
export { appointmentTransitions } from './appointment-machine.ts'
export { lapseUnpaidAppointments, writeReminders } from './appointments.ts'
