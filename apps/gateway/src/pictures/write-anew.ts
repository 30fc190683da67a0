import { fault, invalidField, tooManyReads } from '@herald/contracts/fault'
import { openAtOnce } from '@herald/service/at-once'
import type { Sharp } from 'sharp'
import { mostBytes, mostSide, type Picture, type PictureFormat } from './core/picture.ts'

type Library = typeof import('sharp').default

/** What every platform shows: GIF stays because it moves; a picture that can be seen through is PNG, and any other JPEG. */
const written = { jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif' } as const

/** Two pictures at once take at most 2 × 67 MB of memory. Others wait shortly. */
const few = openAtOnce({ atOnce: 2, share: 1, mostWaiting: 20, waitMs: 5_000, full: () => tooManyReads(5) })

/**
 * Writes an uploaded picture anew, so that nothing is served but pixels: no place where it was taken, no bytes behind the picture, no other format.
 * Faults: invalid_body (no picture, another type, too large), rate_limited.
 */
export const writeAnew = (bytes: Buffer, type: PictureFormat, appId: string): Promise<Omit<Picture, 'name'>> =>
  few(async () => {
    const read = await openLibrary()
    const found = await read(bytes)
      .metadata()
      .catch(() => {
        throw invalidField('', 'cannot be read as an image')
      })
    if (found.format !== type) throw invalidField('', `is no ${type}, as its content-type says`)
    const height = found.pageHeight ?? found.height
    if (found.width > mostSide || height > mostSide) throw invalidField('', `must be an image of at most ${mostSide} by ${mostSide} pixels`)
    const format = type === 'gif' ? 'gif' : found.hasAlpha ? 'png' : 'jpeg'
    if ((found.pages ?? 1) > mostFrames) throw invalidField('', `must have at most ${mostFrames} frames`)
    const made = await encoded(
      read(bytes, format === 'gif')
        .autoOrient()
        .timeout({ seconds: 10 }),
      format,
    ).catch(() => {
      throw invalidField('', 'is an image that ends too early, is damaged, or has too many frames')
    })
    if (made.data.length > mostBytes)
      throw fault('body_too_large', `The image has more than ${mostBytes / 1024} KiB once it is written anew. Make it smaller.`)
    const { width, height: whole, pageHeight } = made.info as { width: number; height: number; pageHeight?: number }
    return { mediaType: written[format], width, height: pageHeight ?? whole, bytes: made.data }
  }, appId)

const encoded = (picture: Sharp, format: keyof typeof written) =>
  (format === 'jpeg'
    ? picture.jpeg({ quality: 85 })
    : format === 'png'
      ? picture.png({ compressionLevel: 9 })
      : picture.gif({ effort: 1 })
  ).toBuffer({
    resolveWithObject: true,
  })

/** A GIF may have this many frames, since each is written anew for itself. */
const mostFrames = 200

/** More pixels than this, of all frames together, are not decoded. */
const mostPixels = mostSide * mostSide

/** Opens a picture. Only a GIF stays animated: of any other format the first frame is taken. */
type Open = (bytes: Buffer, animated?: boolean) => Sharp
let library: Promise<Open> | undefined

/** Loads sharp when the first picture comes, since it takes 20 MB of memory. It reads no format but those of pictures: no SVG, no PDF, no video. */
async function openLibrary(): Promise<Open> {
  library ??= import('sharp').then(({ default: sharp }: { default: Library }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({
      operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer', 'VipsForeignLoadNsgifBuffer'],
    })
    return (bytes, animated = true) => sharp(bytes, { animated, limitInputPixels: mostPixels, failOn: 'error' })
  })
  return library
}
