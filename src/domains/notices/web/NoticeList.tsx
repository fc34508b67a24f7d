import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { NoticeRow, noticeStates, notices } from '../contract.ts'
import styles from './notices.module.css'
import { useActs } from './useActs.ts'

const Readers = lazyDialog(() => import('./Readers.tsx').then((m) => m.Readers))
const form = '/log/issue-notice/IssueAnnouncement'
const tones: Record<NoticeRow['state'], Tone> = { DRAFT: 'closed', SCHEDULED: 'paid', PUBLISHED: 'success', WITHDRAWN: 'refunded', EXPIRED: 'locked' }

export function NoticeList() {
  const { t } = useTranslation(['notices', 'web'])
  const col = useCols(NoticeRow, 'notices')
  const may = useMay()
  const navigate = useNavigate()
  const acts = useActs()
  const [read, setRead] = useState<number | null>(null)
  const targets = (row: NoticeRow) =>
    row.toAll
      ? t('target.all')
      : (['org', 'role', 'user'] as const)
          .filter((kind) => row[`${kind}Count`] > 0)
          .map((kind) => t(`target.${kind}s`, { n: row[`${kind}Count`] }))
          .join(' · ')
  const ratio = (row: NoticeRow) =>
    row.targetCount === 0 ? (
      <span className="hd-none">—</span>
    ) : (
      <span className={styles.ratio}>
        {row.readCount} / {row.targetCount} <small>{Math.floor((100 * row.readCount) / row.targetCount)}%</small>
      </span>
    )
  const title = (row: NoticeRow) => (
    <span className={styles.title}>
      <span>{row.title}</span>
      {row.pinned ? <span className={styles.pin}>{t('inbox.pinned')}</span> : null}
      {row.mustConfirm ? <span className={styles.must}>{t('inbox.mustConfirm')}</span> : null}
    </span>
  )
  const add = may('notice:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => navigate(form)}>
      {t('create')}
    </Button>
  ) : null
  return (
    <>
      <ListPage
        title={t('title')}
        ns="notices"
        endpoint={notices.list}
        rowKey="id"
        live="notices"
        header={add}
        empty={{ title: t('empty'), action: add }}
        views={[
          { key: 'all', label: t('web:list.all'), query: {} },
          ...noticeStates.map((state) => ({ key: state, label: t(`views.${state}`), query: { state } })),
        ]}
        filters={[{ key: 'keyword', label: t('fields.keyword') }, { key: 'state', more: true }, { key: 'author' }, { key: 'range' }]}
        columns={[
          col('img'),
          col('title', { width: 240, ellipsis: true, render: (_, row) => title(row) }),
          col('targets', { width: 168, ellipsis: true, render: (_, row) => targets(row) }),
          col('channels', { width: 144, render: (_, row) => row.channels.map((channel) => t(`enums.channels.${channel}`)).join(' · ') }),
          col('state', { width: 104, tones }),
          col('ratio', { width: 136, align: 'right', render: (_, row) => ratio(row) }),
          col('publishTime'),
          col('expireTime'),
          col('author', { width: 96 }),
          col('createTime'),
          col('pinned', { defaultHidden: true }),
          col('orgName', { width: 160, defaultHidden: true }),
        ]}
        actions={(row) => [
          { key: 'edit', label: t('edit'), can: row.can.update, to: `${form}/${row.id}` },
          { key: 'publish', label: t('publish'), can: row.can.publish, onClick: () => void acts.publish(row) },
          { key: 'readers', label: t('readers'), can: row.targetCount > 0, onClick: () => setRead(row.id) },
          { key: 'copy', label: t('copy'), can: may('notice:create'), to: `${form}?from=${row.id}` },
          { key: 'pin', label: t(row.pinned ? 'unpin' : 'pin'), can: row.can.pin, onClick: () => acts.pin(row) },
          { key: 'withdraw', label: t('withdraw'), danger: true, can: row.can.withdraw, onClick: () => void acts.withdraw(row) },
          { key: 'remove', label: t('remove'), danger: true, can: row.can.delete, onClick: () => void acts.remove(row) },
        ]}
        card={(row, actions) => (
          <>
            <div className={styles.cardHead}>
              {row.img ? <Picture src={row.img} size={40} /> : null}
              <strong>{title(row)}</strong>
              <StatusTag tone={tones[row.state]} chip>
                {t(`enums.state.${row.state}`)}
              </StatusTag>
            </div>
            <div className={styles.cardFacts}>
              <span>{targets(row)}</span>
              <span>
                {t('fields.ratio')} {ratio(row)}
              </span>
            </div>
            {actions}
          </>
        )}
      />
      {read === null ? null : <Readers id={read} onClose={() => setRead(null)} />}
    </>
  )
}
