import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'
import { deviceErrors } from './errors.ts'
import { Batch, ids } from './lifecycleContract.ts'

/** Tags on machines and off them, one or up to 200. */
const chosen = f.ids().max(20)
const chooseTag = bi('请选择标签', 'Choose a tag')
const input = z
  .strictObject({ ids, on: chosen.default([]), off: chosen.default([]) })
  .refine(({ on, off }) => on.length + off.length > 0, { message: chooseTag, path: ['on'] })

export const tagEndpoints = {
  previewTags: read('device:update', {
    path: '/devices/batch-tags',
    summary: 'Whose tags would change',
    input,
    output: Batch,
  }),
  tagMany: write('device:update', {
    path: '/devices/batch-tags',
    summary: 'Tags of its own organisation onto each machine, and off it; others are skipped',
    audit: 'devices.tagMany',
    errors: [deviceErrors.tagElsewhere, deviceErrors.mostTags],
    input,
    output: Batch,
  }),
}
