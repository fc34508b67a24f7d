import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { Money } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { type SecurityDetail, security } from '../contract.ts'
import { useSubject } from './subject.ts'
import { useClosing } from './useClosing.tsx'

/** The event in words, beside its list. */
export function SecurityDrawer({ id, ...beside }: DetailProps) {
  const { t } = useTranslation('security')
  const read = useRead(security.get, { id: Number(id) }, { inline: true })
  useLive('security', [security.get.path])
  const closing = useClosing()
  const event = read.data
  const tag = event ? (
    <StatusTag chip tone={event.state === 'OPEN' ? 'fault' : 'closed'}>
      {t(`enums.state.${event.state}`)}
    </StatusTag>
  ) : null
  return (
    <Detail
      open
      {...beside}
      title={event ? t(`enums.kind.${event.kind}`) : ''}
      {...(tag ? { status: tag } : {})}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={
        event?.can.close ? (
          <Button type="primary" onClick={() => closing.ask(event)}>
            {t('close')}
          </Button>
        ) : null
      }
    >
      {event ? <Body event={event} /> : null}
      {closing.dialog}
    </Detail>
  )
}

function Body({ event }: { event: SecurityDetail }) {
  const { t } = useTranslation('security')
  const may = useMay()
  const subject = useSubject()
  const link = (to: string, text: string): ReactNode => <Link to={to}>{text}</Link>
  const shown = ({ key, value }: SecurityDetail['facts'][number]): ReactNode => {
    if ((key === 'amount' || key === 'expected') && typeof value === 'number')
      return <Money fen={value} />
    if (key === 'clock') return <Time at={String(value)} style="full" />
    if (
      key === 'why' ||
      key === 'what' ||
      key === 'message' ||
      key === 'change' ||
      key === 'provider'
    )
      return t(`${key}.${value}`, { defaultValue: String(value) })
    return key === 'orderNum' && may('order:read')
      ? link(`/order/order-details/${value}`, String(value))
      : String(value)
  }
  return (
    <>
      <Rows
        title={t('basic')}
        items={[
          [t('fields.subject'), subject(event)],
          [t('fields.times'), t('timesOf', { n: event.times, count: event.times })],
          [t('fields.firstTime'), <Time key="first" at={event.firstTime} style="full" />],
          [t('fields.lastTime'), <Time key="last" at={event.lastTime} style="full" />],
          [
            t('fields.rtuNumber'),
            event.deviceId !== null && may('device:read')
              ? link(`/device/device-list?detail=${event.deviceId}`, event.rtuNumber)
              : event.rtuNumber,
          ],
          [t('fields.orgName'), event.orgName],
          ...(event.closeTime
            ? ([
                [t('fields.closeName'), event.closeName],
                [t('fields.closeTime'), <Time key="close" at={event.closeTime} style="full" />],
                [t('fields.remark'), event.remark],
              ] as const)
            : []),
        ]}
      />
      <Rows
        title={t('last')}
        items={event.facts.map((fact) => [
          t(`facts.${fact.key}`, { defaultValue: fact.key }),
          shown(fact),
        ])}
      />
    </>
  )
}
