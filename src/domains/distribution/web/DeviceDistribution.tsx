import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useLive } from '../../../web/live.ts'
import { Bones, Problem } from '../../../web/Problem.tsx'
import { useTabTitle } from '../../../web/shell/tabs.ts'
import { distribution } from '../contract.ts'
import styles from './distribution.module.css'
import { OwnerPart } from './OwnerPart.tsx'
import { StaffPart } from './StaffPart.tsx'
import { StorePart } from './StorePart.tsx'

/** One machine: whose it is, who serves it, where it stands. Each part is saved by itself. */
export function DeviceDistribution() {
  const { t } = useTranslation(['distribution', 'web'])
  const id = Number(useParams().id ?? 0)
  const read = useRead(distribution.get, { id }, { inline: true })
  useLive('devices', [distribution.get.path])
  const device = read.data
  useTabTitle(device?.rtuNumber)
  return (
    <section className={`hd-sheet ${styles.single}`} aria-label={t('title')}>
      <header>
        <h1>{t('title')}</h1>
        {device ? (
          <>
            <strong>
              {device.rtuNumber} {device.nickname}
            </strong>
            <span className={styles.quiet}>
              {device.typeName} · {device.regionName} {device.address}
            </span>
          </>
        ) : null}
      </header>
      {read.error && !device ? (
        <Problem error={read.error} onRetry={() => void read.refetch()} />
      ) : null}
      {read.isPending ? <Bones rows={8} /> : null}
      {device ? (
        <>
          <OwnerPart device={device} />
          <StaffPart device={device} />
          <StorePart key={device.storeId ?? 0} device={device} />
        </>
      ) : null}
    </section>
  )
}
