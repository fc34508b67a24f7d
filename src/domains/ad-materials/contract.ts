import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { mediaErrors } from '../files/contract.ts'

export const adMaterialErrors = defineErrors('adMaterials', {
  taken: [409004, '素材已存在', 'This organisation has this file already'],
  ownerKind: [422001, '该机构不能拥有广告素材', 'This organisation cannot own ad materials'],
  licence: [400001, '请填写广告批文', 'Enter the licence of the advertisement'],
  past: [422001, '有效期不能早于今天', 'The last day cannot lie in the past'],
  inUse: [
    409003,
    '当前节目组或素材正在使用中，无法删除',
    'A program group uses it; it cannot be deleted',
  ],
  notPending: [409003, '素材不在待审核状态', 'The material does not wait for review'],
  ownReview: [
    403003,
    '审核人不能是上传人或修改人本人',
    'Who uploaded or changed a material cannot review it',
  ],
  reason: [400001, '请填写驳回原因', 'Say why it is rejected'],
  missingFile: [422001, '文件已失效，请重新上传', 'The file is gone; upload it again'],
  otherKind: [422001, '替换文件须为同一类型', 'The new file must be of the same kind'],
  waits: [409003, '已有替换文件待审核', 'A new file already waits for review'],
  notHere: [422001, '请选择素材', 'Choose the material'],
})

export const kinds = ['IMAGE', 'VIDEO'] as const
export const tags = ['BRAND', 'PROMOTION', 'NOTICE', 'DRUG', 'MEDICAL'] as const
export const states = ['PENDING', 'APPROVED', 'REJECTED'] as const

const mediaUrl = z
  .string(bi('请选择文件', 'Choose a file'))
  .max(200)
  .regex(/^files\/[a-z0-9-]+\.(jpg|png|mp4)$/, bi('请选择文件', 'Choose a file'))
const fields = {
  name: f.text(40, bi('名称不能为空', 'Enter the name')),
  tags: z
    .array(z.enum(tags))
    .max(tags.length)
    .refine((all) => new Set(all).size === all.length, bi('不能重复', 'Each only once'))
    .default([]),
  licenceNo: f.optionalText(40),
  validUntil: f.day.nullable().default(null),
}
export const NewMaterial = z.strictObject({ orgId: f.id.optional(), file: mediaUrl, ...fields })
export const EditMaterial = z.strictObject({ id: f.id, version: f.version, ...fields })

