import { Alert, Button, Dropdown, Tabs } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { useLive } from '../../../web/live.ts'
import { Picture } from '../../../web/Picture.tsx'
import { Empty } from '../../../web/Problem.tsx'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { type Complaint, complaints } from '../contract.ts'
import styles from './complaints.module.css'
import { MergeDialog, NoteDialog, ReasonDialog, RefundDialog, RemoveDialog, ReplyDialog, ResolveDialog } from './dialogs.tsx'

const tones: Readonly<Record<Complaint['state'], Tone>> = {
  OPEN: 'warn',
  HANDLING: 'paid',
  WAITING: 'shipped',
  RESOLVED: 'success',
  CLOSED: 'closed',
  INVALID: 'closed',
}
type Verb = 'reply' | 'note' | 'resolve' | 'invalidate' | 'reopen' | 'merge' | 'refund' | 'remove'

/** The complaint named by `?detail=`. */
export function ComplaintDrawer() {
  const { t } = useTranslation('complaints')
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const id = Number(new URLSearchParams(search).get('detail') ?? 0)
  const open = Number.isSafeInteger(id) && id > 0
  const read = useRead(complaints.get, { id }, { inline: true, enabled: open })
  useLive('complaints', [complaints.get.path])
  const claim = useWrite(complaints.claim, { success: 'complaints:success.claim' })
  const [verb, setVerb] = useState<Verb | null>(null)
  const complaint = open ? read.data : undefined
  const close = () => {
    const params = new URLSearchParams(search)
    params.delete('detail')
    navigate(params.size ? `${pathname}?${params}` : pathname)
  }
  const can = complaint?.can
  const more = (['note', 'merge', 'invalidate', 'reopen', 'remove'] as const).filter((key) => {
    if (!complaint || !can) return false
    if (key === 'reopen') return can.reopen
    if (key === 'remove') return can.remove
    if (key === 'invalidate') return can.handle && complaint.state === 'OPEN'
    return can.handle
  })
  return (
    <>
      <Detail
        open={open}
        onClose={close}
        title={complaint ? t(`enums.type.${complaint.type}`) : ''}
        {...(complaint
          ? {
              status: (
                <StatusTag chip tone={tones[complaint.state]}>
                  {t(`enums.state.${complaint.state}`)}
                </StatusTag>
              ),
              id: String(complaint.id),
            }
          : {})}
        loading={read.isPending}
        error={read.error}
        onRetry={() => void read.refetch()}
        actions={
          complaint && can ? (
            <>
              {can.handle && complaint.state === 'OPEN' ? (
                <Button onClick={() => claim.mutate({ id: complaint.id, version: complaint.version })}>{t('claim')}</Button>
              ) : null}
              {can.refund ? <Button onClick={() => setVerb('refund')}>{t('refund')}</Button> : null}
              {can.reply ? <Button onClick={() => setVerb('reply')}>{t('reply')}</Button> : null}
              {can.handle ? (
                <Button type="primary" onClick={() => setVerb('resolve')}>
                  {t('resolve')}
                </Button>
              ) : null}
              {more.length ? (
                <Dropdown
                  trigger={['click']}
                  menu={{ items: more.map((key) => ({ key, label: t(key), danger: key === 'remove' })), onClick: ({ key }) => setVerb(key as Verb) }}
                >
                  <Button aria-label={t('web:list.more', { defaultValue: '…' })}>…</Button>
                </Dropdown>
              ) : null}
            </>
          ) : null
        }
      >
        {complaint ? <Body complaint={complaint} /> : null}
      </Detail>
      {complaint ? <Dialogs verb={verb} complaint={complaint} onClose={() => setVerb(null)} onGone={close} /> : null}
    </>
  )
}

function Dialogs({ verb, complaint, onClose, onGone }: { verb: Verb | null; complaint: Complaint; onClose: () => void; onGone: () => void }) {
  const props = { complaint, onClose }
  if (verb === 'reply') return <ReplyDialog {...props} />
  if (verb === 'note') return <NoteDialog {...props} />
  if (verb === 'resolve') return <ResolveDialog {...props} />
  if (verb === 'invalidate' || verb === 'reopen') return <ReasonDialog {...props} verb={verb} />
  if (verb === 'merge') return <MergeDialog {...props} />
  if (verb === 'refund') return <RefundDialog {...props} />
  return verb === 'remove' ? <RemoveDialog {...props} onSaved={onGone} /> : null
}

