import { describe, expect, test } from 'vitest'
import { BatchRefund, Refund } from './contract.ts'
import {
  displayStatus,
  type Hold,
  happen,
  payStates,
  refundable,
  refundBackoff,
  refundStates,
  refundTries,
  type UnitFacts,
  type VendState,
  vendStates,
} from './rules.ts'

const unit = (
  vendState: VendState,
  refundState: UnitFacts['refundState'] = null,
  dropConfirmed = vendState === 'SUCCESS',
): UnitFacts => ({
  vendState,
  refundState,
  dropConfirmed,
})
const paid = { payState: 'PAID' as const, paid: 300, refunded: 0 }

describe('what an order is called', () => {
  test.each([
    ['unpaid', { ...paid, payState: 'UNPAID' as const, paid: 0 }, [unit('WAIT')], 'UNPAID'],
    ['closed', { ...paid, payState: 'CLOSED' as const, paid: 0 }, [unit('WAIT')], 'CLOSED'],
    ['in progress', paid, [unit('SENT')], 'PAID'],
    ['not known yet', paid, [unit('UNKNOWN')], 'PAID'],
    ['drop seen', paid, [unit('SUCCESS')], 'SUCCESS'],
    ['executed, no sensor', paid, [unit('SUCCESS', null, false)], 'SHIPPED'],
    [
      'one of two executed without confirmation',
      paid,
      [unit('SUCCESS'), unit('SUCCESS', null, false)],
      'SHIPPED',
    ],
    ['failed, refund waiting', paid, [unit('FAILED', 'PENDING')], 'ABNORMAL'],
    ['failed, refund failed', paid, [unit('FAILED', 'FAILED')], 'ABNORMAL'],
    ['given up', paid, [unit('VOID')], 'ABNORMAL'],
    [
      'all back',
      { payState: 'REFUNDED' as const, paid: 300, refunded: 300 },
      [unit('FAILED', 'SUCCESS')],
      'REFUNDED',
    ],
    [
      'one left, one back',
      { payState: 'PART_REFUNDED' as const, paid: 600, refunded: 300 },
      [unit('SUCCESS'), unit('FAILED', 'SUCCESS')],
      'SUCCESS',
    ],
    [
      'free and failed',
      { payState: 'PAID' as const, paid: 0, refunded: 0 },
      [unit('FAILED', 'SUCCESS')],
      'REFUNDED',
    ],
    [
      'free and given',
      { payState: 'PAID' as const, paid: 0, refunded: 0 },
      [unit('SUCCESS')],
      'SUCCESS',
    ],
  ])('%s', (_, order, units, label) => expect(displayStatus(order, units)).toBe(label))
})

describe('what happens to a piece', () => {
  const result = (code: 'OK' | 'NO_DROP' | 'MOTOR_NOT_MOVE', dropDetected = code === 'OK') => ({
    kind: 'result' as const,
    result: code,
    dropDetected,
    durationMs: 1,
  })
  const ack = (code: 'ACCEPTED' | 'VOIDED' | 'LANE_FAULT') => ({ kind: 'ack' as const, ack: code })
  test.each<
    [
      string,
      VendState,
      Hold,
      Parameters<typeof happen>[2],
      Partial<NonNullable<ReturnType<typeof happen>>> | null,
    ]
  >([
    ['acknowledged', 'SENT', 'HELD', ack('ACCEPTED'), { vendState: 'ACKED', hold: 'HELD' }],
    ['acknowledged late', 'SUCCESS', 'CONSUMED', ack('ACCEPTED'), null],
    [
      'drop seen',
      'ACKED',
      'HELD',
      result('OK'),
      { vendState: 'SUCCESS', hold: 'CONSUMED', take: true, dropConfirmed: true },
    ],
    [
      'result before the acknowledgement',
      'SENT',
      'HELD',
      result('OK'),
      { vendState: 'SUCCESS', take: true },
    ],
    ['said twice', 'SUCCESS', 'CONSUMED', result('OK'), null],
    [
      'no drop: the piece may have left',
      'ACKED',
      'HELD',
      result('NO_DROP'),
      { vendState: 'FAILED', hold: 'FAILED_HOLD', laneFault: false },
    ],
    [
      'motor stood still: the piece is there, the lane is broken',
      'ACKED',
      'HELD',
      result('MOTOR_NOT_MOVE'),
      { vendState: 'FAILED', hold: 'RELEASED', laneFault: true },
    ],
    [
      'void acknowledged',
      'UNKNOWN',
      'HELD',
      ack('VOIDED'),
      { vendState: 'VOID', hold: 'RELEASED' },
    ],
    [
      'given up without an answer',
      'UNKNOWN',
      'HELD',
      { kind: 'abandoned', sent: true },
      { vendState: 'VOID', hold: 'FAILED_HOLD' },
    ],
    [
      'never sent',
      'WAIT',
      'HELD',
      { kind: 'abandoned', sent: false },
      { vendState: 'VOID', hold: 'RELEASED' },
    ],
    [
      'given up, then it came after all',
      'VOID',
      'FAILED_HOLD',
      result('OK'),
      { vendState: 'SUCCESS', late: true, take: true, correct: false },
    ],
    [
      'given up, counted as lost, then it came',
      'VOID',
      'COUNTED',
      result('OK'),
      { vendState: 'SUCCESS', late: true, take: true, correct: true },
    ],
    [
      'voided by the machine, then it says it left',
      'VOID',
      'RELEASED',
      result('OK'),
      { vendState: 'VOID', park: true, take: false },
    ],
    [
      'given up, then the motor says it never moved',
      'VOID',
      'FAILED_HOLD',
      result('MOTOR_NOT_MOVE'),
      { vendState: 'VOID', hold: 'RELEASED' },
    ],
    ['overdue', 'ACKED', 'HELD', { kind: 'overdue' }, { vendState: 'UNKNOWN', hold: 'HELD' }],
    ['overdue after the result', 'SUCCESS', 'CONSUMED', { kind: 'overdue' }, null],
    ['a result for what was never sent', 'WAIT', 'HELD', result('OK'), null],
  ])('%s', (_, vendState, hold, what, expected) => {
    const effect = happen({ vendState, hold }, true, what)
    if (expected === null) expect(effect).toBeNull()
    else expect(effect).toMatchObject(expected)
  })

  test('every effect is a move of the table', () => {
    const whats: Parameters<typeof happen>[2][] = [
      ack('ACCEPTED'),
      ack('VOIDED'),
      ack('LANE_FAULT'),
      result('OK'),
      result('NO_DROP'),
      result('MOTOR_NOT_MOVE'),
      { kind: 'overdue' },
      { kind: 'abandoned', sent: true },
      { kind: 'abandoned', sent: false },
    ]
    for (const vendState of Object.keys(vendStates.moves) as VendState[]) {
      for (const hold of ['HELD', 'CONSUMED', 'RELEASED', 'FAILED_HOLD', 'COUNTED'] as const) {
        for (const what of whats) {
          const effect = happen({ vendState, hold }, true, what)
          if (effect && effect.vendState !== vendState)
            expect(
              vendStates.moves[vendState],
              `${vendState} ${hold} ${JSON.stringify(what)}`,
            ).toContain(effect.vendState)
          if (effect?.take) expect(effect).toMatchObject({ vendState: 'SUCCESS', hold: 'CONSUMED' })
        }
      }
    }
  })
})

