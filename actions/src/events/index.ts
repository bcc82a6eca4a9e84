export { purgeDeletions, purgeEvents, sequenceEvents } from './sequence.ts'
