import { Overrun, openThreads } from '../../../server/threads.ts'
import { Refusal } from '../../../shared/errors.ts'
import { fileErrors } from '../contract.ts'
import { imageLimits } from '../rules.ts'
import type { ImageWork, Written } from './imageThread.ts'

/** Decoding takes up to 320 MB: one at a time, and the memory goes with the process. */
const apart = openThreads<ImageWork>(new URL('./imageThread.ts', import.meta.url), {
  threads: 1,
  waiting: 20,
  seconds: 15,
  megabytes: 64,
  apart: true,
})

export const shrunk = (bytes: Uint8Array, width: number, kind: 'webp' | 'jpg') =>
  apart('shrink', { bytes, width, kind })

export type CleanImage = Written & { readonly bytes: Buffer }

const wrong = (def: (typeof fileErrors)[keyof typeof fileErrors]) =>
  new Refusal(def, {}, [{ field: 'file', text: def.text }])

/** By content, never by name: what the first bytes say. */
function imageKind(bytes: Buffer): 'jpg' | 'png' | null {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'jpg'
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])))
    return 'png'
  return null
}

/**
 * Decodes and writes the picture anew: upright by its EXIF, then without any metadata, appended
 * bytes or foreign chunks. A picture that is damaged anywhere is refused.
 */
export async function cleanImage(bytes: Buffer, orgId: number): Promise<CleanImage> {
  if (bytes.length === 0) throw wrong(fileErrors.imageBroken)
  if (bytes.length > imageLimits.bytes) throw wrong(fileErrors.imageTooLarge)
  const kind = imageKind(bytes)
  if (!kind) throw wrong(fileErrors.imageType)
  const written = await apart('writeAnew', { bytes, kind }, { orgId }).catch((error: unknown) => {
    throw error instanceof Overrun ? wrong(fileErrors.imageBroken) : error
  })
  if ('fault' in written) throw wrong(fileErrors[written.fault])
  return { ...written, bytes: Buffer.from(written.bytes) }
}
