import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Rows } from '../../../web/Detail.tsx'
import { useLive } from '../../../web/live.ts'
import { Unread } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Lines, Part } from '../../../web/ui/Sheet.tsx'
import { Lead, Muted } from '../../../web/ui/Text.tsx'
import { type Config, deviceSettings } from '../contract.ts'
import { type SettingName, settingNames, useTiming } from './SettingFields.tsx'
import { SettingsDialog } from './SettingsDialog.tsx'
import { SyncTag } from './SyncTag.tsx'

/** What a machine should have, how far that has come, and who set what. */
export function SettingsTab({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation('deviceSettings')
  const may = useMay()
  const word = useWord()
  const [open, setOpen] = useState(false)
  const read = useRead(deviceSettings.get, { id: deviceId }, { inline: true, keep: true })
  useLive('shadows', [deviceSettings.get.path])
  const device = read.data
  if (!device) return <Unread read={read} rows={8} />
  const { sync } = device
  const names = settingNames.filter((name) => device.refrigeration || !name.startsWith('temp'))
  return (
    <>
      <Rows
        title={t('desired')}
        extra={
          may('device:config') && device.can.update ? (
            <Button size="small" onClick={() => setOpen(true)}>
              {t('change')}
            </Button>
          ) : null
        }
        items={[
          [t('fields.state'), <SyncTag key="s" sync={sync} chip />],
          [t('reported'), sync.applied > 0 ? `v${sync.applied}` : null],
          [t('wantedAt'), <Time key="w" at={sync.wantedAt} style="full" />],
          [t('answeredAt'), <Time key="a" at={sync.answeredAt} style="full" />],
          ...names.map((name) => [t(`fields.${name}`), word(name, device.config)] as const),
        ]}
      />
      {device.version === 0 ? <Lead>{t('defaults')}</Lead> : null}
      <Versions deviceId={deviceId} version={device.version} />
      {open ? <SettingsDialog id={deviceId} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

/** A setting as people read it. */
function useWord(): (name: SettingName, config: Config) => string | null {
  const { t } = useTranslation('deviceSettings')
  const timing = useTiming()
  return (name, config) => {
    const value = config[name]
    if (value === null) return null
    if (name === 'lighting')
      return config.lighting.map(({ from, to }) => `${from}–${to}`).join(', ') || t('noWindow')
    if (name === 'reportSeconds' || name === 'screenOffSeconds') return timing(Number(value))
    if (typeof value === 'boolean') return t(`web:bool.${value}`)
    const unit = name.startsWith('temp') ? ' °C' : name.startsWith('hum') ? ' %' : ''
    return name.startsWith('limit') && value === 0 ? t('unlimited') : `${value}${unit}`
  }
}

/** The newest versions with what each changed against the one before. */
function Versions({ deviceId, version }: { deviceId: number; version: number }) {
  const { t } = useTranslation('deviceSettings')
  const word = useWord()
  const read = useRead(
    deviceSettings.versions,
    { id: deviceId },
    { inline: true, enabled: version > 0, keep: true },
  )
  const list = read.data?.list ?? []
  if (version === 0 || list.length === 0) return null
  return (
    <Part title={t('versions')}>
      <Lines columns="minmax(200px, auto) 1fr">
        {list.slice(0, 10).map((row, index) => {
          const before = list[index + 1]
          const changed = before
            ? settingNames.filter((name) => word(name, row.config) !== word(name, before.config))
            : null
          const said = changed?.map(
            (name) => `${t(`fields.${name}`)} ${word(name, row.config) ?? '—'}`,
          )
          return (
            <li key={row.version}>
              <span>
                <Muted>v{row.version}</Muted> <Time at={row.createTime} style="full" />{' '}
                <Muted>{row.changedBy}</Muted>
              </span>
              <span>{said ? said.join(' · ') : t('firstVersion')}</span>
            </li>
          )
        })}
      </Lines>
    </Part>
  )
}