test.each([
  ['one order', Refund, { orderNum: '20261124000000000001', all: true }],
  ['several', BatchRefund, { orderNums: ['20261124000000000001'] }],
] as const)('another reason than those of the list says what it is: %s', (_, input, what) => {
  const named = (remark?: string) =>
    input
      .safeParse({ ...what, reason: 'OTHER', remark })
      .error?.issues.map(({ path, message }) => [path.join('.'), message])
  expect(named()).toEqual([['remark', expect.stringContaining('请填写退款说明')]])
  expect(named('  ')).toHaveLength(1)
  expect(named('商品碰伤')).toBe(undefined)
})

describe('who may have his money back', () => {
  const order = { payState: 'PAID' as const, ageDays: 1 }
  test.each([
    [
      'unpaid',
      { ...unit('WAIT'), drugClass: 'NONE' },
      { ...order, payState: 'UNPAID' as const },
      'OTHER' as const,
      'orders.notPaid',
    ],
    [
      'on its way',
      { ...unit('ACKED'), drugClass: 'NONE' },
      order,
      'OTHER' as const,
      'orders.shipping',
    ],
    [
      'twice',
      { ...unit('FAILED', 'SUCCESS'), drugClass: 'NONE' },
      order,
      'OTHER' as const,
      'orders.alreadyRefunded',
    ],
    [
      'dispensed drug, changed his mind',
      { ...unit('SUCCESS'), drugClass: 'OTC_B' },
      order,
      'USER_REQUEST' as const,
      'orders.drugNotReturnable',
    ],
    [
      'dispensed drug, bad quality',
      { ...unit('SUCCESS'), drugClass: 'OTC_B' },
      order,
      'QUALITY' as const,
      null,
    ],
    [
      'drug that never came',
      { ...unit('FAILED'), drugClass: 'OTC_B' },
      order,
      'USER_REQUEST' as const,
      null,
    ],
    [
      'failed before, asked again',
      { ...unit('FAILED', 'FAILED'), drugClass: 'NONE' },
      order,
      'OTHER' as const,
      null,
    ],
    [
      'too old for its organisation',
      { ...unit('SUCCESS'), drugClass: 'NONE' },
      { ...order, ageDays: 31, refundDays: 30 },
      'OTHER' as const,
      'orders.tooOld',
    ],
    [
      'too old',
      { ...unit('SUCCESS'), drugClass: 'NONE' },
      { ...order, ageDays: 361 },
      'OTHER' as const,
      'orders.tooOld',
    ],
    [
      'cancelled before, asked again',
      { ...unit('SUCCESS', 'CANCELLED'), drugClass: 'NONE' },
      order,
      'WRONG_ITEM' as const,
      null,
    ],
  ])('%s', (_, piece, context, reason, expected) =>
    expect(refundable(piece, context, reason)?.name ?? null).toBe(expected),
  )

  test('the provider is asked six times, ever slower', () => {
    expect(refundBackoff).toEqual([10, 60, 300, 1800, 21_600])
    expect(refundTries, 'one less: the last pause is behind what people were told').toBe(5)
  })
})

test.each([payStates, vendStates, refundStates])(
  '$name: every state can be reached',
  ({ start, moves }) => {
    const seen = new Set<string>(start)
    for (let grown = true; grown; ) {
      grown = false
      for (const from of [...seen])
        for (const to of moves[from as keyof typeof moves] as readonly string[])
          if (!seen.has(to)) grown = Boolean(seen.add(to))
    }
    expect([...seen].sort()).toEqual(Object.keys(moves).sort())
  },
)
