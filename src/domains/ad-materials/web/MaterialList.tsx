import UploadOutlined from '@ant-design/icons/es/icons/UploadOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queryClient } from '../../../web/api.ts'
import { call } from '../../../web/call.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { Selection } from '../../../web/list/types.ts'
import { useMay } from '../../../web/session.ts'
import { toast } from '../../../web/toast.ts'
import { useDetail } from '../../../web/useDetail.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { adMaterials, MaterialRow } from '../contract.ts'
import { thumbOf } from './pickers.tsx'
import { useTabs } from './tabs.ts'
import { sizeText, stateTones } from './words.ts'

const MaterialFields = lazyDialog(() => import('./fields.tsx').then((m) => m.MaterialFields))
const MaterialDrawer = lazyDialog(() =>
  import('./MaterialDrawer.tsx').then((m) => m.MaterialDrawer),
)
const UploadDialog = lazyDialog(() => import('./UploadDialog.tsx').then((m) => m.UploadDialog))
const ReviewDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.ReviewDialog))

export function MaterialList() {
  const { t } = useTranslation(['adMaterials', 'web'])
  const col = useCols(MaterialRow, 'adMaterials')
  const may = useMay()
  const detail = useDetail()
  const confirm = useConfirm()
  const [open, setOpen] = useState<'upload' | MaterialRow | null>(null)
  const film = ({ durationMs }: MaterialRow) =>
    durationMs === null ? '' : ` ${t('seconds', { n: Math.round(durationMs / 100) / 10 })}`
  const refresh = () => void queryClient.invalidateQueries({ queryKey: [adMaterials.list.path] })
  const removeAll = async ({ rows, clear }: Selection<MaterialRow>) => {
    if (!(await confirm({ title: t('batchAsk', { n: rows.length }), danger: true }))) return
    let done = 0
    for (const { id, version } of rows)
      await call(adMaterials.remove, { id, version }).then(
        () => {
          done += 1
        },
        () => {},
      )
    toast(
      done === rows.length ? 'success' : 'error',
      t('batchDone', { done, failed: rows.length - done }),
    )
    clear()
    refresh()
  }
  return (
    <>
      <ListPage
        ns="adMaterials"
        endpoint={adMaterials.list}
        live="ad-materials"
        detail={MaterialDrawer}
        views={useTabs('materials')}
        header={
          may('ad-material:create') ? (
            <Button type="primary" icon={<UploadOutlined />} onClick={() => setOpen('upload')}>
              {t('upload')}
            </Button>
          ) : null
        }
        records={{
          update: adMaterials.update,
          remove: adMaterials.remove,
          fields: MaterialFields,
          whyNotRemove: (row) => (row.refCount > 0 ? t('inUse') : undefined),
        }}
        filters={[
          'keyword',
          'kind',
          'state',
          { key: 'orgId', picker: OwnerSelect },
          { key: 'tag', more: true },
          { key: 'inUse', more: true },
          { key: 'range', more: true },
        ]}
        columns={[
          col('file', {
            title: t('preview'),
            width: 72,
            ellipsis: false,
            ...thumbOf<MaterialRow>(),
          }),
          col('name', { link: (row) => detail.to(row.id) }),
          col('kind', { width: 80 }),
          col('size', {
            width: 120,
            render: (_, row) => `${row.width}×${row.height}${film(row)}`,
          }),
          col('durationMs', { defaultHidden: true, render: (_, row) => film(row) }),
          col('bytes', { width: 88, defaultHidden: true, render: (_, row) => sizeText(row.bytes) }),
          col('tags', {
            defaultHidden: true,
            render: (_, row) => row.tags.map((tag) => t(`enums.tags.${tag}`)).join(' · '),
          }),
          col('licenceNo', { defaultHidden: true }),
          col('orgName'),
          col('state', { tones: stateTones }),
          col('refCount', { width: 88 }),
          col('validUntil'),
          col('uploader', { defaultHidden: true }),
          col('createTime'),
        ]}
        actions={(row) => [
          {
            key: 'review',
            label: t('review'),
            can: row.can.review,
            onClick: () => setOpen(row),
          },
        ]}
        batch={[
          {
            key: 'remove',
            label: t('batchRemove'),
            danger: true,
            can: may('ad-material:delete'),
            onClick: (selection) => void removeAll(selection),
          },
        ]}
        card={['kind', 'orgName', 'state', 'refCount', 'validUntil']}
      />
      {open === 'upload' ? (
        <UploadDialog onClose={() => setOpen(null)} onSaved={refresh} />
      ) : open ? (
        <ReviewDialog row={open} onClose={() => setOpen(null)} />
      ) : null}
    </>
  )
}
