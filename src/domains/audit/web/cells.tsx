import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import type { LogRow } from '../contract.ts'
import styles from './audit.module.css'
import { targetPath } from './targets.ts'

/** Who acted; people above the reader and the system have no name here. */
export function Actor({ row }: { row: Pick<LogRow, 'username' | 'actor'> }) {
  const { t } = useTranslation('audit')
  return row.actor === 'USER' ? row.username : <span className={styles.quiet}>{t(`someone.${row.actor}`)}</span>
}

/** The thing, with the way to its page where there is one. */
export function Target({ row }: { row: LogRow }) {
  const may = useMay()
  const path = targetPath(row, may)
  const name = row.targetName || row.targetId
  if (name === '') return <span className="hd-none">—</span>
  return path ? (
    <Link to={path} onClick={(event) => event.stopPropagation()}>
      {name}
    </Link>
  ) : (
    name
  )
}

const tones: Readonly<Record<LogRow['level'], Tone>> = { INFO: 'paid', DEBUG: 'offline', ERROR: 'fault' }
export function Level({ level, chip = false }: { level: LogRow['level']; chip?: boolean }) {
  const { t } = useTranslation('audit')
  return (
    <StatusTag tone={tones[level]} chip={chip}>
      {t(`enums.level.${level}`)}
    </StatusTag>
  )
}

export function LogCard({ row, actions }: { row: LogRow; actions: ReactNode }) {
  return (
    <>
      <div className={styles.cardHead}>
        <strong>{row.content}</strong>
        <Level level={row.level} chip />
      </div>
      <div className={styles.facts}>
        <Actor row={row} />
        <span>{row.moduleName}</span>
        <Time at={row.createTime} />
      </div>
      {actions}
    </>
  )
}
