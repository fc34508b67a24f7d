import { call } from '../../../web/call.ts'
import { files } from '../contract.ts'

/** One picture; answers its address. */
export const uploadImage = async (file: File, own: boolean): Promise<string> =>
  (await call(own ? files.uploadOwnPicture : files.uploadImage, {}, { file })).url
