interface Bytes {
  readonly bytes: number
  readonly ofBytes: number
}

/** A line of a terminal that is written again and again. Where there is no terminal, it is silent. */
export function progressLine(verb: string): {
  readonly show: (progress: Bytes) => void
  readonly end: () => void
} {
  let shown = false
  return {
    show({ bytes, ofBytes }) {
      if (!process.stderr.isTTY) return
      shown = true
      process.stderr.write(`\r${verb}: ${bytesInWords(bytes)} of about ${bytesInWords(ofBytes)} …   `)
    },
    end() {
      if (shown) process.stderr.write('\n')
    },
  }
}

/** As in `12 MB`. */
export const bytesInWords = (bytes: number): string =>
  new Intl.NumberFormat('en', { style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 }).format(
    bytes / 1e6,
  )
