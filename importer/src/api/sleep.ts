import { ImportStopped } from './api-error.ts'

/** @throws ImportStopped as soon as `stopping` is signalled */
export const sleep = (milliseconds: number, stopping: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new ImportStopped('interrupted'))
    }
    const timer = setTimeout(() => {
      stopping.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (stopping.aborted) stop()
    else stopping.addEventListener('abort', stop, { once: true })
  })
