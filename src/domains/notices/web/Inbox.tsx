import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Empty } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Facts } from '../../../web/ui/Card.tsx'
import { Chip } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { useDetail } from '../../../web/useDetail.ts'
import { MessageRow, messageEndpoints } from '../messageContract.ts'
import { KindMark } from './KindMark.tsx'
import styles from './notices.module.css'

const MessageDrawer = lazyDialog(() => import('./MessageDrawer.tsx').then((m) => m.MessageDrawer))
const { inbox, unread, markRead, hide } = messageEndpoints

/**
 * The message centre: what is unread, what was read. The page is open to everybody, its messages
 * are not.
 */
export function Inbox() {
  const { t } = useTranslation('web')
  return useMay()('message:read') ? (
    <Messages />
  ) : (
    <Empty kind="error" title={t('notFound.noRight')} />
  )
}

function Messages() {
  const { t } = useTranslation(['notices', 'web'])
  const col = useCols(MessageRow, 'notices')
  const detail = useDetail()
  const { pathname, search } = useLocation()
  const count = useRead(unread, {}, { inline: true, keep: true }).data?.count ?? 0
  useLive('messages', [unread.path])
  const mark = useWrite(markRead, { success: 'web:success.done' })
  const markAll = useAct(markRead, { ask: t('inbox.allReadAsk'), danger: false })
  const remove = useAct(hide, {
    ask: t('inbox.removeAsk'),
    name: (row: MessageRow) => row.title,
    success: 'web:success.removed',
  })
  const isRead = new URLSearchParams(search).get('state') === 'read'
  const item = (row: MessageRow) => (
    <Link className={styles.item} data-read={row.readTime !== null} to={detail.to(row.id)}>
      <KindMark kind={row.kind} img={row.img} />
      <span>
        <strong>{row.title}</strong> {row.pinned ? <Chip>{t('inbox.pinned')}</Chip> : null}{' '}
        {row.mustConfirm && row.confirmTime === null ? (
          <Chip tone="warn">{t('inbox.mustConfirm')}</Chip>
        ) : null}
        <small>{row.content}</small>
      </span>
    </Link>
  )
  return (
    <ListPage
      ns="notices"
      endpoint={inbox}
      live="messages"
      detail={MessageDrawer}
      header={
        <Button disabled={count === 0} onClick={() => void markAll({}, { all: true })}>
          {t('inbox.allRead')}
        </Button>
      }
      views={[
        { key: 'unread', label: t('enums.state.unread'), query: {}, count },
        { key: 'read', label: t('enums.state.read'), query: { state: 'read' } },
      ]}
      filters={[
        'kind',
        { key: 'keyword', label: t('web:list.keyword') },
        { key: 'range', label: t('fields.time') },
      ]}
      columns={[
        col('message', { width: 520, render: (_, row) => item(row) }),
        col('kind'),
        col('createTime', { title: t('fields.time') }),
        col('readTime', { defaultHidden: true }),
      ]}
      actions={(row) => [
        {
          key: 'read',
          label: t('inbox.markRead'),
          can: row.readTime === null,
          onClick: () => mark.mutate({ ids: [row.id] }),
        },
        {
          key: 'remove',
          label: t('web:action.delete'),
          danger: true,
          disabled:
            row.mustConfirm && row.confirmTime === null ? t('inbox.confirmFirst') : undefined,
          onClick: () => void remove(row),
        },
      ]}
      batch={
        isRead
          ? []
          : [
              {
                key: 'read',
                label: t('inbox.markRead'),
                onClick: ({ keys, clear }) =>
                  mark.mutate({ ids: keys.map(Number) }, { onSuccess: clear }),
              },
            ]
      }
      empty={
        isRead
          ? { title: t('inbox.emptyRead') }
          : {
              title: t('inbox.emptyUnread'),
              action: <Link to={`${pathname}?state=read`}>{t('inbox.seeRead')}</Link>,
            }
      }
      card={(row, actions) => (
        <>
          {item(row)}
          <Facts items={[[t(`enums.kind.${row.kind}`), <Time key="time" at={row.createTime} />]]} />
          {actions}
        </>
      )}
    />
  )
}
