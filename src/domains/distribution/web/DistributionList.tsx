import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { readQuery } from '../../../web/list/listUrl.ts'
import type { PickerProps } from '../../../web/list/types.ts'
import { AnyRegion } from '../../../web/RegionSelect.tsx'
import { useMay } from '../../../web/session.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { Cut, Muted } from '../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { DeviceTypeSelect } from '../../device-types/web/pickers.tsx'
import { ImportDialog } from '../../jobs/web/pickers.ts'
import { StoreSelect } from '../../stores/web/pickers.tsx'
import { AssignmentRow, distribution } from '../contract.ts'
import type { Kind } from './AssignDialog.tsx'
import styles from './distribution.module.css'
import type { GroupBy } from './GroupPanel.tsx'

const GroupPanel = lazyDialog(() => import('./GroupPanel.tsx').then((m) => m.GroupPanel))
const AssignDialog = lazyDialog(() => import('./AssignDialog.tsx').then((m) => m.AssignDialog))

type Open = {
  kinds: readonly [Kind, ...Kind[]]
  remove: boolean
  ids: readonly number[]
  clear: () => void
}
type Chosen = { rows: readonly AssignmentRow[]; clear: () => void }
const idsOf = (rows: readonly AssignmentRow[]) => rows.map((row) => row.id)
const groups: readonly string[] = ['owner', 'replenisher', 'repairer', 'none']

/** The first by name, the others by their number; all of them in the title. */
const people = (names: readonly string[]) =>
  names.length === 0 ? (
    <span className="hd-none">—</span>
  ) : (
    <Flex gap={6} title={names.join(' ')}>
      <Cut own>{names[0]}</Cut>
      {names.length > 1 ? <Muted>+{names.length - 1}</Muted> : null}
    </Flex>
  )
const Store = ({ onChange, ...rest }: PickerProps) => (
  <StoreSelect {...rest} onChange={(next) => onChange(next ?? undefined)} />
)

export function DistributionList() {
  const { t } = useTranslation(['distribution', 'web'])
  const col = useCols(AssignmentRow, 'distribution')
  const may = useMay()
  const phone = usePhone()
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
  /**
   * Machines chosen on the device list: they are shown alone, with the dialog open until it is
   * closed.
   */
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
          ns="distribution"
          endpoint={distribution.list}
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
            'keyword',
            { key: 'typeId', picker: DeviceTypeSelect },
            { key: 'region', picker: AnyRegion },
            { key: 'status', more: true },
            ...(may('store:read') ? [{ key: 'storeId', more: true, picker: Store }] : []),
            ...(phone
              ? [
                  { key: 'groupBy', more: true },
                  { key: 'orgId', more: true, picker: OwnerSelect },
                ]
              : []),
          ]}
          columns={[
            col('rtuNumber', {
              link: single,
              card: { as: 'line', draw: (row) => `${row.rtuNumber} ${row.nickname}` },
            }),
            col('nickname'),
            col('ownedUserName'),
            col('replenishers', { width: 128, render: people }),
            col('repairers', { width: 128, render: people }),
            col('storeName'),
            col('typeName', { defaultHidden: true }),
            col('address', { defaultHidden: true }),
            col('assignedAt', { defaultHidden: true }),
            col('assignedBy', { defaultHidden: true }),
            col('status', { defaultHidden: true }),
            col('regionName', { defaultHidden: true }),
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
          card={['ownedUserName', 'storeName', 'replenishers', 'repairers']}
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
