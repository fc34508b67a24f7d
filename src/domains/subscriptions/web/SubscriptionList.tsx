import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { useAct } from '../../../web/useAct.ts'
import { SubscriptionRow as Row, type SubscriptionRow, subscriptions } from '../contract.ts'
import { usePlanText } from './usePlanText.ts'

const EditDialog = lazyDialog(() => import('./EditDialog.tsx').then((m) => m.EditDialog))
const AddressDialog = lazyDialog(() => import('./AddressDialog.tsx').then((m) => m.AddressDialog))
const StatementsDialog = lazyDialog(() =>
  import('./StatementsDialog.tsx').then((m) => m.StatementsDialog),
)
const SubscriptionDrawer = lazyDialog(() =>
  import('./SubscriptionDrawer.tsx').then((m) => m.SubscriptionDrawer),
)
type Open = { what: 'address' | 'statements' } | { what: 'edit'; row: SubscriptionRow }

/** What comes by itself: own subscriptions, and those of colleagues one gets. */
export function SubscriptionList() {
  const { t } = useTranslation(['subscriptions', 'web'])
  const col = useCols(Row, 'subscriptions')
  const may = useMay()
  const user = useUser()
  const plan = usePlanText()
  const [open, setOpen] = useState<Open | null>(null)
  // the page of bills leads here
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const params = new URLSearchParams(search)
  const asked = params.get('new') === 'statements' && may('billing:subscribe')
  const close = () => {
    setOpen(null)
    if (!asked) return
    params.delete('new')
    void navigate(params.size ? `${pathname}?${params}` : pathname, { replace: true })
  }
  const run = useWrite(subscriptions.run, { success: 'subscriptions:runDone' })
  const pause = useWrite(subscriptions.pause)
  const resume = useWrite(subscriptions.resume)
  const leave = useAct(subscriptions.leave, {
    ask: t('leaveAsk'),
    name: (row: SubscriptionRow) => row.name,
    success: 'subscriptions:left',
  })
  const ways = (row: SubscriptionRow) =>
    [row.inApp && t('fields.inApp'), row.byMail && t('fields.byMail')].filter(Boolean).join(' · ')
  return (
    <>
      <ListPage
        ns="subscriptions"
        endpoint={subscriptions.list}
        live={`jobs:${user.id}`}
        records={{ remove: subscriptions.remove, name: 'name' }}
        detail={SubscriptionDrawer}
        header={
          <Flex gap={8} wrap>
            <Link to="/downloads">
              <Button>{t('toDownloads')}</Button>
            </Link>
            <Button onClick={() => setOpen({ what: 'address' })}>{t('setAddress')}</Button>
            {may('billing:subscribe') ? (
              <Button onClick={() => setOpen({ what: 'statements' })}>{t('statements')}</Button>
            ) : null}
          </Flex>
        }
        empty={{ title: t('empty'), hint: t('emptyHint') }}
        filters={['kind', 'state']}
        columns={[
          col('name'),
          col('kind', { defaultHidden: true }),
          col('subject', { defaultHidden: true }),
          col('when', { fit: (_, row) => plan(row), render: (_, row) => plan(row) }),
          col('period', { fit: (_, row) => t(`enums.period.${row.period}`) }),
          col('ways', { fit: (_, row) => ways(row), render: (_, row) => ways(row) }),
          col('state'),
          col('lastState'),
          col('lastTime'),
          col('nextTime'),
          col('people', { defaultHidden: true }),
          col('author', { defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'run',
            label: t('run'),
            can: row.can.run,
            onClick: () => run.mutate({ id: row.id }),
          },
          {
            key: 'update',
            label: t('web:action.edit'),
            can: row.can.update,
            onClick: () => setOpen({ what: 'edit', row }),
          },
          {
            key: 'pause',
            label: t('pause'),
            can: row.can.pause,
            onClick: () => pause.mutate({ id: row.id, version: row.version }),
          },
          {
            key: 'resume',
            label: t('resume'),
            can: row.can.resume,
            onClick: () => resume.mutate({ id: row.id, version: row.version }),
          },
          {
            key: 'leave',
            label: t('leave'),
            danger: true,
            can: row.can.leave,
            onClick: () => void leave(row),
          },
        ]}
        card={['subject', 'when', 'lastState', 'lastTime', 'nextTime']}
      />
      {open?.what === 'edit' ? <EditDialog row={open.row} onClose={close} /> : null}
      {open?.what === 'address' ? <AddressDialog onClose={close} /> : null}
      {asked || open?.what === 'statements' ? <StatementsDialog onClose={close} /> : null}
    </>
  )
}
