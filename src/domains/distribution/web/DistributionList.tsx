import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { readQuery } from '../../../web/list/listUrl.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { DeviceTypeSelect } from '../../device-types/web/pickers.tsx'
import { OwnerSelect, RegionSelect } from '../../devices/web/pickers.tsx'
import { StoreSelect } from '../../stores/web/pickers.tsx'
import { AssignmentRow, distribution } from '../contract.ts'
import type { Kind } from './AssignDialog.tsx'
import styles from './distribution.module.css'
import type { GroupBy } from './GroupPanel.tsx'

const GroupPanel = lazyDialog(() => import('./GroupPanel.tsx').then((m) => m.GroupPanel))
const AssignDialog = lazyDialog(() => import('./AssignDialog.tsx').then((m) => m.AssignDialog))
const ImportDialog = lazyDialog(() =>
  import('../../../web/ImportDialog.tsx').then((m) => m.ImportDialog),
)

type Open = {
  kinds: readonly [Kind, ...Kind[]]
  remove: boolean
  ids: readonly number[]
  clear: () => void
}
type Chosen = { rows: readonly AssignmentRow[]; clear: () => void }
const idsOf = (rows: readonly AssignmentRow[]) => rows.map((row) => row.id)
const groups: readonly string[] = ['owner', 'replenisher', 'repairer', 'none']