export const MaterialRow = z.strictObject({
  id: f.id,
  file: z.string(),
  kind: z.enum(kinds),
  ...f.shown(fields),
  width: f.count,
  height: f.count,
  durationMs: f.count.nullable(),
  bytes: f.count,
  orgId: f.id,
  orgName: z.string(),
  state: z.enum(states),
  reason: z.string(),
  /** Program groups that show it. */
  refCount: f.count,
  creativeCount: f.count,
  /** The one whose place it takes when it is approved. */
  replacesName: z.string(),
  uploader: z.string(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({
    update: z.boolean(),
    delete: z.boolean(),
    review: z.boolean(),
    replace: z.boolean(),
    creative: z.boolean(),
  }),
})
export type MaterialRow = z.infer<typeof MaterialRow>
export const MaterialOption = MaterialRow.pick({
  id: true,
  name: true,
  kind: true,
  file: true,
  orgId: true,
  orgName: true,
})

const seconds = z
  .number(bi('时长超出范围', '1 to 300 seconds'))
  .int(bi('时长超出范围', '1 to 300 seconds'))
  .min(1, bi('时长超出范围', '1 to 300 seconds'))
  .max(300, bi('时长超出范围', '1 to 300 seconds'))
const creativeFields = {
  title: f.text(40, bi('名称不能为空', 'Enter the name')),
  /** Of a film its own length, whatever is said. */
  seconds: seconds.default(10),
  caption: f.optionalText(30),
  qrUrl: z
    .string()
    .trim()
    .max(300)
    .regex(/^(https:\/\/[^\s"'<>\\]+)?$/, bi('链接格式不正确', 'The link must begin with https://'))
    .default(''),
}
export const CreativeRow = z.strictObject({
  id: f.id,
  materialId: f.id,
  ...f.shown(creativeFields),
  materialName: z.string(),
  kind: z.enum(kinds),
  file: z.string(),
  state: z.enum(states),
  validUntil: f.day.nullable(),
  orgId: f.id,
  orgName: z.string(),
  refCount: f.count,
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type CreativeRow = z.infer<typeof CreativeRow>

const one = { id: f.id, version: f.version }
const ofFile = [adMaterialErrors.taken, adMaterialErrors.missingFile] as const
const ofFields = [adMaterialErrors.licence, adMaterialErrors.past] as const

export const adMaterials = {
  list: read('ad-material:read', {
    path: '/ad-materials',
    summary: 'Materials of advertisements',
    export: 'ad-material:export',
    input: listQuery(
      {
        keyword,
        kind: z.enum(kinds).optional(),
        state: z.enum(states).optional(),
        orgId: f.id.optional(),
        tag: z.enum(tags).optional(),
        inUse: z.boolean().optional(),
        /** The last day lies within so many days, or in the past. */
        endsWithin: z.number().int().min(0).max(366).optional(),
        ...rangeFields,
      },
      ['name', 'bytes', 'validUntil', 'createTime'],
      '-createTime',
    ),
    output: page(MaterialRow),
  }),
  options: read('ad-material:read', {
    path: '/ad-materials/options',
    summary:
      'Approved materials for a select box, of one organisation when it is given; at most 500',
    input: z.strictObject({ orgId: f.id.optional() }),
    output: z.strictObject({ list: z.array(MaterialOption) }),
  }),
  get: read('ad-material:read', {
    path: '/ad-materials/{id}',
    summary: 'One material',
    input: z.strictObject({ id: f.id }),
    output: MaterialRow,
  }),
  upload: write('ad-material:create', {
    path: '/ad-materials/upload',
    summary:
      'One file, field `file`: jpg or png up to 2 MiB, or mp4 (H.264, AAC) up to 8 MiB; answers its address',
    audit: { none: 'the uploads row keeps who and when; the material that uses it is logged' },
    upload: true,
    errors: mediaErrors,
    output: z.strictObject({ file: mediaUrl }),
  }),
  create: write('ad-material:create', {
    path: '/ad-materials',
    summary: 'Add a material; what is not the platform’s own waits for review',
    audit: 'adMaterials.create',
    errors: [adMaterialErrors.ownerKind, ...ofFile, ...ofFields],
    input: NewMaterial,
    output: MaterialRow,
  }),
  update: write('ad-material:update', {
    method: 'PUT',
    path: '/ad-materials/{id}',
    summary: 'Change words of a material; other tags or another licence want another review',
    audit: 'adMaterials.update',
    errors: ofFields,
    input: EditMaterial,
    output: MaterialRow,
  }),
  review: write('ad-material:review', {
    path: '/ad-materials/{id}/review',
    summary: 'Approve or reject a material',
    audit: 'adMaterials.review',
    errors: [adMaterialErrors.notPending, adMaterialErrors.ownReview, adMaterialErrors.reason],
    input: z.strictObject({ ...one, approve: z.boolean(), reason: f.optionalText(200) }),
    output: MaterialRow,
  }),
  replace: write('ad-material:update', {
    path: '/ad-materials/{id}/replace',
    summary:
      'Another file in the place of this one: a new material, which takes its creatives over when it is approved',
    audit: 'adMaterials.replace',
    errors: [...ofFile, adMaterialErrors.otherKind, adMaterialErrors.waits],
    input: z.strictObject({ ...one, file: mediaUrl }),
    output: MaterialRow,
  }),
  references: read('ad-material:read', {
    path: '/ad-materials/{id}/references',
    summary: 'Program groups that show a material',
    input: z.strictObject({ id: f.id }),
    output: z.strictObject({
      list: z.array(
        z.strictObject({ groupId: f.id, groupName: z.string(), creativeTitle: z.string() }),
      ),
    }),
  }),
  remove: write('ad-material:delete', {
    method: 'DELETE',
    path: '/ad-materials/{id}',
    summary: 'Delete a material that no program group shows, with its creatives',
    audit: 'adMaterials.remove',
    errors: [adMaterialErrors.inUse],
    input: z.strictObject(one),
    output: f.done,
  }),
  creatives: read('ad-material:read', {
    path: '/ad-creatives',
    summary: 'Creatives: a material with its seconds and words',
    input: listQuery(
      {
        keyword,
        materialId: f.id.optional(),
        orgId: f.id.optional(),
        state: z.enum(states).optional(),
      },
      ['title', 'createTime'],
      '-createTime',
    ),
    output: page(CreativeRow),
  }),
  createCreative: write('ad-material:create', {
    path: '/ad-creatives',
    summary: 'Add a creative to a material',
    audit: 'adMaterials.createCreative',
    errors: [adMaterialErrors.notHere],
    input: z.strictObject({ materialId: f.id, ...creativeFields }),
    output: CreativeRow,
  }),
  updateCreative: write('ad-material:update', {
    method: 'PUT',
    path: '/ad-creatives/{id}',
    summary: 'Change a creative',
    audit: 'adMaterials.updateCreative',
    input: z.strictObject({ ...one, ...creativeFields }),
    output: CreativeRow,
  }),
  removeCreative: write('ad-material:delete', {
    method: 'DELETE',
    path: '/ad-creatives/{id}',
    summary: 'Delete a creative that no program group shows',
    audit: 'adMaterials.removeCreative',
    errors: [adMaterialErrors.inUse],
    input: z.strictObject(one),
    output: f.done,
  }),
}
