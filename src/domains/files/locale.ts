import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  { success: { uploadImage: '上传成功' } },
  { success: { uploadImage: 'Uploaded' } },
)
