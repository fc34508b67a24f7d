import { useTranslation } from 'react-i18next'
import { type BusinessWindow, dayRuns } from '../../../../shared/hours.ts'

type Span = Pick<BusinessWindow, 'from' | 'to'>

/**
 * What holds for a machine without hours of its own; a machine that is not there yet belongs to
 * nobody.
 */
export function InheritedHours({ hours }: { hours: Span | undefined }) {
  const { t } = useTranslation('devices')
  const span = useSpan()
  return (
    <span className="hd-none">
      {hours ? t('hours.ofOrg', { hours: span(hours) }) : t('hours.inherited')}
    </span>
  )
}

function useSpan(): (span: Span) => string {
  const { t } = useTranslation('devices')
  return ({ from, to }) => `${from}–${to < from ? t('hours.nextDay') : ''}${to}`
}

/** A week in a line for each window: 周一至周五 08:00–22:00. */
export function Hours({
  windows,
  orgHours,
}: {
  windows: readonly BusinessWindow[]
  orgHours: Span
}) {
  const { t } = useTranslation('devices')
  const span = useSpan()
  if (windows.length === 0) return <InheritedHours hours={orgHours} />
  const days = (window: BusinessWindow) =>
    window.days.length === 7
      ? t('hours.everyDay')
      : dayRuns(window.days)
          .map(([first, last]) =>
            first === last
              ? t(`hours.days.${first}`)
              : [t(`hours.days.${first}`), t(`hours.days.${last}`)].join(
                  last === first + 1 ? t('hours.and') : t('hours.to'),
                ),
          )
          .join(t('hours.and'))
  return (
    <>
      {windows.map((window) => (
        <div key={`${window.days.join('')} ${window.from}`}>
          {days(window)} {span(window)}
        </div>
      ))}
    </>
  )
}
