export { fileActions } from './actions.ts'
export { type ImageProcessing, processImages } from './process-images.ts'
export { purgeFiles } from './purge.ts'
