import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Muted, Tail } from '../../../web/ui/Text.tsx'
import { type LogRow, levelTones } from '../contract.ts'
import { targetPath } from './targets.ts'

/** Who acted; people above the reader and the system have no name here. */
export function Actor({ row }: { row: Pick<LogRow, 'username' | 'actor'> }) {
  const { t } = useTranslation('audit')
  return row.actor === 'USER' ? row.username : <Muted>{t(`someone.${row.actor}`)}</Muted>
}

/** The thing, with the way to its page where there is one. */
export function Target({ row }: { row: LogRow }) {
  const path = targetPath(row, useMay())
  const name = row.targetName || row.targetId
  if (name === '') return <span className="hd-none">—</span>
  const shown = /^\w*\d{12,}$/.test(name) ? <Tail text={name} /> : name
  return path ? (
    <Link to={path} onClick={(event) => event.stopPropagation()}>
      {shown}
    </Link>
  ) : (
    shown
  )
}

export function Level({ level, chip = false }: { level: LogRow['level']; chip?: boolean }) {
  const { t } = useTranslation('audit')
  return (
    <StatusTag tone={levelTones[level]} chip={chip}>
      {t(`enums.level.${level}`)}
    </StatusTag>
  )
}
