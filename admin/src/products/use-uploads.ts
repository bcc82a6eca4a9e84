import { useEffect, useRef, useState } from 'react'
import { RequestFailed } from '@commerce-graph/client'
import { reasonOf } from '../api/field-errors.ts'
import { type ImageProgress, uploadImage } from '../files/upload-image.ts'
import { useText } from '../language/language.tsx'

export interface Upload {
  readonly id: number
  readonly name: string
  readonly progress: ImageProgress
  /** Why it failed. */
  readonly fault: string | null
}

export interface Uploads {
  readonly uploads: readonly Upload[]
  readonly add: (files: readonly File[]) => void
  readonly dismiss: (id: number) => void
}

let last = 0

/**
 * Uploads pictures one after the other, since each changes the list that the next one is added to.
 *
 * @param onUploaded stores the picture, and resolves with whether it could
 */
export function useUploads(onUploaded: (url: string) => Promise<boolean>): Uploads {
  const t = useText()
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const queue = useRef(Promise.resolve())
  // The list of the product changes while pictures wait for their turn.
  const store = useRef(onUploaded)
  useEffect(() => {
    store.current = onUploaded
  })
  const dismiss = (id: number) => setUploads((all) => all.filter((each) => each.id !== id))
  const change = (id: number, part: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.id === id ? { ...each, ...part } : each)))
  const send = async (id: number, file: File) => {
    try {
      const url = await uploadImage(file, (progress) => change(id, { progress }))
      if (await store.current(url)) dismiss(id)
      else change(id, { fault: t('imageNotListed') })
    } catch (error) {
      const fault = error instanceof RequestFailed ? reasonOf(error.error) : (error as Error).message
      change(id, { fault })
    }
  }
  const add = (files: readonly File[]) => {
    for (const file of files) {
      const id = (last += 1)
      const upload = { id, name: file.name, progress: { step: 'sending', share: 0 }, fault: null } as const
      setUploads((all) => [...all, upload])
      queue.current = queue.current.then(() => send(id, file))
    }
  }
  return { uploads, add, dismiss }
}
