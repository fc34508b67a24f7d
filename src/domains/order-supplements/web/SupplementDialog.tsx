import { Button, Flex, Form, InputNumber } from 'antd'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Note, RadioField } from '../../../web/form/fields.tsx'
import type { Values } from '../../../web/form/values.ts'
import { useMay } from '../../../web/session.ts'
import { toast } from '../../../web/toast.ts'
import { Select } from '../../../web/ui/select.tsx'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { actions, type CaseRow, orderSupplements } from '../contract.ts'

type Props = { rows: readonly CaseRow[]; done: () => void; onClose: () => void }
type Line = { laneId?: number; count?: number }

const knownOf = (lines: unknown): Line[] => (Array.isArray(lines) ? lines : [])

/** Payments that are made good: their goods where nobody knows them, then dispensed or given back. */
export function SupplementDialog({ rows, done, onClose }: Props) {
  const { t } = useTranslation('orderSupplements')
  const may = useMay()
  const [first] = rows
  const unknown = rows.length === 1 && first?.kind === 'UNMATCHED_PAYMENT' ? first : undefined
  const paymentIds = [...new Set(rows.flatMap((row) => row.paymentId ?? []))]
  const allowed = actions.filter((action) =>
    may(action === 'VEND' ? 'order:revend' : 'order:refund'),
  )
  const toInput = ({ machine: _, lines, ...values }: Values) => ({
    ...values,
    ...(unknown ? { lines: knownOf(lines).filter((line) => line.laneId && line.count) } : {}),
  })
  return (
    <FormDialog
      ns="orderSupplements"
      title={t('supplement')}
      width={560}
      save={orderSupplements.supplement}
      initial={{
        paymentIds,
        ...(allowed.length === 1 ? { action: allowed[0] } : {}),
        ...(unknown ? { machine: unknown.deviceId ?? undefined, lines: [{ count: 1 }] } : {}),
      }}
      toInput={toInput}
      success="orderSupplements:supplementDone"
      okText={t('supplement')}
      onSaved={(answer) => {
        const [why] = answer.skipped
        if (why)
          toast(
            'warning',
            `${t('supplementPart', { done: answer.done.length, n: answer.skipped.length })} · ${why.reason}`,
          )
        done()
        onClose()
      }}
      onClose={onClose}
    >
      <Note>{t('supplementAsk', { n: paymentIds.length })}</Note>
      <RadioField
        name="action"
        options={allowed.map((value) => ({ value, label: t(`enums.action.${value}`) }))}
      />
      {unknown ? <Goods row={unknown} /> : null}
    </FormDialog>
  )
}

/** Which lanes of which machine, and how many. */
function Goods({ row }: { row: CaseRow }) {
  const { t } = useTranslation('orderSupplements')
  const deviceId = Form.useWatch<number | undefined>('machine')
  const lines = knownOf(Form.useWatch('lines'))
  const { data } = useRead(
    orderSupplements.lanes,
    { deviceId: deviceId ?? 0 },
    { enabled: deviceId !== undefined },
  )
  const lanes = data?.list ?? []
  const goods = lines.reduce(
    (sum, { laneId, count }) =>
      sum + (lanes.find((lane) => lane.id === laneId)?.price ?? 0) * (count ?? 0),
    0,
  )
  return (
    <>
      <Field name="machine" label={t('fields.deviceNum')} required wide plain>
        <DeviceSelect disabled={row.deviceId !== null} />
      </Field>
      <Field name="lines" label={t('fields.lines')} required wide plain>
        <Lines lanes={lanes} />
      </Field>
      <Note type={goods < row.amount ? 'warning' : 'info'}>
        {goods < row.amount
          ? `${t(goods === 0 ? 'chooseGoods' : 'goodsLess')} · ${yuan(goods)} / ${yuan(row.amount)}`
          : t('goodsSum', {
              goods: yuan(goods),
              paid: yuan(row.amount),
              off: yuan(goods - row.amount),
            })}
      </Note>
    </>
  )
}

type Lane = { id: number; road: number; productName: string; model: string; price: number }
type LinesProps = {
  lanes: readonly Lane[]
  value?: Line[]
  onChange?: (lines: Line[]) => void
}
function Lines({ lanes, value = [], onChange }: LinesProps) {
  const { t } = useTranslation('orderSupplements')
  const set = (index: number, part: Line) =>
    onChange?.(value.map((line, at) => (at === index ? { ...line, ...part } : line)))
  const taken = new Set(value.map((line) => line.laneId))
  return (
    <Flex vertical gap={8}>
      {value.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added at the end
        <Flex key={index} gap={8}>
          <Select
            style={{ flex: 1, minWidth: 0 }}
            value={line.laneId ?? null}
            placeholder={t('fields.lines')}
            aria-label={t('fields.lines')}
            showSearch={{ optionFilterProp: 'label' }}
            options={lanes.map((lane) => ({
              value: lane.id,
              disabled: lane.id !== line.laneId && taken.has(lane.id),
              label: t('lane', {
                road: String(lane.road).padStart(2, '0'),
                product: `${lane.productName} ${lane.model}`,
                price: yuan(lane.price),
              }),
            }))}
            onChange={(laneId: number | null | undefined) => set(index, laneId ? { laneId } : {})}
          />
          <InputNumber
            min={1}
            max={32}
            precision={0}
            style={{ width: 88 }}
            value={line.count ?? 1}
            aria-label={t('count')}
            onChange={(count) => set(index, { count: count ?? 1 })}
          />
        </Flex>
      ))}
      <Button
        type="dashed"
        block
        disabled={value.length >= 32}
        onClick={() => onChange?.([...value, { count: 1 }])}
      >
        {t('addLine')}
      </Button>
    </Flex>
  )
}
