import { type Alias, idOf, known, merged, pick } from '../../server/alias.ts'
import type { CallOn } from '../../server/bind.ts'
import type { CallInput } from '../../shared/contract.ts'
import { common, Refusal } from '../../shared/errors.ts'
import { deviceSplits } from '../device-splits/contract.ts'
import { type ConfigRow, paymentConfigs } from '../payment-configs/contract.ts'

const masked = ({ set, tail }: ConfigRow['keys']['desKey']): string => (set ? `••••${tail}` : '')
const companyOf = (row: ConfigRow) => ({
  ...pick(row, 'id', 'operatorName', 'merchantName', 'systemId', 'userName'),
  desKey: masked(row.keys.desKey),
  saltMd5Key: masked(row.keys.saltMd5Key),
})
async function rowOf(call: CallOn, id: number): Promise<ConfigRow> {
  const { list } = await call(paymentConfigs.list, { id })
  if (!list[0]) throw new Refusal(common.notFound)
  return list[0]
}

export const financeAliases: readonly Alias[] = [
  {
    method: 'GET',
    path: '/finance-payment-list',
    async answer(call, given) {
      const { list, total } = await call(paymentConfigs.list, known(paymentConfigs.list, given))
      return { list: list.map(companyOf), total }
    },
  },
  {
    method: 'GET',
    path: '/finance-edit-payment',
    writes: true,
    async answer(call, given) {
      const row = await rowOf(call, idOf(given))
      const input = merged(paymentConfigs.update, row, { ...given, id: row.id })
      return companyOf(
        await call(paymentConfigs.update, input as CallInput<typeof paymentConfigs.update>),
      )
    },
  },
  {
    method: 'GET',
    path: '/finance-remove-payment',
    writes: true,
    async answer(call, given) {
      const { id, version } = await rowOf(call, idOf(given))
      return call(paymentConfigs.remove, { id, version })
    },
  },
  {
    method: 'GET',
    path: '/finance-sub-ledger-list',
    async answer(call, given) {
      const { list, total } = await call(
        deviceSplits.list,
        known(deviceSplits.list, given) as never,
      )
      const fields = ['rtuNumber', 'machineName', 'operatorName', 'tactics'] as const
      return { list: list.map((row) => pick(row, ...fields)), total }
    },
  },
]
