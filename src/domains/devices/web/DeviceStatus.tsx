import { useTranslation } from 'react-i18next'
import { usePrefs } from '../../../web/prefs.ts'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { age, fullTime } from '../../../web/time.ts'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
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

/**
 * One state per machine, the worst first: fault, offline with its age, temperature, locked, paused,
 * online; a machine not in use says so.
 */
export function useDeviceState(): (device: Shown) => { tone: Tone; word: string; note?: string } {
  const { t } = useTranslation('devices')
  const { lang } = usePrefs()
  return ({ lifecycle, faultCount, status, offlineSince, tempAlarm, locked }) => {
    if (lifecycle !== 'OPERATING' && lifecycle !== 'PAUSED')
      return { tone: 'closed', word: t(`enums.lifecycle.${lifecycle}`) }
    if (faultCount > 0)
      return { tone: 'fault', word: t('state.fault'), note: t('faults', { n: faultCount }) }
    if (status === 'offline') {
      const note = offlineSince ? { note: age(new Date(offlineSince), new Date(), lang) } : {}
      return { tone: 'offline', word: t('state.offline'), ...note }
    }
    if (tempAlarm) return { tone: 'warn', word: t('state.tempAlarm') }
    if (locked) return { tone: 'locked', word: t('fields.locked') }
    if (lifecycle === 'PAUSED') return { tone: 'locked', word: t('enums.lifecycle.PAUSED') }
    return { tone: 'online', word: t('state.online') }
  }
}

export function DeviceStatus({ device, chip = false }: { device: Shown; chip?: boolean }) {
  const { t } = useTranslation('devices')
  const { tone, word, note } = useDeviceState()(device)
  const hint = device.lastSeenAt
    ? t('state.seen', {
        at: fullTime(new Date(device.lastSeenAt)),
        how: t(`state.${device.freshness}`),
      })
    : t('state.never')
  return (
    <Tooltip title={hint}>
      <span>
        <StatusTag tone={tone} chip={chip} note={note}>
          {word}
        </StatusTag>
      </span>
    </Tooltip>
  )
}
