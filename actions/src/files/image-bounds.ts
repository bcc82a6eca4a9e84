/** The widths of an image's sizes in pixels, as far as the image has them. The largest is also the longest side of all. */
export const imageWidths = [160, 320, 640, 1280, 2560] as const

/** The longest side of what is kept of an image, in pixels. */
export const longestSide = Math.max(...imageWidths)

/** Bytes of an upload. */
export const maxImageBytes = 20_000_000

/** Pixels of an upload; a small file may unpack to any number. */
export const maxImagePixels = 50_000_000

/** The media types of uploads. SVG isn't one of them, because it may contain scripts; GIF isn't, because of its animations. */
export const imageTypes: readonly string[] = ['image/avif', 'image/jpeg', 'image/png', 'image/webp']

/** Their names, for people. */
export const imageTypeNames = 'AVIF, JPEG, PNG or WebP'
