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
  mediaType: [415001, '只能上传 jpg、png 格式图片或 mp4 视频', 'Only jpg, png or mp4'],
  mediaTooLarge: [413001, '文件大小不能超过8M', 'The file must not exceed 8M'],
  filmCodec: [
    415001,
    '视频须为 H.264 编码的 mp4，音频须为 AAC',
    'The film must be an mp4 with H.264, its sound AAC',
  ],
  filmBroken: [400001, '视频已损坏，无法读取', 'The film is damaged and cannot be read'],
  filmSize: [
    400001,
    '视频尺寸不能超过3840×2160',
    'The film has too many pixels, at most 3840 × 2160',
  ],
  filmLength: [400001, '视频时长须为1-300秒', 'The film must play 1 to 300 seconds'],
  noFile: [400001, '请选择一张图片', 'Choose one picture'],
  notMultipart: [415001, '请以表单方式上传图片', 'Send the picture as multipart form data'],
})

const { mediaType, mediaTooLarge, filmCodec, filmBroken, filmSize, filmLength, ...ofPictures } =
  fileErrors
const pictureErrors = Object.values(ofPictures)
/** What a picture or a film may be refused for. */
export const mediaErrors = Object.values(fileErrors)

const picture = {
  summary:
    'One picture, field `file`, jpg or png up to 2 MiB; answers its address relative to the base path',
  audit: {
    none: 'the uploads row keeps who and when; the record that uses the picture is logged',
  },
  upload: true,
  errors: pictureErrors,
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
