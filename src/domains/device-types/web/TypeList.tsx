import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { say } from '../../../shared/text.ts'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { useMay } from '../../../web/session.ts'
import { deviceTypeErrors, deviceTypes, TypeRow } from '../contract.ts'

const TypeDialog = lazyDialog(() => import('./TypeDialog.tsx').then((m) => m.TypeDialog))

export function TypeList() {
  const { t } = useTranslation(['deviceTypes', 'web'])
  const col = useCols(TypeRow, 'deviceTypes')
  const may = useMay()
  const confirm = useConfirm()
  const { lang } = usePrefs()
  const english = lang === 'en'
  const remove = useWrite(deviceTypes.remove, { success: 'deviceTypes:success.remove' })
  const [edited, setEdited] = useState<TypeRow | 'new' | null>(null)
  const askRemove = async (row: TypeRow) => {
    if (await confirm({ title: t('removeAsk'), content: row.name, danger: true })) remove.mutate({ id: row.id })
  }
  const add = may('device-type:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
      {t('create')}
    </Button>
  ) : null
  const screen = (row: TypeRow) => (row.screen ? t('withScreen', { size: row.screenSize.replace(/\u5bf8$/, t('inch')) }) : t('without'))
  const size = (row: TypeRow) => t('levels', { levels: row.maxLevels, roads: row.maxRoads })
  return (
    <>
      <ListPage
        title={t('title')}
        ns="deviceTypes"
        endpoint={deviceTypes.list}
        rowKey="id"
        live="device-types"
        header={add}
        empty={{ title: t('empty'), action: add }}
        filters={[{ key: 'keyword', label: t('fields.keyword') }, { key: 'pattern' }, { key: 'kind' }]}
        columns={[
          col('img'),
          col('name', { width: english ? 150 : 168 }),
          col('kind', { width: english ? 116 : 96 }),
          col('pattern', { width: 88 }),
          col('screen', { render: (_, row) => screen(row), width: 104 }),
          col('refrigeration'),
          col('dropSensor', { width: english ? 116 : 96 }),
          col('size', { render: (_, row) => size(row), width: 152 }),
          col('deviceCount'),
          col('createTime'),
        ]}
        actions={(row) => [
          { key: 'edit', label: t('edit'), can: row.can.update, onClick: () => setEdited(row) },
          {
            key: 'remove',
            label: t('remove'),
            danger: true,
            can: row.can.delete || (row.can.update && row.deviceCount > 0 && may('device-type:delete')),
            disabled: row.deviceCount > 0 ? say(deviceTypeErrors.inUse.text, lang, { n: row.deviceCount }) : undefined,
            onClick: () => void askRemove(row),
          },
        ]}
        card={(row, actions) => (
          <>
            <strong>{row.name}</strong>
            <p>
              {t(`enums.kind.${row.kind}`)} · {t(`enums.pattern.${row.pattern}`)} · {size(row)} · {t('fields.deviceCount')} {row.deviceCount}
            </p>
            {actions}
          </>
        )}
      />
      {edited ? <TypeDialog row={edited === 'new' ? undefined : edited} onClose={() => setEdited(null)} /> : null}
    </>
  )
}
