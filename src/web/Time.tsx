import { usePrefs } from './prefs.ts'
import { age, fullTime, shortTime, zonedTime } from './time.ts'
import { Tooltip } from './ui/Tooltip.tsx'

/** An instant as the look asks; the tooltip always has all of it. */
export function Time({
  at,
  style = 'short',
}: {
  at: string | null | undefined
  style?: 'short' | 'full' | 'age'
}) {
  const { lang } = usePrefs()
  if (!at) return <span className="hd-none">—</span>
  const date = new Date(at)
  const now = new Date()
  const text =
    style === 'full'
      ? fullTime(date)
      : style === 'age'
        ? age(date, now, lang)
        : shortTime(date, now)
  return (
    <Tooltip title={zonedTime(date)}>
      <time dateTime={at}>{text}</time>
    </Tooltip>
  )
}
