import type { Metadata, Source } from './types.ts'

/** The metadata as it is stored and exported, with sources of other kinds as they were written. */
export const written = (metadata: Metadata): object => ({
  ...metadata,
  sources: metadata.sources.map((source) => writtenSource(source)),
})

const writtenSource = ({ foreign, ...source }: Source): object =>
  foreign === undefined ? source : { ...foreign, name: source.name }
