import { call } from '../../../web/call.ts'
import { adMaterials } from '../contract.ts'

/** What the dialog of files takes; the server looks at the bytes. */
export const accept = 'image/jpeg,image/png,video/mp4'
export const most = 5

export const uploadMedia = async (file: File): Promise<string> =>
  (await call(adMaterials.upload, {}, { file })).file

/** A file's name without its ending, as long as a material's may be. */
export const nameOf = (file: File): string =>
  file.name
    .replace(/\.[A-Za-z0-9]{1,5}$/, '')
    .trim()
    .slice(0, 40)
