import { Button, Input, Pagination, Progress, Segmented, Tooltip } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { Detail } from '../../../web/Detail.tsx'
import { useLive } from '../../../web/live.ts'
import { Bones, Problem } from '../../../web/Problem.tsx'
import { Time } from '../../../web/Time.tsx'
import { notices, type ReaderRow } from '../contract.ts'
import styles from './readers.module.css'

const size = 50

/** Who has read a notice and who has not, beside the list. */
export function Readers({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation(['notices', 'web'])
  const confirm = useConfirm()
  const [state, setState] = useState<'unread' | 'read'>('unread')
  const [keyword, setKeyword] = useState('')
  const [page, setPage] = useState(1)
  const loaded = useRead(notices.get, { id }, { inline: true })
  const read = useRead(notices.readers, { id, state, page, pageSize: size, ...(keyword ? { keyword } : {}) }, { inline: true, keep: true })
  useLive('notices', [notices.get.path, notices.readers.path])
  const remind = useWrite(notices.remind, { success: 'notices:success.remind', invalidates: ['/api/notices', '/api/messages'] })
  const notice = loaded.data
  const open = (notice?.targetCount ?? 0) - (notice?.readCount ?? 0)
  const ask = async () => {
    if (await confirm({ title: t('remindAsk', { n: open }), ok: t('remind') })) remind.mutate({ id })
  }
  const show = (next: 'unread' | 'read') => {
    setState(next)
    setPage(1)
  }
  return (
    <Detail
      open
      onClose={onClose}
      title={notice ? `${t('reader.title')} · ${notice.title}` : t('reader.title')}
      loading={loaded.isPending}
      error={loaded.error}
      onRetry={() => void loaded.refetch()}
      actions={
        notice?.state === 'PUBLISHED' && open > 0 ? (
          <Tooltip title={t('remindHint')}>
            <Button type="primary" disabled={!notice.can.remind} loading={remind.isPending} onClick={() => void ask()}>
              {t('remind')}
            </Button>
          </Tooltip>
        ) : null
      }
    >
      {notice ? (
        <>
          <div className={styles.sum}>
            <span>{t('reader.ratio', { read: notice.readCount, target: notice.targetCount })}</span>
            <Progress percent={Math.floor((100 * notice.readCount) / Math.max(1, notice.targetCount))} size="small" strokeColor="var(--hd-brand)" />
          </div>
          <div className={styles.bar}>
            <Segmented
              value={state}
              onChange={show}
              options={[
                { value: 'unread', label: t('reader.unread', { n: open }) },
                { value: 'read', label: t('reader.read', { n: notice.readCount }) },
              ]}
            />
            <Input
              allowClear
              className={styles.search ?? ''}
              placeholder={t('reader.search')}
              aria-label={t('reader.search')}
              maxLength={60}
              value={keyword}
              onChange={(event) => {
                setKeyword(event.target.value)
                setPage(1)
              }}
            />
          </div>
          {read.error ? (
            <Problem error={read.error} onRetry={() => void read.refetch()} />
          ) : read.data ? (
            <People list={read.data.list} state={state} />
          ) : (
            <Bones rows={6} />
          )}
          {(read.data?.total ?? 0) > size ? (
            <Pagination
              className={styles.pages ?? ''}
              size="small"
              current={page}
              pageSize={size}
              total={read.data?.total ?? 0}
              showSizeChanger={false}
              onChange={setPage}
            />
          ) : null}
        </>
      ) : null}
    </Detail>
  )
}

function People({ list, state }: { list: readonly ReaderRow[]; state: 'unread' | 'read' }) {
  const { t } = useTranslation('notices')
  if (list.length === 0) return <p className={styles.none}>{t(state === 'unread' ? 'reader.noneUnread' : 'reader.noneRead')}</p>
  const confirmed = list.some((person) => person.confirmTime !== null)
  return (
    <table className={styles.people}>
      <thead>
        <tr>
          <th>{t('fields.name')}</th>
          <th>{t('fields.userName')}</th>
          <th>{t('fields.orgName')}</th>
          {state === 'read' ? <th>{t('fields.readTime')}</th> : null}
          {confirmed ? <th>{t('fields.confirmTime')}</th> : null}
        </tr>
      </thead>
      <tbody>
        {list.map((person) => (
          <tr key={person.id}>
            <td>{person.name}</td>
            <td>{person.userName}</td>
            <td>{person.orgName}</td>
            {state === 'read' ? (
              <td>
                <Time at={person.readTime} />
              </td>
            ) : null}
            {confirmed ? (
              <td>
                <Time at={person.confirmTime} />
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
