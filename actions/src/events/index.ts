export { purgeEvents, sequenceEvents } from './sequence.ts'
