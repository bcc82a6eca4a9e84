import { imageWidths, longestSide, maxImagePixels } from './image-bounds.ts'

/** An image in one size, as WebP. */
export interface MadeSize {
  readonly width: number
  readonly height: number
  readonly content: Buffer
}

/** Seconds for one size. */
const secondsForSize = 20
const quality = 82

/** Why an image can't be shown. The message is for the merchant. */
export class ImageFault extends Error {}

/** A size took too long: the image is large, or the machine is busy. */
export class SlowImage extends Error {}

/**
 * Makes the listed sizes of an image, smallest first; the last one is the whole image. They are upright and have no
 * metadata: a photo's may say where it was taken. Of an animation, the first picture is taken.
 *
 * @throws ImageFault if the image can't be read, or has too many pixels; SlowImage
 */
export async function makeSizes(original: Buffer): Promise<readonly MadeSize[]> {
  // Loaded when it is needed: most processes never make an image.
  const { default: sharp } = await import('sharp')
  // One image at a time, on one thread, with nothing kept in between.
  sharp.concurrency(1)
  sharp.cache(false)
  const open = () =>
    sharp(original, { limitInputPixels: maxImagePixels, failOn: 'error', sequentialRead: true, pages: 1 })
  let began = performance.now()
  try {
    // Reads the head of the file alone, so the number of pixels is no danger here.
    const { autoOrient } = await sharp(original, { limitInputPixels: false }).metadata()
    if (autoOrient.width * autoOrient.height > maxImagePixels)
      throw new ImageFault(`The image has more than ${maxImagePixels} pixels`)
    const scale = Math.min(1, longestSide / Math.max(autoOrient.width, autoOrient.height))
    const whole = { width: scaled(autoOrient.width, scale), height: scaled(autoOrient.height, scale) }
    const smaller = imageWidths
      .filter((width) => width < whole.width)
      .map((width) => ({ width, height: scaled(whole.height, width / whole.width) }))
    const made: MadeSize[] = []
    for (const { width, height } of [...smaller, whole]) {
      began = performance.now()
      const content = await open()
        .autoOrient()
        .resize(width, height, { fit: 'fill' })
        .webp({ quality })
        .timeout({ seconds: secondsForSize })
        .toBuffer()
      made.push({ width, height, content })
    }
    return made
  } catch (error) {
    if (error instanceof ImageFault) throw error
    if (performance.now() - began >= secondsForSize * 1_000)
      throw new SlowImage(`A size takes more than ${secondsForSize} seconds`, { cause: error })
    throw new ImageFault('The image can not be read', { cause: error })
  }
}

const scaled = (pixels: number, scale: number): number => Math.max(1, Math.round(pixels * scale))
