import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { useNeighbours } from '../../../web/list/useNeighbours.ts'
import { useLive } from '../../../web/live.ts'
import { Money } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { type SecurityDetail, type SecurityRow, security } from '../contract.ts'
import { useSubject } from './subject.ts'

/** The event named by `?detail=`, in words. */
export function SecurityDrawer({ onClosing }: { onClosing: (row: SecurityRow) => void }) {
  const { t } = useTranslation('security')
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const params = new URLSearchParams(search)
  const id = Number(params.get('detail') ?? 0)
  const open = Number.isSafeInteger(id) && id > 0
  const read = useRead(security.get, { id }, { inline: true, enabled: open })
  useLive('security', [security.get.path])
  const go = (next: number) => {
    params.set('detail', String(next))
    navigate(`${pathname}?${params}`)
  }
  const steps = useNeighbours(security.list, 'id', id, (next) => go(Number(next)), open && pathname === '/log/security-events')
  const event = open ? read.data : undefined
  const close = () => {
    params.delete('detail')
    navigate(params.size ? `${pathname}?${params}` : pathname)
  }
  const tag = event ? (
    <StatusTag chip tone={event.state === 'OPEN' ? 'fault' : 'closed'}>
      {t(`enums.state.${event.state}`)}
    </StatusTag>
  ) : null
  return (
    <Detail
      open={open}
      onClose={close}
      title={event ? t(`enums.kind.${event.kind}`) : ''}
      {...(tag ? { status: tag } : {})}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      {...steps}
      actions={
        event?.can.close ? (
          <Button type="primary" onClick={() => onClosing(event)}>
            {t('close')}
          </Button>
        ) : null
      }
    >
      {event ? <Body event={event} /> : null}
    </Detail>
  )
}

function Body({ event }: { event: SecurityDetail }) {
  const { t } = useTranslation('security')
  const may = useMay()
  const subject = useSubject()
  const link = (to: string, text: string): ReactNode => <Link to={to}>{text}</Link>
  const shown = ({ key, value }: SecurityDetail['facts'][number]): ReactNode => {
    if ((key === 'amount' || key === 'expected') && typeof value === 'number') return <Money fen={value} />
    if (key === 'clock') return <Time at={String(value)} style="full" />
    if (key === 'why' || key === 'what' || key === 'message' || key === 'change' || key === 'provider')
      return t(`${key}.${value}`, { defaultValue: String(value) })
    return key === 'orderNum' && may('order:read') ? link(`/order/order-details/${value}`, String(value)) : String(value)
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
            event.deviceId !== null && may('device:read') ? link(`/device/device-list?detail=${event.deviceId}`, event.rtuNumber) : event.rtuNumber,
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
      <Rows title={t('last')} items={event.facts.map((fact) => [t(`facts.${fact.key}`, { defaultValue: fact.key }), shown(fact)])} />
    </>
  )
}
