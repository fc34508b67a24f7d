import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import { bi } from '../../shared/text.ts'

export const batchErrors = defineErrors('batches', {
  numberTaken: [
    409004,
    '该供应商已有此商品的同一批号',
    'The supplier has this batch of the product already',
  ],
  producedLater: [422001, '生产日期不能晚于今天', 'It cannot be produced after today'],
  lessThanLoaded: [
    422001,
    '入库数量不能小于已上架数量',
    'Fewer than are in machines or sold already',
  ],
  productElsewhere: [
    422001,
    '供应商所属机构不能使用该商品',
    'The organisation of the supplier cannot use this product',
  ],
  supplierOff: [422001, '该供应商已停用', 'The supplier is disabled'],
  licenceEnded: [
    422001,
    '该供应商的经营许可证已过期，不能新增药品批次',
    'The licence of this supplier has expired: no batch of drugs can be added',
  ],
  recalledAlready: [422001, '该批次已召回', 'This batch is recalled already'],
  notRecalled: [422001, '该批次未召回', 'This batch is not recalled'],
  used: [422001, '该批次已使用，不能删除', 'This batch was used already'],
  moreThanThere: [
    422001,
    '销毁数量不能超过库中未销毁的 {most} 件',
    'No more than the {most} pieces in the store that are not destroyed',
  ],
  witnessSelf: [422001, '见证人不能是本人', 'The witness is somebody else'],
  notAsked: [422001, '没有待确认的解除申请', 'Nobody asked for the end of this recall'],
  samePerson: [422001, '须由另一人确认', 'Somebody else has to confirm it'],
  codesTaken: [422001, '追溯码已存在：{codes}', 'Trace codes that exist already: {codes}'],
})

/** How fast the goods must be out of all machines: 24 hours, 48 hours, 7 days. */
export const recallLevels = ['I', 'II', 'III'] as const
export const recallHours = { I: 24, II: 48, III: 168 } as const
/** `ASKED`: somebody wants to end it although goods are missing. */
export const recallStates = ['OPEN', 'ASKED', 'LATE', 'ENDED'] as const

export const codeStates = ['IN_STOCK', 'LOADED', 'SOLD', 'WITHDRAWN'] as const
/** What the traceability platform knows of what happened to a box. */
export const uploadStates = ['WAITING', 'SENT', 'FAILED'] as const

type Dates = { readonly producedOn: string; readonly expiresOn: string }
export const dateFindings = ({ producedOn, expiresOn }: Dates) =>
  expiresOn > producedOn
    ? []
    : [
        {
          field: 'expiresOn',
          text: bi('有效期必须晚于生产日期', 'It must last longer than the day it was made'),
        },
      ]

export const producedRule = ({ producedOn }: Dates, today: string): ErrorDef | null =>
  producedOn > today ? batchErrors.producedLater : null
