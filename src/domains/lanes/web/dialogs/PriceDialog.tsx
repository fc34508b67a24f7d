import { Button, Checkbox, Flex, InputNumber, Radio, Segmented, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../../web/api.ts'
import { useCols } from '../../../../web/columns.tsx'
import { InstantInput } from '../../../../web/InstantInput.tsx'
import { Money } from '../../../../web/Money.tsx'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { usePhone } from '../../../../web/shell/useWidth.ts'
import { Modal } from '../../../../web/ui/overlay.tsx'
import { Bad, Muted } from '../../../../web/ui/Text.tsx'
import { useDebounced } from '../../../../web/useDebounced.ts'
import { lanes, type Planogram } from '../../contract.ts'
import { PriceRow } from '../../priceContract.ts'
import { twoDigits } from '../shown.ts'

const modes = ['SET', 'YUAN', 'PERCENT'] as const
const times = ['now', 'at'] as const

type Props = {
  plan: Planogram
  laneIds: readonly number[]
  onSaved: (version: number) => void
  onClose: () => void
}

/**
 * A change of prices of the chosen lanes, looked at before it is made, now or at a time. Render it
 * only while it is open.
 */
export function PriceDialog({ plan, laneIds, onSaved, onClose }: Props) {
  const { t } = useTranslation(['lanes', 'web'])
  const active = useActiveTab()
  const phone = usePhone()
  const col = useCols(PriceRow, 'lanes')
  const [mode, setMode] = useState<(typeof modes)[number]>('SET')
  const [typed, setTyped] = useState<number | null>(null)
  const [alsoRetail, setAlsoRetail] = useState(false)
  const [when, setWhen] = useState<(typeof times)[number]>('now')
  const [at, setAt] = useState<string | null>(null)
  const percent = mode === 'PERCENT'
  // fen, or tenths of a percent
  const wanted = typed === null ? null : Math.round(typed * (percent ? 10 : 100))
  const value = useDebounced(wanted)
  const base = { deviceId: plan.device.id, laneIds: [...laneIds], mode, alsoRetail }
  const read = useRead(
    lanes.pricePlan,
    { ...base, value: value ?? 0 },
    { enabled: value !== null, keep: true },
  )
  const write = useWrite(lanes.prices, {
    success: when === 'at' ? 'lanes:success.schedule' : 'lanes:success.prices',
    onSuccess: (answer) => {
      if (answer.scheduleId === null) onSaved(answer.version)
      onClose()
    },
  })
  if (!active) return null
  const { rows = [], changes = 0 } = (value !== null && read.data) || {}
  const wrong = rows.filter((row) => row.problem !== '').length
  // only what is looked at is written, not what was typed since
  const looked = value !== null && value === wanted && !read.isPlaceholderData
  const ready = looked && changes > 0 && (when === 'now' || at !== null)
  const save = () => {
    const then = when === 'at' && at ? { at } : {}
    if (value !== null) write.mutate({ ...base, value, version: plan.version, ...then })
  }
  const columns = [
    col('road', {
      title: t('fields.roadIndex'),
      align: 'left',
      width: 64,
      render: (_, row) => twoDigits(row.road),
    }),
    col('productName', {
      ellipsis: !phone,
      width: phone ? 'auto' : 150,
      render: (_, row) => (
        <>
          {row.productName ?? <span className="hd-none">—</span>}
          {phone && row.problem ? (
            <div>
              <Bad>{row.problem}</Bad>
            </div>
          ) : null}
        </>
      ),
    }),
    col('from', { title: t('prices.from'), width: 84 }),
    col('to', {
      title: t('prices.to'),
      width: 84,
      render: (_, row) => <Money fen={row.to} strong={row.problem === ''} />,
    }),
    col('retailTo', { title: t('fields.retailPrice'), width: 96 }),
    col('problem', {
      title: t('copy.columns.result'),
      width: 160,
      render: (_, row) => <Bad>{row.problem}</Bad>,
    }),
  ]
  const small = ['road', 'productName', 'to']
  const hint = percent ? t('prices.rounding') : mode === 'YUAN' ? t('prices.minus') : ''
  return (
    <Modal
      open
      title={`${t('prices.title')} · ${t('selectedTitle', { n: laneIds.length })}`}
      width={720}
      footer={
        <Flex justify="end" gap={8}>
          <Button onClick={onClose}>{t('web:action.cancel')}</Button>
          <Button type="primary" disabled={!ready} loading={write.isPending} onClick={save}>
            {t(when === 'at' ? 'prices.schedule' : 'prices.save', { n: changes })}
          </Button>
        </Flex>
      }
      onCancel={onClose}
      mask={{ closable: false }}
    >
      <Flex wrap align="center" gap="8px 12px">
        <Segmented
          value={mode}
          onChange={(next) => {
            setMode(next)
            setTyped(null)
          }}
          options={modes.map((key) => ({ value: key, label: t(`prices.modes.${key}`) }))}
        />
        <InputNumber
          autoFocus
          aria-label={t('prices.value')}
          placeholder={t(`prices.placeholders.${mode}`)}
          value={typed}
          precision={percent ? 1 : 2}
          {...(mode === 'SET' ? { min: 0 } : {})}
          prefix={percent ? undefined : '¥'}
          suffix={percent ? '%' : undefined}
          onChange={setTyped}
          onPressEnter={() => ready && save()}
        />
        <Checkbox checked={alsoRetail} onChange={(event) => setAlsoRetail(event.target.checked)}>
          {t('prices.alsoRetail')}
        </Checkbox>
      </Flex>
      <div style={{ minHeight: 22, marginBottom: 8 }}>
        <Muted small>{hint}</Muted>
      </div>
      <Flex wrap align="center" gap="8px 12px">
        <Radio.Group
          value={when}
          onChange={(event) => setWhen(event.target.value)}
          options={times.map((key) => ({ value: key, label: t(`prices.when.${key}`) }))}
        />
        {when === 'at' ? (
          <span style={{ width: 240 }}>
            <InstantInput aria-label={t('prices.when.at')} days={365} value={at} onChange={setAt} />
          </span>
        ) : null}
      </Flex>
      <Table<PriceRow>
        rowKey="laneId"
        size="small"
        pagination={false}
        dataSource={rows}
        style={{ marginTop: 12 }}
        scroll={phone ? { y: 300 } : { y: 300, x: 560 }}
        locale={{ emptyText: t('prices.empty') }}
        columns={phone ? columns.filter(({ key }) => small.includes(key)) : columns}
      />
      <div style={{ minHeight: 22 }}>
        <Bad>{wrong > 0 ? t('prices.wrong', { n: wrong }) : ''}</Bad>
      </div>
    </Modal>
  )
}
