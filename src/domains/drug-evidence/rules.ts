import { defineErrors } from '../../shared/errors.ts'

export const evidenceErrors = defineErrors('drugEvidence', {
  noScope: [422001, '请选择证据范围', 'Choose what the package is about'],
  tooManyDevices: [
    422001,
    '证据范围超过 {most} 台设备，请缩小范围',
    'More than {most} machines: choose fewer',
  ],
  laterThanNow: [422001, '数据截至时间不能晚于现在', 'Data cannot be of a later time than now'],
  tooManyRows: [
    422001,
    '证据包超过 {most} 行，请缩小时间或设备范围',
    'The package would have more than {most} rows: choose a shorter time or fewer machines',
  ],
  oneByOne: [
    422001,
    '已有 {most} 个证据包正在生成，请稍后再试',
    '{most} packages are being made: wait for one of them',
  ],
  notReady: [422001, '证据包尚未生成', 'The package is not made yet'],
  gone: [422001, '证据包文件已到期清理', 'The file of this package is gone'],
  wider: [403001, '证据包包含您无权查看的内容', 'The package holds what you may not see'],
  rightLost: [422001, '申请人已无权生成证据包', 'Who asked for it may not make it any more'],
})

export const evidenceLimits = {
  devices: 500,
  /** Those of 500 machines for 366 days: an hour is a row, and a sale two. */
  rows: 6_000_000,
  /** Made at the same time for one person. */
  open: 3,
  keepYears: 3,
} as const

export const packStates = ['WAITING', 'RUNNING', 'DONE', 'FAILED'] as const

/** What a package is about: some machines, a batch or a box. */
export const hasScope = (of: {
  deviceIds?: readonly number[] | undefined
  batchId?: number | undefined
  code?: string | undefined
}): boolean => Boolean(of.deviceIds?.length || of.batchId || of.code)
