export { hasMinio, MinioProcess } from './minio-process.ts'
export { temporaryStorage } from './temporary-storage.ts'
