import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { common, type ErrorDef, Refusal } from '../shared/errors.ts'

type Errors = {
  readonly notMultipart: ErrorDef
  readonly tooLarge: ErrorDef
  readonly noFile: ErrorDef
}

/** Files that are read at once, of all and of one tenant; each may take its whole size. */
const mostReading = 48
const mostOfOne = 12
/** Bytes that trickle hold a place: a file is there within this time, or its connection ends. */
export const slowest = 20_000
const reading: number[] = []

/**
 * Name and bytes of the one file, field `file`, that a form carries; anything else in the form is
 * refused. `tenant`: whose places are taken meanwhile.
 */
export async function oneFile(
  request: FastifyRequest,
  tenant: number,
  most: number,
  errors: Errors,
): Promise<{ name: string; bytes: Buffer }> {
  const found = await oneFileTo(request, tenant, most, errors, async (part) => ({
    name: part.filename,
    bytes: await part.toBuffer(),
  }))
  if (found.bytes.length > most) throw new Refusal(errors.tooLarge)
  return found
}

/**
 * The same for a file that is not held in memory: `take` has its bytes as they come, at most one
 * more than `most`.
 */
export async function oneFileTo<T>(
  request: FastifyRequest,
  tenant: number,
  most: number,
  errors: Errors,
  take: (part: MultipartFile) => Promise<T>,
  /** What was taken is of no use: the form is refused after it. */
  giveBack: (taken: T) => Promise<void> = async () => {},
): Promise<T> {
  if (!request.isMultipart()) throw new Refusal(errors.notMultipart)
  if (Number(request.headers['content-length'] ?? 0) > 4 * most) throw new Refusal(errors.tooLarge)
  if (reading.length >= mostReading || reading.filter((one) => one === tenant).length >= mostOfOne)
    throw new Refusal(common.busy)
  let found: { value: T } | undefined
  reading.push(tenant)
  const late = setTimeout(() => request.raw.destroy(), slowest)
  try {
    for await (const part of request.parts({
      limits: { files: 2, fields: 1, parts: 3, fileSize: most + 1, headerPairs: 50 },
    })) {
      if (part.type !== 'file' || part.fieldname !== 'file' || found)
        throw new Refusal(errors.noFile)
      found = { value: await take(part) }
    }
  } catch (error) {
    if (found) await giveBack(found.value)
    if (error instanceof Refusal) throw error
    throw new Refusal(
      (error as { code?: string }).code === 'FST_REQ_FILE_TOO_LARGE'
        ? errors.tooLarge
        : errors.noFile,
    )
  } finally {
    clearTimeout(late)
    reading.splice(reading.indexOf(tenant), 1)
  }
  if (!found) throw new Refusal(errors.noFile)
  return found.value
}
