import { Tooltip } from 'antd'
import { useTranslation } from 'react-i18next'
import { usePrefs } from '../../../web/prefs.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { age, fullTime } from '../../../web/time.ts'
import type { DeviceRow } from '../contract.ts'

type Shown = Pick<
  DeviceRow,
  | 'lifecycle'
  | 'locked'
  | 'status'
  | 'faultCount'
  | 'tempAlarm'
  | 'offlineSince'
  | 'lastSeenAt'
  | 'freshness'
>

/** One state per machine, the worst first: fault, offline with its age, temperature, locked, paused, online; a machine not in use says so. */
export function DeviceStatus({ device, chip = false }: { device: Shown; chip?: boolean }) {
  const { t } = useTranslation('devices')
  const { lang } = usePrefs()
  const now = new Date()
  const hint = device.lastSeenAt
    ? `${t('state.lastSeen', { at: fullTime(new Date(device.lastSeenAt)) })} (${t(`state.${device.freshness}`)})`
    : t('state.never')
  const idle = device.lifecycle !== 'OPERATING' && device.lifecycle !== 'PAUSED'
  const tag = idle ? (
    <StatusTag tone="closed" chip={chip}>
      {t(`enums.lifecycle.${device.lifecycle}`)}
    </StatusTag>
  ) : device.faultCount > 0 ? (
    <StatusTag tone="fault" chip={chip} note={t('faults', { n: device.faultCount })}>
      {t('state.fault')}
    </StatusTag>
  ) : device.status === 'offline' ? (
    <StatusTag
      tone="offline"
      chip={chip}
      note={device.offlineSince ? age(new Date(device.offlineSince), now, lang) : null}
    >
      {t('state.offline')}
    </StatusTag>
  ) : device.tempAlarm ? (
    <StatusTag tone="warn" chip={chip}>
      {t('state.tempAlarm')}
    </StatusTag>
  ) : device.locked ? (
    <StatusTag tone="locked" chip={chip}>
      {t('fields.locked')}
    </StatusTag>
  ) : device.lifecycle === 'PAUSED' ? (
    <StatusTag tone="locked" chip={chip}>
      {t('enums.lifecycle.PAUSED')}
    </StatusTag>
  ) : (
    <StatusTag tone="online" chip={chip}>
      {t('state.online')}
    </StatusTag>
  )
  return (
    <Tooltip title={hint}>
      <span>{tag}</span>
    </Tooltip>
  )
}
