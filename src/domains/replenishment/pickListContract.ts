import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { replenishmentErrors } from './errors.ts'

export const PickList = z.strictObject({
  id: f.id,
  userName: z.string(),
  devices: f.count,
  pieces: f.count,
  createTime: f.instant,
})
export type PickList = z.infer<typeof PickList>

export const PickItem = z.strictObject({
  productId: f.id,
  productName: z.string(),
  model: z.string(),
  barcode: z.string(),
  devices: f.count,
  planned: f.count,
})
export type PickItem = z.infer<typeof PickItem>

export const pickListEndpoints = {
  pickLists: read('replenish:read', {
    path: '/pick-lists',
    summary: 'Pick lists, the newest first',
    input: listQuery({}, ['createTime'], '-createTime'),
    output: page(PickList),
  }),
  pickItems: read('replenish:read', {
    path: '/pick-lists/{id}/items',
    summary: 'What to take along, by product',
    input: listQuery({ id: f.id }, ['planned'], '-planned'),
    output: page(PickItem),
    export: 'replenish:export',
  }),
  pick: write('replenish:create', {
    path: '/pick-lists',
    summary: 'What fills the chosen machines; it fixes the plan of their visits',
    audit: 'replenishment.pick',
    errors: [replenishmentErrors.noNeed],
    input: z.strictObject({
      deviceIds: f
        .ids()
        .min(1, bi('请选择设备', 'Choose machines'))
        .max(50, bi('一次最多 50 台设备', 'At most 50 machines at a time')),
    }),
    output: PickList,
  }),
}
