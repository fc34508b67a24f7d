import sharp from 'sharp'
import { serveThread } from '../../../server/threadMain.ts'
import { imageLimits } from '../rules.ts'

/** Pictures of strangers are decoded here, in a process of their own. */
export type Written = {
  bytes: Uint8Array
  extension: 'jpg' | 'png'
  mime: 'image/jpeg' | 'image/png'
  width: number
  height: number
}
type Fault = 'imageBroken' | 'imagePixels' | 'imageTooLarge'

// one picture is one core's work, and nothing of it is needed again
sharp.concurrency(1)
sharp.cache(false)

async function writeAnew({
  bytes,
  kind,
}: {
  bytes: Uint8Array
  kind: 'jpg' | 'png'
}): Promise<Written | { fault: Fault }> {
  try {
    return await encoded(bytes, kind)
  } catch (error) {
    return { fault: /pixel limit/i.test(String(error)) ? 'imagePixels' : 'imageBroken' }
  }
}

async function encoded(
  bytes: Uint8Array,
  kind: 'jpg' | 'png',
): Promise<Written | { fault: Fault }> {
  // decoded once; the limit of pixels is asked of its head, before
  const { data, info } = await sharp(bytes, {
    limitInputPixels: imageLimits.pixels,
    failOn: 'warning',
  })
    .rotate()
    .resize({
      width: imageLimits.side,
      height: imageLimits.side,
      fit: 'inside',
      withoutEnlargement: true,
    })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height } = info
  const image = sharp(data, {
    raw: { width: info.width, height: info.height, channels: info.channels },
  })
  if (kind === 'png') {
    const png = await image.clone().png({ compressionLevel: 9 }).toBuffer()
    if (png.length <= imageLimits.bytes)
      return { bytes: png, extension: 'png', mime: 'image/png', width, height }
  }
  // noise grows when it is written anew; the quality gives way, not the limit
  for (const quality of [86, 72, 55, 35]) {
    const jpg = await image
      .clone()
      .flatten({ background: '#ffffff' })
      .jpeg({ quality, mozjpeg: quality === 86 })
      .toBuffer()
    if (jpg.length <= imageLimits.bytes)
      return { bytes: jpg, extension: 'jpg', mime: 'image/jpeg', width, height }
  }
  return { fault: 'imageTooLarge' }
}

/** As wide as a phone shows it; one that is not wider stays as it is. */
async function shrink({
  bytes,
  width,
  kind,
}: {
  bytes: Uint8Array
  width: number
  kind: 'webp' | 'jpg'
}): Promise<Uint8Array> {
  const image = sharp(bytes, { limitInputPixels: imageLimits.pixels })
    .resize({ width, withoutEnlargement: true })
    .toColourspace('srgb')
  return kind === 'webp'
    ? image.webp({ quality: 75, effort: 4 }).toBuffer()
    : image.flatten({ background: '#ffffff' }).jpeg({ quality: 75, mozjpeg: true }).toBuffer()
}

const work = { writeAnew, shrink }
export type ImageWork = typeof work
serveThread(work)
