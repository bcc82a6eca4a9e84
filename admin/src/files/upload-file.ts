export interface UploadTarget {
  readonly url: string
  readonly method: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

interface Progress {
  /** Of the file, from 0 to 1. */
  readonly onProgress: (share: number) => void
  readonly signal?: AbortSignal
}

/** Sends a file to a URL that the API gave. By XMLHttpRequest, because fetch doesn't say how far an upload is. */
export const uploadFile = (
  { url, method, headers }: UploadTarget,
  file: Blob,
  { onProgress, signal }: Progress,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, url)
    for (const { name, value } of headers) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total > 0 ? loaded / total : 0),
    )
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve()
      else reject(new Error(`The storage of files has refused the upload with the status ${request.status}.`))
    })
    request.addEventListener('error', () => reject(new Error('The storage of files could not be reached.')))
    request.addEventListener('abort', () =>
      reject(new DOMException('The upload was cancelled.', 'AbortError')),
    )
    signal?.addEventListener('abort', () => request.abort())
    request.send(file)
  })
