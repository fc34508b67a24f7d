import { defineErrors } from '../../shared/errors.ts'

export const stockErrors = defineErrors('stock', {
  batchMissing: [422001, '请选择批次', 'Choose a batch'],
  overReceived: [
    422001,
    '超过批次剩余数量',
    'More than was received of this batch and is not loaded yet',
  ],
  notInLane: [422001, '货道内没有这么多该批次的商品', 'The lane holds fewer pieces of this batch'],
  codesMismatch: [
    422001,
    '追溯码数量与补货数量不一致',
    'The number of trace codes is not the number of pieces',
  ],
  codeUnusable: [
    422001,
    '追溯码不属于该批次或已被使用：{codes}',
    'Not trace codes of this batch, or used already: {codes}',
  ],
})
