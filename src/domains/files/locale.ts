import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  { success: { uploadImage: '上传成功', uploadOwnPicture: '上传成功' } },
  { success: { uploadImage: 'Uploaded', uploadOwnPicture: 'Uploaded' } },
)
