import { Flex } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Unread } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { partyOf } from '../../ledger/rules.ts'
import { machines } from '../../machines/contract.ts'
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
      {diff.data ? <Compared {...diff.data} orgId={row.orgId} /> : null}
    </Modal>
  )
}

type Both = { from: StrategyVersion; to: StrategyVersion; changed: readonly string[] }
type ScopeKey = 'laneIds' | 'categoryIds' | 'deviceIds'
const shownMost = 20
/** What the one is for and the other is not. */
const onlyIn = (one: StrategyVersion, other: StrategyVersion, key: ScopeKey) =>
  one[key].filter((id) => !other[key].includes(id))

/** Names of what only one of both versions is for. */
function useScopeNames({ from, to, orgId }: Both & { orgId: number }) {
  const { t } = useTranslation('splitStrategies')
  const may = useMay()
  const ids = (key: ScopeKey) =>
    [onlyIn(from, to, key), onlyIn(to, from, key)].flatMap((own) => own.slice(0, shownMost))
  const asked = (key: ScopeKey, sees = true) => ({
    inline: true,
    enabled: sees && ids(key).length > 0,
  })
  const laneIds = ids('laneIds')
  const lanes = useRead(splitStrategies.lanes, { laneIds }, asked('laneIds')).data?.list
  const categories = useRead(splitStrategies.choices, { orgId }, asked('categoryIds')).data
    ?.categories
  const sees = asked('deviceIds', may('device:read'))
  const devices = useRead(machines.options, { ids: ids('deviceIds') }, sees).data?.list
  return {
    laneIds: new Map(
      lanes?.map((lane) => [lane.id, `${lane.rtuNumber} ${t('road', { n: lane.road })}`]),
    ),
    categoryIds: new Map(categories?.map(({ id, name }) => [id, name])),
    deviceIds: new Map(devices?.map(({ id, rtuNumber }) => [id, rtuNumber])),
  }
}

function Compared({ orgId, ...both }: Both & { orgId: number }) {
  const { from, to, changed } = both
  const { t } = useTranslation(['splitStrategies', 'web'])
  const names = useScopeNames({ ...both, orgId })
  /** How many, and which of them the other version does not have. */
  const scope = (key: ScopeKey, word: string) => (one: StrategyVersion) => {
    const own = onlyIn(one, one === from ? to : from, key)
    const known = own.slice(0, shownMost).flatMap((id) => names[key].get(id) ?? [])
    return (
      <>
        {t(`scopeOf.${word}`, { n: one[key].length })}
        {known.length ? (
          <div>
            <Muted small>
              {known.join(' · ')}
              {own.length > known.length ? ' …' : ''}
            </Muted>
          </div>
        ) : null}
      </>
    )
  }
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
    laneIds: scope('laneIds', 'lanes'),
    categoryIds: scope('categoryIds', 'categories'),
    deviceIds: scope('deviceIds', 'devices'),
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
