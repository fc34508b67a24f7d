import { call } from '../../../web/call.ts'
import { files } from '../contract.ts'

/** One picture; answers its address. */
export const uploadImage = async (file: File): Promise<string> =>
  (await call(files.uploadImage, {}, { file })).url