export function DistributionList() {
  const { t } = useTranslation(['distribution', 'web'])
  const col = useCols(AssignmentRow, 'distribution')
  const may = useMay()
  const phone = usePhone()
  const english = usePrefs().lang === 'en'
  const moves = may('device:transfer')
  const navigate = useNavigate()
  const { search, pathname } = useLocation()
  const [open, setOpen] = useState<Open | null>(null)
  const [importing, setImporting] = useState(false)
  const params = new URLSearchParams(search)
  const asked = params.get('groupBy') ?? 'owner'
  const groupBy = (groups.includes(asked) ? asked : 'owner') as GroupBy
  const byPerson = groupBy === 'replenisher' || groupBy === 'repairer'
  const chosen = Number(params.get(byPerson ? 'userId' : 'orgId')) || undefined
  const group = (next: GroupBy, id: number | undefined) => {
    for (const key of ['page', 'orgId', 'userId', 'groupBy']) params.delete(key)
    if (next !== 'owner') params.set('groupBy', next)
    if (id !== undefined)
      params.set(next === 'replenisher' || next === 'repairer' ? 'userId' : 'orgId', String(id))
    navigate(params.size ? `${pathname}?${params}` : pathname)
  }
  /** Machines chosen on the device list: they are shown alone, with the dialog open until it is closed. */
  const given = (readQuery(distribution.list.input, search).ids as number[] | undefined) ?? []
  const put = (key: 'assign' | 'ids', value: string | null) => {
    if (value === null) params.delete(key)
    else params.set(key, value)
    navigate(params.size ? `${pathname}?${params}` : pathname, { replace: true })
  }
  const owner = moves ? (['OWNER'] as const) : []
  const rest = [
    'REPLENISHER',
    'REPAIRER',
    ...(may('store:read') ? (['STORE'] as const) : []),
  ] as const
  const assignable = [...owner, ...rest] as [Kind, ...Kind[]]
  /** The machine itself last: taking it from its owner is the largest of these. */
  const removable = [...rest, ...owner] as [Kind, ...Kind[]]
  const single = (row: AssignmentRow) => `/device/device-list/distribution/${row.id}`
  const people = (names: readonly string[]) =>
    names.length === 0 ? (
      <span className="hd-none">—</span>
    ) : (
      <span className={styles.names} title={names.join('、')}>
        <span>{names[0]}</span>
        {names.length > 1 ? <span className={styles.quiet}>+{names.length - 1}</span> : null}
      </span>
    )
  const w = (zh: number, en: number) => ({ width: english ? en : zh })
  const batch = (kind: Kind, label: string, can = true) => ({
    key: kind,
    label: t(label),
    can,
    onClick: ({ rows, clear }: Chosen) =>
      setOpen({ kinds: [kind], remove: false, ids: idsOf(rows), clear }),
  })
  return (
    <div className={styles.page}>
      {phone ? null : <GroupPanel groupBy={groupBy} chosen={chosen} onChange={group} />}
      <div className={styles.list}>
        <ListPage
          title={t('title')}
          ns="distribution"
          endpoint={distribution.list}
          rowKey="id"
          live="devices"
          header={<Button onClick={() => setImporting(true)}>{t('import')}</Button>}
          empty={{ title: t('empty') }}
          notice={
            given.length > 0 ? (
              <span>
                {t('chosen', { n: given.length })}
                <Button type="link" size="small" onClick={() => put('assign', null)}>
                  {t('assignChosen')}
                </Button>
                <Button type="link" size="small" onClick={() => put('ids', null)}>
                  {t('showAll')}
                </Button>
              </span>
            ) : null
          }
          filters={[
            { key: 'keyword', label: t('fields.keyword') },
            {
              key: 'typeId',
              picker: ({ onChange, ...rest }) => <DeviceTypeSelect {...rest} onChange={onChange} />,
            },
            {
              key: 'region',
              picker: ({ onChange, ...rest }) => <RegionSelect any {...rest} onChange={onChange} />,
            },
            { key: 'status', more: true },
            ...(may('store:read')
              ? [
                  {
                    key: 'storeId',
                    more: true,
                    picker: ({
                      onChange,
                      ...rest
                    }: {
                      onChange: (value: unknown) => void
                      value: unknown
                    }) => (
                      <StoreSelect {...rest} onChange={(next) => onChange(next ?? undefined)} />
                    ),
                  },
                ]
              : []),
            ...(phone
              ? [
                  { key: 'groupBy', more: true },
                  {
                    key: 'orgId',
                    more: true,
                    picker: ({
                      onChange,
                      ...rest
                    }: {
                      onChange: (value: unknown) => void
                      value: unknown
                    }) => <OwnerSelect {...rest} onChange={onChange} />,
                  },
                ]
              : []),
          ]}
          columns={[
            col('rtuNumber', { ...w(104, 136), ellipsis: false, fixed: 'left', link: single }),
            col('nickname', { width: 136 }),
            col('ownedUserName', { width: 136 }),
            col('replenishers', { ...w(104, 120), render: (_, row) => people(row.replenishers) }),
            col('repairers', { ...w(104, 120), render: (_, row) => people(row.repairers) }),
            col('storeName', { width: 136 }),
            col('typeName', { width: 112 }),
            col('address', { width: 184 }),
            col('assignedAt', { ...w(112, 120) }),
            col('assignedBy', { ...w(88, 112) }),
            col('status', { width: 88, defaultHidden: true }),
            col('regionName', { width: 200, defaultHidden: true }),
          ]}
          actions={(row) => [
            { key: 'detail', label: t('detail'), to: single(row) },
            {
              key: 'lanes',
              label: t('lanes'),
              can: may('lane:read'),
              to: `/device/device-list/cargo-road/${row.id}`,
            },
          ]}
          batch={[
            batch('OWNER', 'toOwner', moves),
            batch('REPLENISHER', 'toReplenisher'),
            batch('REPAIRER', 'toRepairer'),
            batch('STORE', 'toStore', may('store:read')),
            {
              key: 'remove',
              label: t('remove'),
              danger: true,
              onClick: ({ rows, clear }: Chosen) =>
                setOpen({ kinds: removable, remove: true, ids: idsOf(rows), clear }),
            },
          ]}
          card={(row, actions) => (
            <>
              <div>
                <strong>{row.rtuNumber}</strong> {row.nickname}{' '}
                <StatusTag tone={row.status}>{t(`enums.status.${row.status}`)}</StatusTag>
              </div>
              <div className={styles.cardFacts}>
                <span>{row.ownedUserName}</span>
                <span>
                  {t('fields.replenishers')} {row.replenishers.join('、') || '—'}
                </span>
                <span>
                  {t('fields.repairers')} {row.repairers.join('、') || '—'}
                </span>
                {row.storeName ? <span>{row.storeName}</span> : null}
              </div>
              {actions}
            </>
          )}
        />
      </div>
      {open ? (
        <AssignDialog
          kinds={open.kinds}
          remove={open.remove}
          deviceIds={open.ids}
          onClose={() => setOpen(null)}
          onDone={open.clear}
        />
      ) : null}
      {!open && given.length > 0 && !params.has('assign') ? (
        <AssignDialog
          key={given.join()}
          kinds={assignable}
          remove={false}
          deviceIds={given}
          onClose={() => put('assign', 'later')}
          onDone={() => {}}
        />
      ) : null}
      {importing ? (
        <ImportDialog
          kind="device-assignments"
          title={t('import')}
          invalidates={['/api/device-assignments', '/api/devices']}
          onClose={() => setImporting(false)}
        />
      ) : null}
    </div>
  )
}
