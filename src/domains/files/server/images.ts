import sharp from 'sharp'
import { common, Refusal } from '../../../shared/errors.ts'
import { fileErrors } from '../contract.ts'

/** Bytes of an upload and of what is stored; pixels before decoding; the longer side after it. */
export const imageLimits = { bytes: 2 * 1024 * 1024, pixels: 50_000_000, side: 2000 }
/** Decoding takes memory by pixels, not bytes: two at a time, the others wait. */
const slots = { free: 2, waiting: [] as (() => void)[] }

export type CleanImage = { bytes: Buffer; extension: 'jpg' | 'png'; mime: 'image/jpeg' | 'image/png' }

const wrong = (def: (typeof fileErrors)[keyof typeof fileErrors]) => new Refusal(def, {}, [{ field: 'file', text: def.text }])

/** By content, never by name: what the first bytes say. */
function imageKind(bytes: Buffer): 'jpg' | 'png' | null {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'jpg'
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) return 'png'
  return null
}

/**
 * Decodes and writes the picture anew: upright by its EXIF, then without any metadata, appended bytes or foreign chunks.
 * A picture that is damaged anywhere is refused.
 */
export async function cleanImage(bytes: Buffer): Promise<CleanImage> {
  if (bytes.length === 0) throw wrong(fileErrors.imageBroken)
  if (bytes.length > imageLimits.bytes) throw wrong(fileErrors.imageTooLarge)
  const kind = imageKind(bytes)
  if (!kind) throw wrong(fileErrors.imageType)
  await takeSlot()
  try {
    return await encode(bytes, kind)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw wrong(/pixel limit/i.test(String(error)) ? fileErrors.imagePixels : fileErrors.imageBroken)
  } finally {
    freeSlot()
  }
}

async function encode(bytes: Buffer, kind: 'jpg' | 'png'): Promise<CleanImage> {
  const image = sharp(bytes, { limitInputPixels: imageLimits.pixels, failOn: 'warning', sequentialRead: false })
    .rotate()
    .resize({ width: imageLimits.side, height: imageLimits.side, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
  if (kind === 'png') {
    const png = await image.clone().png({ compressionLevel: 9 }).toBuffer()
    if (png.length <= imageLimits.bytes) return { bytes: png, extension: 'png', mime: 'image/png' }
  }
  // noise grows when it is written anew; the quality gives way, not the limit
  for (const quality of [86, 72, 55, 35]) {
    const jpg = await image
      .clone()
      .flatten({ background: '#ffffff' })
      .jpeg({ quality, mozjpeg: quality === 86 })
      .toBuffer()
    if (jpg.length <= imageLimits.bytes) return { bytes: jpg, extension: 'jpg', mime: 'image/jpeg' }
  }
  throw wrong(fileErrors.imageTooLarge)
}

async function takeSlot(): Promise<void> {
  if (slots.free > 0) slots.free -= 1
  else if (slots.waiting.length >= 20) throw new Refusal(common.busy)
  else await new Promise<void>((resolve) => slots.waiting.push(resolve))
}
function freeSlot(): void {
  const next = slots.waiting.shift()
  if (next) next()
  else slots.free += 1
}
