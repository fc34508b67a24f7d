import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { OwnerSelect } from '../../devices/web/pickers.tsx'
import { SecurityRow, security } from '../contract.ts'
import { useSubject } from './subject.ts'

const SecurityDrawer = lazyDialog(() => import('./SecurityDrawer.tsx').then((m) => m.SecurityDrawer))
const CloseDialog = lazyDialog(() => import('./CloseDialog.tsx').then((m) => m.CloseDialog))

/** What should not happen and did; one row for each thing, however often. */
export function SecurityList() {
  const { t } = useTranslation(['security', 'web'])
  const col = useCols(SecurityRow, 'security')
  const subject = useSubject()
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
          col('kind', { width: 336 }),
          // an order number must fit
          col('subject', { width: 196, render: (_, row) => subject(row) }),
          col('state', { width: 92 }),
          col('times', { width: 84 }),
          col('rtuNumber', { width: 104 }),
          col('orgName', { width: 128 }),
          col('firstTime', { width: 124, defaultHidden: true }),
          col('lastTime', { width: 120 }),
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
            <p>{[subject(row), row.orgName].join(' · ')}</p>
            <p>
              <StatusTag tone={row.state === 'OPEN' ? 'fault' : 'closed'}>{t(`enums.state.${row.state}`)}</StatusTag> ·{' '}
              {t('timesOf', { n: row.times, count: row.times })} · <Time at={row.lastTime} />
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
