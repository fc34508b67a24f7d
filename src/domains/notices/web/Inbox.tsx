import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Time } from '../../../web/Time.tsx'
import { MessageRow, messageEndpoints } from '../messageContract.ts'
import { KindMark } from './KindMark.tsx'
import styles from './notices.module.css'

const MessageDrawer = lazyDialog(() => import('./MessageDrawer.tsx').then((m) => m.MessageDrawer))
const { inbox, unread, markRead, hide } = messageEndpoints

/** The message centre: what is unread, what was read. */
export function Inbox() {
  const { t } = useTranslation(['notices', 'web'])
  const col = useCols(MessageRow, 'notices')
  const confirm = useConfirm()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const params = new URLSearchParams(search)
  const count = useRead(unread, {}, { inline: true, keep: true }).data?.count ?? 0
  useLive('messages', [unread.path])
  const mark = useWrite(markRead, { success: 'notices:success.markRead' })
  const remove = useWrite(hide, { success: 'notices:success.hide' })
  const detail = (id: number) => {
    const next = new URLSearchParams(search)
    next.set('detail', String(id))
    return `${pathname}?${next}`
  }
  const askAll = async () => {
    if (await confirm({ title: t('inbox.allReadAsk') })) mark.mutate({ all: true })
  }
  const askRemove = async (row: MessageRow) => {
    if (await confirm({ title: t('inbox.removeAsk'), content: row.title, danger: true })) remove.mutate({ id: row.id })
  }
  const isRead = params.get('state') === 'read'
  const item = (row: MessageRow) => (
    <div className={styles.item} data-read={row.readTime !== null}>
      <KindMark kind={row.kind} img={row.img} />
      <div>
        <span className={styles.title}>
          <strong>{row.title}</strong>
          {row.pinned ? <span className={styles.pin}>{t('inbox.pinned')}</span> : null}
          {row.mustConfirm && row.confirmTime === null ? <span className={styles.must}>{t('inbox.mustConfirm')}</span> : null}
        </span>
        <span className={styles.excerpt}>{row.content}</span>
      </div>
    </div>
  )
  const link = (row: MessageRow) => (
    <Link className={styles.open} to={detail(row.id)}>
      {item(row)}
    </Link>
  )
  return (
    <>
      <ListPage
        title={t('inbox.title')}
        ns="notices"
        endpoint={inbox}
        rowKey="id"
        live="messages"
        header={
          <Button disabled={count === 0} onClick={() => void askAll()}>
            {t('inbox.allRead')}
          </Button>
        }
        views={[
          { key: 'unread', label: t('inbox.unread'), query: {}, count },
          { key: 'read', label: t('inbox.read'), query: { state: 'read' } },
        ]}
        filters={[{ key: 'kind' }, { key: 'keyword', label: t('fields.messageKeyword') }, { key: 'range', label: t('fields.messageRange') }]}
        columns={[
          col('message', { width: 520, render: (_, row) => link(row) }),
          col('kind', { width: 112 }),
          col('createTime', { width: 140, title: t('fields.messageRange') }),
          col('readTime', { width: 140, defaultHidden: true }),
        ]}
        onRow={(row) => navigate(detail(row.id))}
        actions={(row) => [
          { key: 'read', label: t('inbox.markRead'), can: row.readTime === null, onClick: () => mark.mutate({ ids: [row.id] }) },
          {
            key: 'remove',
            label: t('inbox.remove'),
            danger: true,
            disabled: row.mustConfirm && row.confirmTime === null ? t('inbox.confirmFirst') : undefined,
            onClick: () => void askRemove(row),
          },
        ]}
        batch={
          isRead
            ? []
            : [{ key: 'read', label: t('inbox.markRead'), onClick: ({ keys, clear }) => mark.mutate({ ids: keys.map(Number) }, { onSuccess: clear }) }]
        }
        empty={
          isRead ? { title: t('inbox.emptyRead') } : { title: t('inbox.emptyUnread'), action: <Link to={`${pathname}?state=read`}>{t('inbox.seeRead')}</Link> }
        }
        card={(row, actions) => (
          <>
            {link(row)}
            <div className={styles.cardFacts}>
              <span>{t(`enums.kind.${row.kind}`)}</span>
              <Time at={row.createTime} />
            </div>
            {actions}
          </>
        )}
      />
      {params.has('detail') ? <MessageDrawer /> : null}
    </>
  )
}
