import { z } from 'zod'
import { write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'

export const fileErrors = defineErrors('files', {
  imageTooLarge: [413001, '图片不能超过2M', 'The picture must not exceed 2M'],
  imageType: [415001, '只支持jpg或png格式', 'Only jpg or png is supported'],
  imageBroken: [400001, '图片已损坏，无法读取', 'The picture is damaged and cannot be read'],
  imagePixels: [
    400001,
    '图片尺寸过大，不能超过2500万像素',
    'The picture has too many pixels, at most 25 million',
  ],
  tooManyToday: [
    429004,
    '今天上传的文件过多，请明天再试',
    'Too many files today, try again tomorrow',
  ],
  noFile: [400001, '请选择一张图片', 'Choose one picture'],
  notMultipart: [415001, '请以表单方式上传图片', 'Send the picture as multipart form data'],
})

const picture = {
  summary:
    'One picture, field `file`, jpg or png up to 2 MiB; answers its address relative to the base path',
  audit: {
    none: 'the uploads row keeps who and when; the record that uses the picture is logged',
  },
  upload: true,
  errors: Object.values(fileErrors),
  output: z.strictObject({ url: f.imageUrl }),
} as const

export const files = {
  uploadImage: write('upload:create', { path: '/uploads/images', ...picture }),
  /** Everybody has a face, whatever his roles let him do. */
  uploadOwnPicture: write('self', {
    path: '/me/picture',
    ...picture,
    summary: `For the own record. ${picture.summary}`,
  }),
}
