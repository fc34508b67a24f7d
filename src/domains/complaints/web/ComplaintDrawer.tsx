import { Alert, Button, Tabs } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { Picture } from '../../../web/Picture.tsx'
import { Empty } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Dropdown } from '../../../web/ui/popup.tsx'
import { type Complaint, complaints, stateTones } from '../contract.ts'
import styles from './complaints.module.css'
import {
  AssignDialog,
  MergeDialog,
  NoteDialog,
  ReasonDialog,
  RemoveDialog,
  ReplyDialog,
  ResolveDialog,
} from './dialogs.tsx'
import { OrderPieces } from './OrderPieces.tsx'
import { laneNo } from './pieces.ts'
import { RefundDialog } from './RefundDialog.tsx'

type Verb =
  | 'reply'
  | 'assign'
  | 'note'
  | 'resolve'
  | 'invalidate'
  | 'reopen'
  | 'merge'
  | 'refund'
  | 'remove'

/** A complaint beside its list. */
export function ComplaintDrawer({ id: named, ...beside }: DetailProps) {
  const { t } = useTranslation(['complaints', 'web'])
  const may = useMay()
  const id = Number(named)
  const read = useRead(complaints.get, { id }, { inline: true })
  useLive('complaints', [complaints.get.path])
  const claim = useWrite(complaints.claim, { success: 'complaints:success.claim' })
  const [verb, setVerb] = useState<Verb | null>(null)
  const complaint = read.data
  const can = complaint?.can
  const more = (['assign', 'note', 'merge', 'invalidate', 'reopen', 'remove'] as const).filter(
    (key) => {
      if (!complaint || !can) return false
      if (key === 'reopen') return can.reopen
      if (key === 'remove') return can.remove
      if (key === 'assign') return can.handle && may('user:lookup')
      if (key === 'invalidate') return can.handle && complaint.state === 'OPEN'
      return can.handle
    },
  )
  return (
    <>
      <Detail
        open
        {...beside}
        title={complaint ? t(`enums.type.${complaint.type}`) : ''}
        {...(complaint
          ? {
              status: (
                <StatusTag chip tone={stateTones[complaint.state]}>
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
                <Button
                  loading={claim.isPending}
                  onClick={() => claim.mutate({ id: complaint.id, version: complaint.version })}
                >
                  {t('claim')}
                </Button>
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
                  menu={{
                    items: more.map((key) => ({ key, label: t(key), danger: key === 'remove' })),
                    onClick: ({ key }) => setVerb(key as Verb),
                  }}
                >
                  <Button>{t('web:action.more')}</Button>
                </Dropdown>
              ) : null}
            </>
          ) : null
        }
      >
        {complaint ? <Body complaint={complaint} /> : null}
      </Detail>
      {complaint ? (
        <Dialogs
          verb={verb}
          complaint={complaint}
          onClose={() => setVerb(null)}
          onGone={beside.onClose}
        />
      ) : null}
    </>
  )
}

