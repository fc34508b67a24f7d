import { Flex } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Unread } from '../../../web/Problem.tsx'
import { Time } from '../../../web/Time.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { partyOf } from '../../ledger/rules.ts'
import { type StrategyRow, type StrategyVersion, splitStrategies } from '../contract.ts'
import styles from './shares.module.css'
import { percent, timingText } from './texts.ts'

/** Two versions of a strategy beside each other; what differs is marked. */
export function VersionsDialog({ row, onClose }: { row: StrategyRow; onClose: () => void }) {
  const { t } = useTranslation('splitStrategies')
  const read = useRead(splitStrategies.versions, { id: row.id }, { inline: true })
  const list = read.data?.list ?? []
  const [chosen, setChosen] = useState<{ from?: number; to?: number }>({})
  const to = chosen.to ?? list[0]?.versionNo ?? 1
  const from = chosen.from ?? list[1]?.versionNo ?? to
  const options = list.map(({ versionNo: n, state }) => ({
    value: n,
    label: t(state === 'DRAFT' ? 'draft' : 'version', { n }),
  }))
  const diff = useRead(
    splitStrategies.diff,
    { id: row.id, from, to },
    { inline: true, keep: true, enabled: list.length > 0 },
  )
  return (
    <Modal
      open
      title={`${row.name} · ${t('compare')}`}
      footer={null}
      width={760}
      onCancel={onClose}
    >
      {read.data ? null : <Unread read={read} />}
      <Flex gap={8} align="center" style={{ margin: '8px 0' }}>
        {t('from')}
        <Select
          aria-label={t('from')}
          style={{ width: 120 }}
          options={options}
          value={from}
          onChange={(next: number) => setChosen({ from: next, to })}
        />
        {t('to')}
        <Select
          aria-label={t('to')}
          style={{ width: 120 }}
          options={options}
          value={to}
          onChange={(next: number) => setChosen({ from, to: next })}
        />
        <Muted>
          {list.length === 1 ? t('onlyOne') : diff.data?.changed.length === 0 ? t('same') : null}
        </Muted>
      </Flex>
      {diff.data ? <Compared {...diff.data} /> : null}
    </Modal>
  )
}

type Both = { from: StrategyVersion; to: StrategyVersion; changed: readonly string[] }
function Compared({ from, to, changed }: Both) {
  const { t } = useTranslation(['splitStrategies', 'web'])
  const lines: Readonly<Record<string, (one: StrategyVersion) => ReactNode>> = {
    merchantName: ({ merchantName }) => merchantName || t('simulator'),
    mode: ({ mode }) => t(`enums.mode.${mode}`),
    parties: ({ parties }) =>
      parties.map((party) => (
        <div key={partyOf(party)}>
          {party.name} {percent(party.ratioBp)}
          {party.isCollector ? <Muted small> {t('collects')}</Muted> : null}
        </div>
      )),
    feeMode: ({ feeMode }) => t(`enums.feeMode.${feeMode}`),
    timing: (one) => timingText(t, one),
    subsidySplit: ({ subsidySplit }) => t(`web:bool.${subsidySplit}`),
    laneIds: ({ laneIds }) => t('scopeOf.lanes', { n: laneIds.length }),
    categoryIds: ({ categoryIds }) => t('scopeOf.categories', { n: categoryIds.length }),
    deviceIds: ({ deviceIds }) => t('scopeOf.devices', { n: deviceIds.length }),
    validFrom: ({ validFrom }) => (validFrom ? <Time at={validFrom} /> : '—'),
    publishedAt: ({ publishedAt }) => (publishedAt ? <Time at={publishedAt} /> : '—'),
    publishedBy: ({ publishedBy }) => publishedBy || '—',
    note: ({ note }) => note || '—',
  }
  return (
    <div className={`${styles.trial} ${styles.compared}`}>
      <table>
        <tbody>
          {Object.entries(lines).map(([key, draw]) => (
            <tr key={key} data-changed={changed.includes(key)}>
              <th scope="row">{t(`fields.${key}`)}</th>
              <td>{draw(from)}</td>
              <td>{draw(to)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
