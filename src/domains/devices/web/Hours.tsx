import { useTranslation } from 'react-i18next'
import { type BusinessWindow, dayRuns } from '../hours.ts'

/** A week in a line for each window: 周一至周五 08:00–22:00. */
export function Hours({ windows }: { windows: readonly BusinessWindow[] }) {
  const { t } = useTranslation('devices')
  if (windows.length === 0) return <span className="hd-none">{t('hours.inherited')}</span>
  const days = (window: BusinessWindow) =>
    window.days.length === 7
      ? t('hours.everyDay')
      : dayRuns(window.days)
          .map(([first, last]) =>
            first === last
              ? t(`hours.days.${first}`)
              : [t(`hours.days.${first}`), t(`hours.days.${last}`)].join(last === first + 1 ? t('hours.and') : t('hours.to')),
          )
          .join(t('hours.and'))
  return (
    <>
      {windows.map((window) => (
        <div key={`${window.days.join('')} ${window.from}`}>
          {days(window)} {window.from}–{window.to < window.from ? t('hours.nextDay') : ''}
          {window.to}
        </div>
      ))}
    </>
  )
}