function Dialogs({
  verb,
  complaint,
  onClose,
  onGone,
}: {
  verb: Verb | null
  complaint: Complaint
  onClose: () => void
  onGone: () => void
}) {
  const props = { complaint, onClose }
  if (verb === 'reply') return <ReplyDialog {...props} />
  if (verb === 'assign') return <AssignDialog ids={[complaint.id]} onClose={onClose} />
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
  const { search } = useLocation()
  const history = [
    ...(c.sameLane ? [t('sameLane', { n: c.sameLane })] : []),
    ...(c.sameUser ? [t('sameUser', { n: c.sameUser })] : []),
  ].join(' · ')
  const late = (at: string) => c.overdue && Date.parse(at) <= Date.now()
  const due = (at: string, over: boolean) => (
    <span className={styles.due}>
      <Time at={at} />
      {over ? <StatusTag tone="fault">{t('overdue')}</StatusTag> : null}
    </span>
  )
  const other = new URLSearchParams(search)
  other.set('detail', String(c.mergedInto))
  return (
    <>
      {c.laneAlarm ? (
        <Alert
          type="error"
          showIcon
          title={t('laneAlarm')}
          action={
            may('lane:read') && c.deviceId !== null ? (
              <Link to={`/device/device-list/cargo-road/${c.deviceId}`}>{t('toLanes')}</Link>
            ) : null
          }
        />
      ) : null}
      {c.mergedInto === null ? null : (
        <p className={styles.merged}>
          <Link to={`/complaint/feedback?${other}`}>{t('mergedInto', { n: c.mergedInto })}</Link>
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
          [
            t('fields.rtuNumber'),
            c.rtuNumber === null ? null : <Machine key="machine" complaint={c} />,
          ],
          [t('fields.road'), c.road === null ? null : laneNo(c.road)],
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
          [t('fields.orgName'), c.orgName],
          c.firstRepliedAt === null
            ? [t('fields.firstReplyDueAt'), due(c.firstReplyDueAt, late(c.firstReplyDueAt))]
            : [t('fields.firstRepliedAt'), <Time key="replied" at={c.firstRepliedAt} />],
          c.resolvedAt === null
            ? [t('fields.resolveDueAt'), due(c.resolveDueAt, late(c.resolveDueAt))]
            : [t('fields.resolvedAt'), <Time key="resolved" at={c.resolvedAt} />],
          [t('fields.result'), c.result === null ? null : t(`enums.result.${c.result}`)],
          [t('fields.remark'), c.remark],
        ]}
      />
      {history ? <p className={styles.quiet}>{history}</p> : null}
      <Tabs
        items={[
          { key: 'talk', label: t('detail.talk'), children: <Talk complaint={c} /> },
          ...(c.orderNum !== null && may('order:read')
            ? [
                {
                  key: 'order',
                  label: t('detail.order'),
                  children: <OrderPieces orderNum={c.orderNum} />,
                },
              ]
            : []),
          {
            key: 'around',
            label: t(c.orderNum === null ? 'detail.around' : 'detail.aroundOrder'),
            children: <Around complaint={c} />,
          },
        ]}
      />
    </>
  )
}

function Machine({ complaint: c }: { complaint: Complaint }) {
  const may = useMay()
  return (
    <span>
      {c.deviceId !== null && may('device:read') ? (
        <Link to={`/device/device-list?detail=${c.deviceId}`}>{c.rtuNumber}</Link>
      ) : (
        c.rtuNumber
      )}{' '}
      {c.nickname}
    </span>
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
            {entry.username === 'system' ? t('system') : entry.username} ·{' '}
            <Time at={entry.createTime} />
          </small>
          <p>
            <b>{t(`enums.kind.${entry.kind}`)}</b> {entry.content}
          </p>
        </li>
      ))}
    </ol>
  )
}

/** What the machine said, in words: the lane, what came of it, whether a drop was seen. */
function Around({ complaint }: { complaint: Complaint }) {
  const { t } = useTranslation(['complaints', 'orders'])
  if (complaint.around.length === 0) return <Empty title={t('detail.noMessages')} />
  const said = ({ kind, open, road, outcome, dropDetected }: Complaint['around'][number]) => [
    ...(open === null ? [] : [t(open ? 'detail.doorOpen' : 'detail.doorClosed')]),
    ...(road === null ? [] : [t('onLane', { n: laneNo(road) })]),
    ...(outcome === null
      ? []
      : [
          outcome === 'OK'
            ? t('orders:enums.vendState.SUCCESS')
            : t(`orders:enums.failReason.${outcome}`, { defaultValue: outcome }),
        ]),
    ...(kind === 'vend_result' && outcome === 'OK' && dropDetected !== null
      ? [t(dropDetected ? 'detail.dropped' : 'detail.notDropped')]
      : []),
  ]
  return (
    <ol className={styles.talk}>
      {complaint.around.map((message) => (
        <li key={`${message.createTime} ${message.kind} ${message.road}`}>
          <small>
            <Time at={message.createTime} />
            {message.ofOrder ? ` · ${t('detail.ofOrder')}` : null}
          </small>
          <p>
            <b>{t(`enums.message.${message.kind}`)}</b> {said(message).join(' · ')}
          </p>
        </li>
      ))}
    </ol>
  )
}