function Body({ complaint: c }: { complaint: Complaint }) {
  const { t } = useTranslation('complaints')
  const may = useMay()
  const lane = c.road === null ? null : `${c.road}`
  return (
    <>
      {c.laneAlarm ? (
        <Alert
          type="error"
          showIcon
          title={t('laneAlarm')}
          action={may('lane:read') && c.deviceId !== null ? <Link to={`/device/device-list/cargo-road/${c.deviceId}`}>{t('toLanes')}</Link> : null}
        />
      ) : null}
      {c.mergedInto === null ? null : (
        <p>
          <Link to={`/complaint/feedback?detail=${c.mergedInto}`}>{t('mergedInto', { n: c.mergedInto })}</Link>
        </p>
      )}
      <p className={styles.content}>{c.content}</p>
      {c.images.length ? (
        <p className={styles.pictures}>
          {c.images.map((src) => (
            <Picture key={src} src={src} size={72} />
          ))}
        </p>
      ) : null}
      <Rows
        items={[
          [t('fields.username'), c.username],
          [t('fields.contactPhone'), c.contactPhone],
          [t('fields.source'), t(`enums.source.${c.source}`)],
          [t('fields.createTime'), <Time key="at" at={c.createTime} />],
          [t('fields.rtuNumber'), c.rtuNumber === null ? null : `${c.rtuNumber} ${c.nickname ?? ''}`],
          [t('fields.road'), lane],
          [
            t('fields.orderNum'),
            c.orderNum === null ? null : may('order:read') ? (
              <Link key="order" to={`/order/order-details/${c.orderNum}`}>
                {c.orderNum}
              </Link>
            ) : (
              c.orderNum
            ),
          ],
          [t('fields.assigneeName'), c.assigneeName],
          [
            t('fields.resolveDueAt'),
            <span key="due">
              <Time at={c.resolveDueAt} /> {c.overdue ? <StatusTag tone="fault">{t('overdue')}</StatusTag> : null}
            </span>,
          ],
          [t('fields.orgName'), c.orgName],
          [t('fields.result'), c.result === null ? null : t(`enums.result.${c.result}`)],
          [t('fields.remark'), c.remark],
        ]}
      />
      <p className={styles.quiet}>
        {[...(c.sameLane ? [t('sameLane', { n: c.sameLane })] : []), ...(c.sameUser ? [t('sameUser', { n: c.sameUser })] : [])].join(' · ')}
      </p>
      <Tabs
        items={[
          { key: 'talk', label: t('detail.talk'), children: <Talk complaint={c} /> },
          { key: 'around', label: t('detail.around'), children: <Around complaint={c} /> },
        ]}
      />
    </>
  )
}

function Talk({ complaint }: { complaint: Complaint }) {
  const { t } = useTranslation('complaints')
  if (complaint.entries.length === 0) return <Empty title={t('detail.nothing')} />
  return (
    <ol className={styles.talk}>
      {complaint.entries.map((entry) => (
        <li key={entry.id} data-kind={entry.kind}>
          <small>
            {entry.username} · <Time at={entry.createTime} />
          </small>
          <p>
            <b>{t(`enums.kind.${entry.kind}`)}</b> {entry.content}
          </p>
        </li>
      ))}
    </ol>
  )
}

function Around({ complaint }: { complaint: Complaint }) {
  const { t } = useTranslation('complaints')
  if (complaint.around.length === 0) return <Empty title={t('detail.noMessages')} />
  return (
    <ol className={styles.talk}>
      {complaint.around.map((message) => (
        <li key={`${message.createTime} ${message.kind} ${message.note}`}>
          <small>
            <Time at={message.createTime} />
          </small>
          <p>
            <b>{t(`enums.message.${message.kind}`)}</b> {message.note}
          </p>
        </li>
      ))}
    </ol>
  )
}
