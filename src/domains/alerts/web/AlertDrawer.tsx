import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Lines, Part } from '../../../web/ui/Sheet.tsx'
import { Lead, Muted } from '../../../web/ui/Text.tsx'
import { type Alert, alerts, levelTones, stateTones } from '../contract.ts'
import { HandleDialog, type Verb } from './HandleDialog.tsx'
import { deliveryTones, failureWord } from './tones.ts'

const columns = 'minmax(0, 1.2fr) minmax(0, 1fr) minmax(120px, auto)'

/** An alert beside its list. */
export function AlertDrawer({ id, ...steps }: DetailProps) {
  const { t } = useTranslation('alerts')
  const known = /^[1-9]\d{0,14}$/.test(id)
  const read = useRead(alerts.get, { id: Number(id) }, { inline: true, enabled: known })
  useLive('alerts', [alerts.get.path])
  const [verb, setVerb] = useState<Verb | null>(null)
  const alert = known ? read.data : undefined
  const button = (what: Verb, primary: boolean) =>
    alert?.can[what] ? (
      <Button type={primary ? 'primary' : 'default'} onClick={() => setVerb(what)}>
        {t(what)}
      </Button>
    ) : null
  return (
    <Detail
      open={known}
      {...steps}
      title={alert ? t(`enums.kind.${alert.kind}`) : ''}
      status={
        alert ? (
          <StatusTag chip tone={stateTones[alert.state]}>
            {t(`enums.state.${alert.state}`)}
          </StatusTag>
        ) : null
      }
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={
        alert?.can.acknowledge || alert?.can.close ? (
          <>
            {button('acknowledge', false)}
            {button('close', true)}
          </>
        ) : null
      }
    >
      {alert ? <Body alert={alert} /> : null}
      {alert && verb ? (
        <HandleDialog verb={verb} ids={[alert.id]} onClose={() => setVerb(null)} />
      ) : null}
    </Detail>
  )
}

type Item = readonly [label: string, value: ReactNode]
function Body({ alert }: { alert: Alert }) {
  const { t } = useTranslation('alerts')
  const f = (key: string, value: ReactNode): Item => [t(`fields.${key}`), value]
  const time = (at: string | null) => (at === null ? null : <Time key={at} at={at} />)
  /** Who or what, and when. */
  const when = (text: string, at: string | null) => (
    <>
      {text} <Time at={at} />
    </>
  )
  const away = alert.awayCount > 0 ? t('away', { n: alert.awayCount }) : t('allBack')
  const reason = alert.closeReason ? t(`enums.closeReason.${alert.closeReason}`) : ''
  const items: (Item | false)[] = [
    f(
      'deviceId',
      alert.deviceId === null ? (
        `${t('machines', { n: alert.deviceCount })} · ${away}`
      ) : (
        <Machine id={alert.deviceId} name={`${alert.rtuNumber} ${alert.nickname}`} />
      ),
    ),
    f('orgName', alert.orgName),
    f('since', time(alert.since)),
    f('openTime', time(alert.openTime)),
    f('times', alert.times),
    alert.ackTime !== null && f('ackTime', when(alert.ackName, alert.ackTime)),
    alert.ackRemark !== '' && f('ackRemark', alert.ackRemark),
    alert.reminders > 0 &&
      f('reminders', when(t('detail.reminded', { n: alert.reminders }), alert.remindTime)),
    alert.closeTime !== null && f('closeTime', time(alert.closeTime)),
    alert.closeTime !== null &&
      f('closeReason', [reason, alert.closeName].filter(Boolean).join(' · ')),
    alert.closeRemark !== '' && f('closeRemark', alert.closeRemark),
  ]
  return (
    <>
      <Lead>
        <StatusTag tone={levelTones[alert.level]}>{alert.content}</StatusTag>
      </Lead>
      <Rows items={items.filter((item) => item !== false)} />
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
    <Part title={t('detail.machines')}>
      <Lines columns={columns}>
        {alert.members.map((member) => (
          <li key={member.deviceId}>
            <Machine id={member.deviceId} name={`${member.rtuNumber} ${member.nickname}`} />
            <Muted>
              {t(`enums.cause.${member.cause}`)} <Time at={member.since} />
            </Muted>
            {member.backTime ? (
              <StatusTag tone="online">
                {t('detail.back')} <Time at={member.backTime} />
              </StatusTag>
            ) : (
              <StatusTag tone="offline">{t('enums.kind.OFFLINE')}</StatusTag>
            )}
          </li>
        ))}
      </Lines>
      {more > 0 ? <Lead>{t('detail.more', { n: more })}</Lead> : null}
    </Part>
  )
}

function Deliveries({ alert }: { alert: Alert }) {
  const { t } = useTranslation('alerts')
  return (
    <Part title={t('detail.messages')}>
      {alert.deliveries.length === 0 ? <Lead>{t('detail.noMessages')}</Lead> : null}
      <Lines columns={columns}>
        {alert.deliveries.map((sent) => (
          <li key={sent.id}>
            <span>
              {sent.channelType === 'IN_APP' ? t('enums.type.IN_APP') : sent.channelName} ·{' '}
              {t(`enums.event.${sent.event}`)}
            </span>
            <Muted>
              {sent.sendTime ? <Time at={sent.sendTime} /> : null}
              {sent.sendTime === null && sent.nextTime ? (
                <>
                  {t('detail.next')} <Time at={sent.nextTime} />
                </>
              ) : null}
              {sent.attempts > 1 ? ` · ${t('detail.attempts', { n: sent.attempts })}` : null}
              {sent.reason ? ` · ${failureWord(t, sent.reason)}` : null}
            </Muted>
            <StatusTag tone={deliveryTones[sent.state]}>
              {t(`enums.delivery.${sent.state}`)}
            </StatusTag>
          </li>
        ))}
      </Lines>
    </Part>
  )
}
