export {
  createSecretBox,
  type EncryptionKey,
  formatEncryptionKeys,
  newEncryptionKey,
  parseEncryptionKeys,
  type SecretBox,
} from './secret-box.ts'
