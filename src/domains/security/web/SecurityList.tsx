import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useDetail } from '../../../web/useDetail.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { SecurityRow, security } from '../contract.ts'
import { useSubject } from './subject.ts'
import { useClosing } from './useClosing.tsx'

const SecurityDrawer = lazyDialog(() =>
  import('./SecurityDrawer.tsx').then((m) => m.SecurityDrawer),
)

/** What should not happen and did; one row for each thing, however often. */
export function SecurityList() {
  const { t } = useTranslation('security')
  const col = useCols(SecurityRow, 'security')
  const subject = useSubject()
  const navigate = useNavigate()
  const detail = useDetail()
  const closing = useClosing()
  return (
    <>
      <ListPage
        ns="security"
        endpoint={security.list}
        live="security"
        detail={SecurityDrawer}
        header={<Button onClick={() => navigate('/log/operate-log')}>{t('toLog')}</Button>}
        filters={[
          { key: 'keyword', label: t('fields.subject') },
          'kind',
          'state',
          'range',
          { key: 'orgId', more: true, picker: OwnerSelect },
        ]}
        columns={[
          col('kind', { width: 272 }),
          col('subject', { fit: String, render: (_, row) => subject(row) }),
          col('state'),
          col('times'),
          col('rtuNumber'),
          col('orgName'),
          col('firstTime', { defaultHidden: true }),
          col('lastTime'),
        ]}
        actions={(row) => [
          { key: 'open', label: t('action.open'), to: detail.to(row.id) },
          {
            key: 'close',
            label: t('close'),
            can: row.can.close,
            onClick: () => closing.ask(row),
          },
        ]}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
        card={['subject', 'orgName', 'times', 'lastTime']}
      />
      {closing.dialog}
    </>
  )
}
