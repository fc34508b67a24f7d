import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { Time } from '../../../web/Time.tsx'
import { OwnerSelect } from '../../devices/web/pickers.tsx'
import { SecurityRow, security } from '../contract.ts'

const SecurityDrawer = lazyDialog(() => import('./SecurityDrawer.tsx').then((m) => m.SecurityDrawer))
const CloseDialog = lazyDialog(() => import('./CloseDialog.tsx').then((m) => m.CloseDialog))

/** What should not happen and did; one row for each thing, however often. */
export function SecurityList() {
  const { t } = useTranslation(['security', 'web'])
  const col = useCols(SecurityRow, 'security')
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const [closing, setClosing] = useState<SecurityRow | null>(null)
  const address = new URLSearchParams(search)
  const detail = (row: SecurityRow) => {
    address.set('detail', String(row.id))
    navigate(`${pathname}?${address}`)
  }
  return (
    <>
      <ListPage
        title={t('title')}
        ns="security"
        endpoint={security.list}
        rowKey="id"
        live="security"
        header={<Button onClick={() => navigate('/log/operate-log')}>{t('toLog')}</Button>}
        filters={[
          { key: 'keyword', label: t('fields.subject') },
          { key: 'kind' },
          { key: 'state' },
          { key: 'range' },
          { key: 'orgId', more: true, picker: ({ onChange, ...rest }) => <OwnerSelect {...rest} onChange={onChange} /> },
        ]}
        columns={[
          col('kind', { width: 272 }),
          col('subject', { width: 184 }),
          col('state', { width: 96 }),
          col('times', { width: 88 }),
          col('rtuNumber', { width: 112 }),
          col('orgName', { width: 120 }),
          col('firstTime', { width: 124 }),
          col('lastTime', { width: 124 }),
        ]}
        onRow={detail}
        actions={(row) => [
          { key: 'open', label: t('open'), onClick: () => detail(row) },
          { key: 'close', label: t('close'), can: row.can.close, onClick: () => setClosing(row) },
        ]}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
        card={(row, actions) => (
          <>
            <strong>{t(`enums.kind.${row.kind}`)}</strong>
            <p>
              {row.subject} · {t(`enums.state.${row.state}`)} · {t('timesOf', { n: row.times })} · <Time at={row.lastTime} />
            </p>
            {actions}
          </>
        )}
      />
      {address.get('detail') ? <SecurityDrawer onClosing={setClosing} /> : null}
      {closing ? <CloseDialog row={closing} onClose={() => setClosing(null)} /> : null}
    </>
  )
}
