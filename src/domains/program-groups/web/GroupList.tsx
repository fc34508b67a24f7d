import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useUser } from '../../../web/session.ts'
import { useAct } from '../../../web/useAct.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { GroupRow, programGroups } from '../contract.ts'

const GroupFields = lazyDialog(() => import('./GroupFields.tsx').then((m) => m.GroupFields))
const Preview = lazyDialog(() => import('./Preview.tsx').then((m) => m.Preview))
const CopyDialog = lazyDialog(() => import('./CopyDialog.tsx').then((m) => m.CopyDialog))

const tones = { DRAFT: 'offline', ENABLED: 'online', DISABLED: 'refunded' } as const
const invalidates = [programGroups.list.path]

export function GroupList() {
  const { t } = useTranslation('programGroups')
  const col = useCols(GroupRow, 'programGroups')
  const { orgId } = useUser()
  const [open, setOpen] = useState<{ what: 'preview' | 'copy'; row: GroupRow } | null>(null)
  const enable = useAct(programGroups.enable, { invalidates })
  const disable = useAct(programGroups.disable, { invalidates })
  const hours = (row: GroupRow) => row.windows.map(({ from, to }) => `${from}–${to}`).join(' ')
  return (
    <>
      <ListPage
        ns="programGroups"
        endpoint={programGroups.list}
        live="program-groups"
        records={{
          ...programGroups,
          fields: GroupFields,
          blank: { orgId, items: [] },
          width: 720,
        }}
        filters={['keyword', 'slotKind', 'state', { key: 'orgId', picker: OwnerSelect }]}
        columns={[
          col('name'),
          col('slotKind', { width: 128 }),
          col('itemCount', { width: 96 }),
          col('loopSeconds', {
            width: 104,
            render: (_, row) => t('seconds', { n: row.loopSeconds }),
          }),
          col('windows', { render: (_, row) => hours(row) }),
          col('transition', { defaultHidden: true }),
          col('maxPlaysPerHour', { defaultHidden: true }),
          col('orgName'),
          col('state', { tones }),
          col('updateTime'),
          col('createTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'preview',
            label: t('preview'),
            onClick: () => setOpen({ what: 'preview', row }),
          },
          {
            key: 'enable',
            label: t('enable'),
            can: row.can.enable,
            onClick: () => void enable(row),
          },
          {
            key: 'disable',
            label: t('disable'),
            can: row.can.disable,
            onClick: () => void disable(row),
          },
          {
            key: 'copy',
            label: t('copy'),
            can: row.can.copy,
            onClick: () => setOpen({ what: 'copy', row }),
          },
        ]}
        card={['slotKind', 'itemCount', 'windows', 'orgName', 'state']}
      />
      {open?.what === 'preview' ? (
        <Preview id={open.row.id} onClose={() => setOpen(null)} />
      ) : open ? (
        <CopyDialog row={open.row} onClose={() => setOpen(null)} />
      ) : null}
    </>
  )
}
