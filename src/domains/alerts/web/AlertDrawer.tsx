import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { useLive } from '../../../web/live.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { type Alert, type AlertRow, alerts } from '../contract.ts'
import styles from './alerts.module.css'
import { deliveryTones, failureWord, levelTones, stateTones } from './tones.ts'

/** The alert named by `?detail=`. */
export function AlertDrawer({
  onHandle,
}: {
  onHandle: (verb: 'acknowledge' | 'close', row: AlertRow) => void
}) {
  const { t } = useTranslation(['alerts', 'web'])
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const id = Number(new URLSearchParams(search).get('detail') ?? 0)
  const open = Number.isSafeInteger(id) && id > 0
  const read = useRead(alerts.get, { id }, { inline: true, enabled: open })
  useLive('alerts', [alerts.get.path])
  const alert = open ? read.data : undefined
  const close = () => {
    const params = new URLSearchParams(search)
    params.delete('detail')
    navigate(params.size ? `${pathname}?${params}` : pathname)
  }
  return (
    <Detail
      open={open}
      onClose={close}
      title={alert ? t(`enums.kind.${alert.kind}`) : ''}
      {...(alert
        ? {
            status: (
              <StatusTag chip tone={stateTones[alert.state]}>
                {t(`enums.state.${alert.state}`)}
              </StatusTag>
            ),
          }
        : {})}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={
        alert?.can.acknowledge || alert?.can.close ? (
          <>
            {alert.can.acknowledge ? (
              <Button onClick={() => onHandle('acknowledge', alert)}>{t('acknowledge')}</Button>
            ) : null}
            {alert.can.close ? (
              <Button type="primary" onClick={() => onHandle('close', alert)}>
                {t('close')}
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      {alert ? <Body alert={alert} /> : null}
    </Detail>
  )
}

function Body({ alert }: { alert: Alert }) {
  const { t } = useTranslation('alerts')
  const time = (at: string | null) => (at === null ? null : <Time key={at} at={at} />)
  const away = alert.awayCount > 0 ? t('away', { n: alert.awayCount }) : t('allBack')
  return (
    <>
      <p className={styles.content}>
        <StatusTag tone={levelTones[alert.level]}>{alert.content}</StatusTag>
      </p>
      <Rows
        items={[
          [
            t('fields.deviceId'),
            alert.deviceId === null ? (
              `${t('machines', { n: alert.deviceCount })} · ${away}`
            ) : (
              <Machine
                key="machine"
                id={alert.deviceId}
                name={`${alert.rtuNumber} ${alert.nickname}`}
              />
            ),
          ],
          [t('fields.orgName'), alert.orgName],
          [t('fields.since'), time(alert.since)],
          [t('fields.openTime'), time(alert.openTime)],
          [t('fields.times'), alert.times],
          ...(alert.ackTime
            ? ([
                [
                  t('fields.ackTime'),
                  <span key="ack">
                    {alert.ackName} <Time at={alert.ackTime} />
                  </span>,
                ],
              ] as const)
            : []),
          ...(alert.ackRemark ? ([[t('fields.ackRemark'), alert.ackRemark]] as const) : []),
          ...(alert.reminders
            ? ([
                [
                  t('fields.reminders'),
                  <span key="reminders">
                    {t('detail.reminded', { n: alert.reminders })} <Time at={alert.remindTime} />
                  </span>,
                ],
              ] as const)
            : []),
          ...(alert.closeTime
            ? ([
                [t('fields.closeTime'), time(alert.closeTime)],
                [
                  t('fields.closeReason'),
                  [
                    alert.closeReason ? t(`enums.closeReason.${alert.closeReason}`) : '',
                    alert.closeName,
                  ]
                    .filter(Boolean)
                    .join(' · '),
                ],
              ] as const)
            : []),
          ...(alert.closeRemark ? ([[t('fields.closeRemark'), alert.closeRemark]] as const) : []),
        ]}
      />
      {alert.members.length ? <Members alert={alert} /> : null}
      <Deliveries alert={alert} />
    </>
  )
}

function Machine({ id, name }: { id: number; name: string }) {
  return useMay()('device:read') ? (
    <Link to={`/device/device-list?detail=${id}`}>{name}</Link>
  ) : (
    name
  )
}

function Members({ alert }: { alert: Alert }) {
  const { t } = useTranslation('alerts')
  const more = alert.deviceCount - alert.members.length
  return (
    <section className={styles.block}>
      <h3>{t('detail.machines')}</h3>
      <ul className={styles.rows}>
        {alert.members.map((member) => (
          <li key={member.deviceId}>
            <Machine id={member.deviceId} name={`${member.rtuNumber} ${member.nickname}`} />
            <span>
              {t(`enums.cause.${member.cause}`)} <Time at={member.since} />
            </span>
            {member.backTime ? (
              <StatusTag tone="online">
                {t('detail.back')} <Time at={member.backTime} />
              </StatusTag>
            ) : (
              <StatusTag tone="offline">{t('enums.kind.OFFLINE')}</StatusTag>
            )}
          </li>
        ))}
      </ul>
      {more > 0 ? <p className={styles.quiet}>{t('detail.more', { n: more })}</p> : null}
    </section>
  )
}

function Deliveries({ alert }: { alert: Alert }) {
  const { t } = useTranslation('alerts')
  return (
    <section className={styles.block}>
      <h3>{t('detail.messages')}</h3>
      {alert.deliveries.length === 0 ? (
        <p className={styles.quiet}>{t('detail.noMessages')}</p>
      ) : null}
      <ul className={styles.rows}>
        {alert.deliveries.map((delivery) => (
          <li key={delivery.id}>
            <span>
              {delivery.channelType === 'IN_APP' ? t('enums.type.IN_APP') : delivery.channelName} ·{' '}
              {t(`enums.event.${delivery.event}`)}
            </span>
            <span>
              {delivery.sendTime ? <Time at={delivery.sendTime} /> : null}
              {delivery.sendTime === null && delivery.nextTime ? (
                <>
                  {t('detail.next')} <Time at={delivery.nextTime} />
                </>
              ) : null}
              {delivery.attempts > 1
                ? ` · ${t('detail.attempts', { n: delivery.attempts })}`
                : null}
              {delivery.reason ? ` · ${failureWord(t, delivery.reason)}` : null}
            </span>
            <StatusTag tone={deliveryTones[delivery.state]}>
              {t(`enums.delivery.${delivery.state}`)}
            </StatusTag>
          </li>
        ))}
      </ul>
    </section>
  )
}
